package roomkey;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** All rooms of a building, open at the same time. */
public final class Building {

    private final Slot opening;
    private final List<Room> rooms = new ArrayList<>();

    public Building(Slot opening) {
        this.opening = opening;
    }

    public Building with(Room room) {
        rooms.add(room);
        return this;
    }

    /** Books the smallest room that is free and has enough seats. */
    public Optional<Room> book(Slot slot, int people, String who) {
        if (!opening.contains(slot)) {
            return Optional.empty();
        }
        Optional<Room> best = rooms.stream()
                .filter(room -> room.seats() >= people && room.isFree(slot))
                .min(Comparator.comparingInt(Room::seats).thenComparing(Room::name));
        best.ifPresent(room -> room.book(slot, who));
        return best;
    }

    /** The earliest time at which some room is free that long. */
    public Optional<Slot> earliest(int minutes, int people) {
        return rooms.stream()
                .filter(room -> room.seats() >= people)
                .flatMap(room -> room.gaps(opening).stream())
                .filter(gap -> gap.length() >= minutes)
                .map(gap -> new Slot(gap.start(), gap.start() + minutes))
                .min(Comparator.naturalOrder());
    }
}
