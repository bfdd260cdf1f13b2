import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Ends the process when a test does not come to its end, so that the others can be run by another. The limits are those of
 * patchwright_limit.py, by the same variables.
 */
final class PatchwrightLimit extends Thread {
    /** How a test is told that does not come to its end. */
    static final class Overdue extends Throwable {
        private static final long serialVersionUID = 1;

        Overdue(StackTraceElement[] trace) {
            super("the test does not end", null);
            for (int index = 0; index < trace.length; index++) {
                StackTraceElement frame = trace[index];
                // As in the trace of any exception: without the name of the loader.
                trace[index] = new StackTraceElement(
                        frame.getClassName(), frame.getMethodName(), frame.getFileName(), frame.getLineNumber());
            }
            setStackTrace(trace);
        }
    }

    /** What is done about a test or class that does not come to its end. */
    interface Alarm {
        void ring(String id, Overdue overdue);
    }

    private static final double UNKNOWN = 60;
    private static final double LEAST = 5;
    private static final double TIMES = 10;
    private static final double TIMES_LONG = 3;
    private static final double LONG = 30;
    private static final double SHARE = 0.2;
    private static final double WAITS = 2;
    private static final double RECORDING = 3;
    private static final Pattern FINISHED = Pattern.compile(
            "^\\{\"event\":\"finished\",\"id\":\"((?:[^\"\\\\]++|\\\\.)*+)\".*?(?:\"seconds\":([\\d.]+))?(?:, \"seal\": \"\\w*\")?\\}$");
    /** How often is looked, in milliseconds. */
    private static final long LOOK = 100;

    private final Thread watched;
    private final Alarm alarm;
    private final double least;
    private final double most;
    private double known;
    private double longest;
    private double total;
    /** Whether a test had no end, in this process or the one before. */
    private boolean overdue;

    private String id;
    private double limit;
    private long began;
    private double computedBefore;

    /** Watches what a thread runs. */
    PatchwrightLimit(Thread watched, Alarm alarm) {
        super("patchwright-limit");
        this.watched = watched;
        this.alarm = alarm;
        setDaemon(true);
        setPriority(MAX_PRIORITY);
        boolean recording = System.getenv("PATCHWRIGHT_COVERAGE") != null;
        double given = recording ? -1 : number("PATCHWRIGHT_LONGEST", -1);
        known = given >= 0 ? UNKNOWN : 0;
        longest = Math.max(0, given);
        least = number("PATCHWRIGHT_TEST_SECONDS", LEAST) * (recording ? RECORDING : 1);
        // The others are to have their turn too.
        most = Math.max(1, number("PATCHWRIGHT_LIMIT", 2 * 86400) / 2);
    }

    private static double number(String name, double otherwise) {
        String text = System.getenv(name);
        return text == null || text.isEmpty() ? otherwise : Double.parseDouble(text);
    }

    /** Takes what a process wrote that ended for a test that had no end; gives the tests and classes that had their turn. */
    Set<String> resume(List<String> results) {
        Set<String> done = new HashSet<String>();
        for (String line : results) {
            Matcher finished = FINISHED.matcher(line);
            if (finished.find()) {
                done.add(unquoted(finished.group(1)));
                if (finished.group(2) != null) {
                    note(Double.parseDouble(finished.group(2)), !line.contains(Overdue.class.getName()));
                }
            }
        }
        return done;
    }

    /** The text of a JSON value that {@link PatchwrightRunner#quote} made. */
    private static String unquoted(String quoted) {
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < quoted.length(); index++) {
            char character = quoted.charAt(index);
            if (character == '\\' && quoted.charAt(++index) == 'u') {
                text.append((char) Integer.parseInt(quoted.substring(index + 1, index + 5), 16));
                index += 4;
            } else {
                text.append(quoted.charAt(index));
            }
        }
        return text.toString();
    }

    /** Takes what a test took; whether that was to its end. */
    private synchronized void note(double seconds, boolean ended) {
        known++;
        if (ended) {
            longest = Math.max(longest, seconds);
            total += seconds;
        } else {
            overdue = true;
        }
    }

    /** A test begins. */
    synchronized void begins(String test) {
        double others = Math.min(TIMES * longest, LONG + TIMES_LONG * longest);
        double share = overdue ? 0 : SHARE * total;
        watch(test, Math.max(Math.max(least, UNKNOWN / (1 + known)), Math.max(others, share)));
    }

    /** The test of a class is over, or the class begins: what it sets up may be for many tests. */
    synchronized void between(String type) {
        watch(type, UNKNOWN);
    }

    /** A test has come to its end. */
    synchronized void ends(String type) {
        note((System.nanoTime() - began) / 1e9, true);
        between(type);
    }

    private void watch(String what, double seconds) {
        id = what;
        limit = Math.min(seconds, most);
        began = System.nanoTime();
        computedBefore = computed();
    }

    /** Nothing is run that may not end. */
    synchronized void rest() {
        id = null;
    }

    @Override
    public void run() {
        while (true) {
            try {
                Thread.sleep(LOOK);
            } catch (InterruptedException interrupted) {
                // Only who wants to get rid of the watch does that.
                continue;
            }
            String late = late();
            if (late != null) {
                alarm.ring(late, new Overdue(watched.getStackTrace()));
            }
        }
    }

    /** What has taken too long. */
    private synchronized String late() {
        double waited = (System.nanoTime() - began) / 1e9;
        // Waiting costs nothing but time; several threads compute faster than the clock goes.
        boolean computes = Math.min(computed() - computedBefore, waited) >= limit;
        return id != null && (computes || waited >= Math.min(WAITS * limit, most)) ? id : null;
    }

    /** Seconds of the processor that this process took; none where Java does not tell. */
    private static double computed() {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        return system instanceof com.sun.management.OperatingSystemMXBean
                ? ((com.sun.management.OperatingSystemMXBean) system).getProcessCpuTime() / 1e9
                : 0;
    }
}
