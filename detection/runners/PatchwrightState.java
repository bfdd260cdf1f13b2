import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;

/**
 * What all code in a process shares, as it is when the process begins. Made equal to that again after each request;
 * what cannot be is told, and then the process has to end.
 */
final class PatchwrightState {
    /** How long threads that were left may take to end. */
    private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(300);
    /** Threads that sleep for good, over all requests, beyond which the process is not worth keeping. */
    private static final int MOST_ASLEEP = 100;

    /** What goes to System.out, and to System.err. */
    final PatchwrightOutput out = new PatchwrightOutput();
    final PatchwrightOutput err = new PatchwrightOutput();

    private final Properties properties = copy(System.getProperties());
    private final Locale locale = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = TimeZone.getDefault();
    private final Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
    private PrintStream toOut = out.printer();
    private PrintStream toErr = err.printer();
    private int asleep;

    private static Properties copy(Properties properties) {
        Properties copy = new Properties();
        copy.putAll(properties);
        return copy;
    }

    /** A stream that was closed would swallow what comes next; it notices when it is written to. */
    private static boolean works(PrintStream stream) {
        stream.print("");
        return !stream.checkError();
    }

    /** Makes all as at the beginning; without success the process has to end. */
    boolean restore() {
        toOut = works(toOut) ? toOut : out.printer();
        toErr = works(toErr) ? toErr : err.printer();
        out.clear();
        err.clear();
        try {
            System.setProperties(copy(properties));
            System.setOut(toOut);
            System.setErr(toErr);
            InputStream nothing = new ByteArrayInputStream(new byte[0]);
            System.setIn(nothing);
            Locale.setDefault(locale);
            Locale.setDefault(Locale.Category.DISPLAY, display);
            Locale.setDefault(Locale.Category.FORMAT, format);
            TimeZone.setDefault(zone);
            Thread.setDefaultUncaughtExceptionHandler(handler);
            LogManager.getLogManager().reset();
            LogManager.getLogManager().readConfiguration();
            return true;
        } catch (IOException | SecurityException refused) {
            return false;
        }
    }

    /**
     * Ends the threads of a group. A thread that waits for others without a limit of time does no more harm once all
     * others of its group have ended; any other that goes on may disturb the next candidate.
     *
     * @return whether nothing of the group will ever run again
     */
    boolean endThreads(ThreadGroup group) {
        long end = System.nanoTime() + PATIENCE;
        List<Thread> left = left(group);
        for (Thread thread : left) {
            thread.interrupt();
        }
        while (!areAsleep(left)) {
            if (System.nanoTime() > end) {
                return false;
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException interrupted) {
                return false;
            }
            left = left(group);
        }
        asleep += left.size();
        return asleep <= MOST_ASLEEP;
    }

    private static boolean areAsleep(List<Thread> threads) {
        for (Thread thread : threads) {
            if (thread.getState() != Thread.State.WAITING) {
                return false;
            }
        }
        return true;
    }

    private static List<Thread> left(ThreadGroup group) {
        // Threads of the common pool are shared by all and end by themselves when there is nothing to do.
        boolean quiet = ForkJoinPool.commonPool().awaitQuiescence(0, TimeUnit.NANOSECONDS);
        Thread[] threads = new Thread[group.activeCount() + 64];
        List<Thread> left = new ArrayList<>();
        for (int count = group.enumerate(threads, true), index = 0; index < count; index++) {
            Thread thread = threads[index];
            boolean common = thread instanceof ForkJoinWorkerThread
                    && ((ForkJoinWorkerThread) thread).getPool() == ForkJoinPool.commonPool();
            if (thread.isAlive() && !(common && quiet)) {
                left.add(thread);
            }
        }
        return left;
    }
}
