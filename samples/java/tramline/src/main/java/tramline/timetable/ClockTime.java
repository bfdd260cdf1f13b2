package tramline.timetable;

/**
 * A time of the operating day, in minutes after midnight. What runs after midnight still belongs to
 * the day on which it set out: 24:10 is ten past midnight.
 *
 * @param minutes minutes after midnight, not negative
 */
public record ClockTime(int minutes) implements Comparable<ClockTime> {

    private static final int MINUTES_IN_HOUR = 60;

    public ClockTime {
        if (minutes < 0) {
            throw new IllegalArgumentException("a time cannot be before midnight: " + minutes);
        }
    }

    public static ClockTime of(int hour, int minute) {
        if (minute < 0 || minute >= MINUTES_IN_HOUR) {
            throw new IllegalArgumentException("no such minute: " + minute);
        }
        return new ClockTime(hour * MINUTES_IN_HOUR + minute);
    }

    /** Reads a time such as 08:05 or 24:10. */
    public static ClockTime parse(String text) {
        if (!text.matches("\\d{1,2}:\\d{2}")) {
            throw new IllegalArgumentException("not a time (expected HH:MM): " + text);
        }
        int colon = text.indexOf(':');
        return of(Integer.parseInt(text.substring(0, colon)), Integer.parseInt(text.substring(colon + 1)));
    }

    public int hour() {
        return minutes / MINUTES_IN_HOUR;
    }

    public int minute() {
        return minutes % MINUTES_IN_HOUR;
    }

    public ClockTime plus(int more) {
        return new ClockTime(minutes + more);
    }

    /** Minutes from this time to a later one. */
    public int until(ClockTime later) {
        return later.minutes - minutes;
    }

    public boolean isBefore(ClockTime other) {
        return compareTo(other) < 0;
    }

    public boolean isAfter(ClockTime other) {
        return compareTo(other) > 0;
    }

    @Override
    public int compareTo(ClockTime other) {
        return Integer.compare(minutes, other.minutes);
    }

    @Override
    public String toString() {
        return String.format("%02d:%02d", hour(), minute());
    }
}
