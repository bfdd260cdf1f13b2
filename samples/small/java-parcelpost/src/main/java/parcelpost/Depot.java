package parcelpost;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** All parcels of a town. */
public final class Depot {

    private final Map<String, Parcel> parcels = new LinkedHashMap<>();

    public Parcel accept(Parcel parcel) {
        if (parcels.containsKey(parcel.number())) {
            throw new IllegalArgumentException("here already: " + parcel.number());
        }
        parcel.arriveAtDepot();
        parcels.put(parcel.number(), parcel);
        return parcel;
    }

    /** Loads what may be brought to that postcode, in the order of arrival. */
    public List<Parcel> loadVan(String postcode, int room) {
        List<Parcel> van = new ArrayList<>();
        for (Parcel parcel : parcels.values()) {
            if (van.size() < room && parcel.postcode().equals(postcode) && parcel.canBeLoaded()) {
                parcel.load();
                van.add(parcel);
            }
        }
        return van;
    }

    /** In the evening: what was missed for the last time goes to the counter. */
    public List<Parcel> clearMissed() {
        List<Parcel> cleared = parcels.values().stream()
                .filter(parcel -> parcel.status() == Status.MISSED && parcel.missed() >= Parcel.ATTEMPTS)
                .collect(Collectors.toList());
        cleared.forEach(Parcel::bringToCounter);
        return cleared;
    }

    public long open() {
        return parcels.values().stream().filter(parcel -> !parcel.status().isFinal()).count();
    }
}
