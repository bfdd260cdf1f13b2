package tramline.timetable;

/**
 * A ride from one stop to the next one, without a stop between.
 *
 * @param run the vehicle
 * @param from where it leaves
 * @param to where it arrives
 * @param departure when it leaves
 * @param arrival when it arrives, not before the departure
 */
public record Connection(Run run, String from, String to, ClockTime departure, ClockTime arrival) {

    public Connection {
        if (arrival.isBefore(departure)) {
            throw new IllegalArgumentException("arrives at " + to + " before it leaves " + from);
        }
    }
}
