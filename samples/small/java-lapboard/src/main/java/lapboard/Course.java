package lapboard;

/** A round course. */
public final class Course {

    private static final int METRES_PER_KILOMETRE = 1000;
    private static final double MILLIS_PER_HOUR = 3_600_000;

    private final int metres;

    public Course(int metres) {
        if (metres <= 0) {
            throw new IllegalArgumentException("not a length: " + metres);
        }
        this.metres = metres;
    }

    public int metres() {
        return metres;
    }

    /** Kilometres per hour of so many laps in that time. */
    public double speed(int laps, long millis) {
        double kilometres = laps * metres / METRES_PER_KILOMETRE;
        return kilometres / (millis / MILLIS_PER_HOUR);
    }

    /** Laps that are needed to go at least that far. */
    public int lapsFor(int distance) {
        return (distance + metres - 1) / metres;
    }
}
