package tramline.planning;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tramline.timetable.ClockTime;
import tramline.timetable.Connection;
import tramline.timetable.Timetable;

/** A planner that scans all connections in the order of their departures. */
public final class ScanPlanner implements Planner {

    private final Timetable timetable;

    public ScanPlanner(Timetable timetable) {
        this.timetable = timetable;
    }

    @Override
    public Optional<Journey> earliestArrival(String from, String to, ClockTime at) {
        requireKnown(from);
        requireKnown(to);
        if (from.equals(to)) {
            return Optional.of(new Journey(at, List.of()));
        }
        Scan scan = new Scan(from, at);
        for (Connection connection : timetable.connections()) {
            if (scan.cannotImprove(to, connection)) {
                break;
            }
            scan.visit(connection);
        }
        return scan.journeyTo(to);
    }

    private void requireKnown(String stop) {
        if (!timetable.serves(stop)) {
            throw new UnknownStopException(stop);
        }
    }

    /** What is known while the connections pass by. */
    private final class Scan {

        private final String origin;
        private final ClockTime start;

        /** Where each vehicle that can be caught is boarded, by the key of its run. */
        private final Map<String, Connection> boarded = new HashMap<>();

        /** The leg that reaches each stop first. */
        private final Map<String, Journey.Leg> reachedBy = new HashMap<>();

        Scan(String origin, ClockTime start) {
            this.origin = origin;
            this.start = start;
        }

        boolean cannotImprove(String target, Connection next) {
            Journey.Leg leg = reachedBy.get(target);
            return leg != null && !next.departure().isBefore(leg.arrival());
        }

        void visit(Connection connection) {
            String key = connection.run().key();
            if (canStartWith(connection) || (!boarded.containsKey(key) && canChangeTo(connection))) {
                boarded.put(key, connection);
            }
            Connection boarding = boarded.get(key);
            if (boarding != null && improves(connection)) {
                reachedBy.put(connection.to(), new Journey.Leg(boarding, connection));
            }
        }

        private boolean canStartWith(Connection connection) {
            return connection.from().equals(origin) && !connection.departure().isBefore(start);
        }

        private boolean canChangeTo(Connection connection) {
            Journey.Leg leg = reachedBy.get(connection.from());
            if (leg == null) {
                return false;
            }
            ClockTime ready = leg.arrival().plus(timetable.changeMinutes(connection.from()));
            return !connection.departure().isBefore(ready);
        }

        private boolean improves(Connection connection) {
            if (connection.to().equals(origin)) {
                return false;
            }
            Journey.Leg known = reachedBy.get(connection.to());
            return known == null || connection.arrival().isBefore(known.arrival());
        }

        Optional<Journey> journeyTo(String target) {
            List<Journey.Leg> legs = new ArrayList<>();
            String stop = target;
            while (!stop.equals(origin)) {
                Journey.Leg leg = reachedBy.get(stop);
                if (leg == null) {
                    return Optional.empty();
                }
                legs.add(leg);
                stop = leg.from();
            }
            Collections.reverse(legs);
            return Optional.of(new Journey(start, legs));
        }
    }
}
