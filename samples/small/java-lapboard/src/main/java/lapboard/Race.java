package lapboard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All laps of a race, as they were timed. */
public final class Race {

    private final Course course;
    private final Map<String, List<Lap>> laps = new LinkedHashMap<>();

    public Race(Course course) {
        this.course = course;
    }

    public Race add(String runner, long... times) {
        for (long millis : times) {
            laps.computeIfAbsent(runner, key -> new ArrayList<>()).add(new Lap(runner, millis));
        }
        return this;
    }

    public int laps(String runner) {
        return of(runner).size();
    }

    public long total(String runner) {
        return of(runner).stream().mapToLong(Lap::millis).sum();
    }

    public long best(String runner) {
        return of(runner).stream().mapToLong(Lap::millis).min().orElseThrow();
    }

    /** Kilometres per hour over all laps of a runner. */
    public double speed(String runner) {
        return course.speed(laps(runner), total(runner));
    }

    /** Kilometres per hour of the best lap of a runner. */
    public double topSpeed(String runner) {
        return course.speed(1, best(runner));
    }

    /** The runners: more laps first, then less time. */
    public List<String> ranking() {
        List<String> runners = new ArrayList<>(laps.keySet());
        runners.sort(Comparator.comparingInt(this::laps).reversed().thenComparingLong(this::total));
        return runners;
    }

    private List<Lap> of(String runner) {
        List<Lap> own = laps.get(runner);
        if (own == null) {
            throw new IllegalArgumentException("did not run: " + runner);
        }
        return own;
    }
}
