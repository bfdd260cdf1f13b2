package tramline.planning;

import java.util.Optional;
import tramline.timetable.ClockTime;

/** Finds ways through a timetable. */
public interface Planner {

    /**
     * The journey that arrives first, for somebody who is at the first stop at the given time; empty
     * if there is none on this day.
     *
     * @throws UnknownStopException if nothing ever stops at one of the two
     */
    Optional<Journey> earliestArrival(String from, String to, ClockTime at);

    /** The same, with the time as text. */
    default Optional<Journey> earliestArrival(String from, String to, String at) {
        return earliestArrival(from, to, ClockTime.parse(at));
    }
}
