package tramline.timetable;

/**
 * One vehicle on its way along a route.
 *
 * @param line the line it belongs to
 * @param origin the stop where it starts
 * @param headsign the stop where it ends
 * @param start when it leaves the first stop
 */
public record Run(Line line, String origin, String headsign, ClockTime start) {

    /** Names this run among all runs of the day. */
    public String key() {
        return line.name() + "/" + origin + "/" + headsign + "/" + start.hour();
    }

    /** What stands on the front of the vehicle. */
    public String label() {
        return line + " to " + headsign;
    }
}
