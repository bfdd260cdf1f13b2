import java.util.Map;

/** Ends what takes too long. */
final class PatchwrightWatch extends Thread {
    /** What is done when a limit is over. */
    interface Alarm {
        /** Takes what was too slow and its limit in seconds. */
        void ring(String what, double seconds);
    }

    private final Alarm alarm;
    private Map<String, Object> limits;
    private double otherwise;
    private String test;
    /** Of the request, and of the test that runs. */
    private Limit whole;
    private Limit single;

    private static final class Limit {
        private final double seconds;
        private final long start = System.nanoTime();

        Limit(double seconds) {
            this.seconds = seconds;
        }

        /** How many milliseconds are left. */
        long left() {
            return (long) Math.ceil(seconds * 1000 - (System.nanoTime() - start) / 1e6);
        }
    }

    PatchwrightWatch(ThreadGroup group, Alarm alarm) {
        super(group, "patchwright-watch");
        this.alarm = alarm;
        setDaemon(true);
        setPriority(MAX_PRIORITY);
    }

    /** Begins to watch a request; limits that are not given do not hold. */
    synchronized void begin(Map<String, Object> request, Map<String, Object> limits) {
        this.limits = limits;
        whole = new Limit(PatchwrightJson.number(request, "seconds", Double.MAX_VALUE));
        otherwise = PatchwrightJson.number(request, "default_test_seconds", Double.MAX_VALUE);
        notifyAll();
    }

    /** Ends to watch. */
    synchronized void end() {
        whole = null;
        single = null;
    }

    /** A test begins. */
    synchronized void started(String id) {
        test = id;
        single = new Limit(PatchwrightJson.number(limits, id, otherwise));
        notifyAll();
    }

    /** The test is over. */
    synchronized void ended() {
        single = null;
    }

    @Override
    public void run() {
        while (true) {
            String what;
            double seconds;
            synchronized (this) {
                try {
                    wait(Math.max(1, next()));
                } catch (InterruptedException interrupted) {
                    // Only who wants to get rid of the watch does that.
                    continue;
                }
                if (next() > 0) {
                    continue;
                }
                boolean one = single != null && single.left() <= 0;
                what = single == null ? "the tests" : "the test " + test;
                seconds = one ? single.seconds : whole.seconds;
            }
            alarm.ring(what, seconds);
        }
    }

    /** Milliseconds until a limit is over. */
    private long next() {
        long left = whole == null ? Long.MAX_VALUE : whole.left();
        return single == null ? left : Math.min(left, single.left());
    }
}
