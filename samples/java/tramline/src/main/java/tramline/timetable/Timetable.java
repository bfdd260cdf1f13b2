package tramline.timetable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** All connections of a day, and how long it takes to change at each stop. */
public final class Timetable {

    public static final int DEFAULT_CHANGE_MINUTES = 3;

    private static final Comparator<Connection> IN_ORDER =
            Comparator.comparing(Connection::departure).thenComparing(Connection::arrival);

    private final List<Connection> connections;
    private final Map<String, Integer> changeMinutes;
    private final Set<String> stops = new TreeSet<>();

    private Timetable(Builder builder) {
        List<Connection> sorted = new ArrayList<>(builder.connections);
        sorted.sort(IN_ORDER);
        connections = List.copyOf(sorted);
        changeMinutes = Map.copyOf(builder.changeMinutes);
        for (Connection connection : connections) {
            stops.add(connection.from());
            stops.add(connection.to());
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** All connections in the order of their departures. */
    public List<Connection> connections() {
        return connections;
    }

    /** The connections that leave a stop. */
    public List<Connection> departures(String stop) {
        return departures(stop, new ClockTime(0));
    }

    /** The connections that leave a stop at a given time or later. */
    public List<Connection> departures(String stop, ClockTime from) {
        return connections.stream()
                .filter(connection -> connection.from().equals(stop))
                .filter(connection -> !connection.departure().isBefore(from))
                .toList();
    }

    public boolean serves(String stop) {
        return stops.contains(stop);
    }

    /** All stops, by name. */
    public Set<String> stops() {
        return Collections.unmodifiableSet(stops);
    }

    /** How many minutes it takes to get from one vehicle to another at a stop. */
    public int changeMinutes(String stop) {
        return changeMinutes.getOrDefault(stop, DEFAULT_CHANGE_MINUTES);
    }

    /** Collects what a timetable is made of. */
    public static final class Builder {

        private final List<Connection> connections = new ArrayList<>();
        private final Map<String, Integer> changeMinutes = new HashMap<>();

        private Builder() {}

        public Builder change(String stop, int minutes) {
            if (minutes < 0) {
                throw new IllegalArgumentException("no time to change at " + stop + ": " + minutes);
            }
            changeMinutes.put(stop, minutes);
            return this;
        }

        /** Adds one vehicle, which leaves the first stop of the route at the given time. */
        public Builder run(Route route, ClockTime start) {
            connections.addAll(route.connections(start));
            return this;
        }

        /** Adds several vehicles, by the times at which they leave the first stop. */
        public Builder runs(Route route, String... starts) {
            for (String start : starts) {
                run(route, ClockTime.parse(start));
            }
            return this;
        }

        /** Adds a vehicle every so many minutes; one that leaves at the last minute is included. */
        public Builder every(int minutes, Route route, ClockTime first, ClockTime last) {
            if (minutes < 1) {
                throw new IllegalArgumentException("every " + minutes + " minutes is not possible");
            }
            for (ClockTime start = first; !start.isAfter(last); start = start.plus(minutes)) {
                run(route, start);
            }
            return this;
        }

        public Timetable build() {
            return new Timetable(this);
        }
    }
}
