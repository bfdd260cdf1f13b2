package trailmap;

/** A trail between two huts that is walked in both directions. */
public final class Trail {

    private final String from;
    private final String to;
    private final int minutes;

    public Trail(String from, String to, int minutes) {
        if (from.equals(to) || minutes <= 0) {
            throw new IllegalArgumentException("not a trail: " + from + " to " + to + ", " + minutes);
        }
        this.from = from;
        this.to = to;
        this.minutes = minutes;
    }

    public String from() {
        return from;
    }

    public String to() {
        return to;
    }

    public int minutes() {
        return minutes;
    }

    /** The other end, seen from one of them. */
    public String otherEnd(String end) {
        return end.equals(from) ? to : from;
    }
}
