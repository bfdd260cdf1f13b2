package lapboard;

/** One time around the course. */
public final class Lap {

    private final String runner;
    private final long millis;

    public Lap(String runner, long millis) {
        if (millis <= 0) {
            throw new IllegalArgumentException("not a time: " + millis);
        }
        this.runner = runner;
        this.millis = millis;
    }

    public String runner() {
        return runner;
    }

    public long millis() {
        return millis;
    }
}
