package roomkey;

import java.util.Objects;

/** A stretch of one day, in minutes since midnight; the end is no longer part of it. */
public final class Slot implements Comparable<Slot> {

    /** Minutes of a day. */
    public static final int DAY = 24 * 60;

    private final int start;
    private final int end;

    public Slot(int start, int end) {
        if (start < 0 || end > DAY || start >= end) {
            throw new IllegalArgumentException("not a stretch of a day: " + start + " to " + end);
        }
        this.start = start;
        this.end = end;
    }

    /** Reads "09:00-10:30". */
    public static Slot parse(String text) {
        String[] ends = text.split("-", -1);
        if (ends.length != 2) {
            throw new IllegalArgumentException("expected HH:MM-HH:MM: " + text);
        }
        return new Slot(minutes(ends[0].trim()), minutes(ends[1].trim()));
    }

    private static int minutes(String clock) {
        if (!clock.matches("\\d{2}:[0-5]\\d")) {
            throw new IllegalArgumentException("expected HH:MM: " + clock);
        }
        return Integer.parseInt(clock.substring(0, 2)) * 60 + Integer.parseInt(clock.substring(3));
    }

    public int start() {
        return start;
    }

    public int end() {
        return end;
    }

    public int length() {
        return end - start;
    }

    /** Whether both take some of the same time. */
    public boolean overlaps(Slot other) {
        return start <= other.end && other.start < end;
    }

    /** Whether all of the other one lies in this one. */
    public boolean contains(Slot other) {
        return start <= other.start && other.end <= end;
    }

    @Override
    public int compareTo(Slot other) {
        int byStart = Integer.compare(start, other.start);
        return byStart != 0 ? byStart : Integer.compare(end, other.end);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof Slot && ((Slot) object).start == start && ((Slot) object).end == end;
    }

    @Override
    public int hashCode() {
        return Objects.hash(start, end);
    }

    @Override
    public String toString() {
        return String.format("%02d:%02d-%02d:%02d", start / 60, start % 60, end / 60, end % 60);
    }
}
