package tramline.planning;

import java.util.List;
import tramline.timetable.ClockTime;
import tramline.timetable.Connection;
import tramline.timetable.Run;

/** A way from one stop to another; there are no legs if both are the same. */
public final class Journey {

    /** The part of a journey that is spent in one vehicle. */
    public record Leg(Connection boarding, Connection alighting) {

        public Run run() {
            return boarding.run();
        }

        public String from() {
            return boarding.from();
        }

        public String to() {
            return alighting.to();
        }

        public ClockTime departure() {
            return boarding.departure();
        }

        public ClockTime arrival() {
            return alighting.arrival();
        }

        @Override
        public String toString() {
            return from() + " " + departure() + " > " + to() + " " + arrival() + " (" + run().label() + ")";
        }
    }

    private final ClockTime asked;
    private final List<Leg> legs;

    /**
     * @param asked when the passenger is ready to leave
     * @param legs in the order in which they are ridden
     */
    public Journey(ClockTime asked, List<Leg> legs) {
        this.asked = asked;
        this.legs = List.copyOf(legs);
    }

    public List<Leg> legs() {
        return legs;
    }

    public ClockTime departure() {
        return legs.isEmpty() ? asked : legs.get(0).departure();
    }

    public ClockTime arrival() {
        return legs.isEmpty() ? asked : legs.get(legs.size() - 1).arrival();
    }

    /** Minutes from the first departure to the last arrival. */
    public int duration() {
        return departure().until(arrival());
    }

    public int changes() {
        return Math.max(0, legs.size() - 1);
    }

    @Override
    public String toString() {
        return legs.toString();
    }
}
