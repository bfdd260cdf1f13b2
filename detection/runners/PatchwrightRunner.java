import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Assert;
import org.junit.Test;
import org.junit.internal.TextListener;
import org.junit.internal.RealSystem;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;
import org.junit.runner.notification.StoppedByUserException;

/**
 * Runs JUnit 3 and 4 tests and writes what comes of each to the file named by PATCHWRIGHT_RESULTS, one JSON object a
 * line, flushed at once.
 *
 * <p>Usage: PatchwrightRunner CLASSES [ID...]: CLASSES is a file that lists the classes which may hold tests, one a
 * line; an ID is {@code package.Class::method} or a class. Without any, all tests are run, in the order of their
 * names, but for those named in PATCHWRIGHT_SKIP, one a line; with PATCHWRIGHT_AS_LISTED suites too, which otherwise only repeat
 * what other classes hold. Needs Java 7 and JUnit 4.5 at least.
 */
public final class PatchwrightRunner {
    private static final String SEPARATOR = "::";
    /** The status of a process that has ended for a test that does not end. */
    private static final int OVERDUE = 76;

    /** Told of each test before and after; whoever loads this class may set one. */
    interface Watcher {
        void begins(String id);

        void ends();
    }

    static Watcher watcher;
    /** Whether the classes listed are those to run, whatever they hold: suites too. */
    private static final boolean AS_LISTED = System.getenv("PATCHWRIGHT_AS_LISTED") != null;

    public static void main(String[] arguments) throws IOException {
        int status = 2;
        try {
            status = run(arguments) ? 0 : 1;
        } finally {
            System.out.flush();
            System.err.flush();
            // Threads that the tests left running must not keep the run alive.
            Runtime.getRuntime().halt(status);
        }
    }

    private static boolean run(String[] arguments) throws IOException {
        List<String> listed = lines(arguments[0]);
        Set<String> wanted = new TreeSet<String>(Arrays.asList(arguments).subList(1, arguments.length));
        Set<String> skipped = new HashSet<String>();
        String skip = System.getenv("PATCHWRIGHT_SKIP");
        if (skip != null) {
            skipped.addAll(Arrays.asList(skip.split("\n")));
        }
        String results = System.getenv("PATCHWRIGHT_RESULTS");
        OutputStream sink = new FileOutputStream(results, true);
        PatchwrightRunner runner = new PatchwrightRunner(new Recorder(sink, takeKey()), PatchwrightRunner.class.getClassLoader(), new PatchwrightShadows());
        runner.limit(results, skipped);
        return runner.run(plan(listed, wanted), skipped);
    }

    /** The key for the seals, from a file that is gone before the first test is loaded. */
    private static String takeKey() throws IOException {
        File file = new File(System.getenv("PATCHWRIGHT_OUT"), "key");
        if (!file.exists()) {
            return "";
        }
        String key = lines(file.getPath()).get(0);
        return file.delete() ? key : "";
    }

    /** Ends the process for a test that does not end, and goes on where another has ended for such a test. */
    private void limit(String results, Set<String> skipped) throws IOException {
        recorder.limit = new PatchwrightLimit(Thread.currentThread(), new PatchwrightLimit.Alarm() {
            @Override
            public void ring(String id, PatchwrightLimit.Overdue overdue) {
                recorder.finish(id, "error", overdue);
                recorder.write("{\"event\":\"overdue\"}");
                System.out.flush();
                System.err.flush();
                Runtime.getRuntime().halt(OVERDUE);
            }
        });
        skipped.addAll(recorder.limit.resume(lines(results)));
        recorder.limit.start();
    }

    /** Parts of JUnit that decide what comes of a test. */
    private static final Class<?>[] JUNIT = {
        Assert.class, JUnitCore.class, Test.class, RunListener.class, RunNotifier.class, Runner.class,
        junit.framework.Assert.class, junit.framework.TestCase.class, junit.framework.TestResult.class
    };

    private final JUnitCore core = new JUnitCore();
    private final Recorder recorder;
    private final ClassLoader loader;
    /** Told apart before anything of the project is loaded. */
    private final PatchwrightShadows shadows;
    /** Classes of the project that lie in no folder of the class path, by their names with slashes. */
    Collection<String> unfiled = Collections.emptyList();
    /** Whether the first test that fails is the last to run. */
    boolean stopsAtFailure;

    /** Runs classes of a loader; the program's output is where System.out leads now. */
    PatchwrightRunner(Recorder recorder, ClassLoader loader, PatchwrightShadows shadows) {
        this.shadows = shadows;
        this.recorder = recorder;
        this.loader = loader;
        core.addListener(new TextListener(new RealSystem()));
        core.addListener(recorder);
    }

    /** Runs what is planned; tells whether all passed. */
    boolean run(Map<String, Set<String>> plan, Set<String> skipped) {
        boolean passed = true;
        int turn = 0;
        for (Map.Entry<String, Set<String>> entry : plan.entrySet()) {
            recorder.turn(++turn, plan.size());
            if (skipped.contains(entry.getKey())) {
                continue;
            }
            passed &= runClass(entry.getKey(), new Selection(entry.getValue(), skipped));
            if (stopsAtFailure && !passed) {
                break;
            }
        }
        recorder.rests();
        recorder.end(bent());
        return passed;
    }

    /** A test that fails, unless somebody has changed what tests are judged by. */
    public static final class Doomed {
        @Test
        public void fails() {
            Assert.assertEquals(1, 2);
        }
    }

    /** What of JUnit is not as it comes from its authors, and what does not work any more. */
    private List<String> bent() {
        List<String> bent = new ArrayList<String>();
        shadows.find(bent);
        shadows.find(unfiled, bent);
        for (Class<?> part : JUNIT) {
            try {
                CodeSource source = loader.loadClass(part.getName()).getProtectionDomain().getCodeSource();
                if (source == null || new File(source.getLocation().getPath()).isDirectory()) {
                    bent.add(part.getName() + " does not come from a library");
                }
            } catch (ClassNotFoundException hidden) {
                bent.add(part.getName() + " is not found");
            }
        }
        if (new JUnitCore().run(Request.aClass(Doomed.class).getRunner()).getFailureCount() != 1) {
            bent.add("a test that has to fail passes");
        }
        return bent;
    }

    /**
     * The classes to run with the tests wanted of each; none means all. Without any test wanted these are the classes
     * listed, in the order of their names, otherwise the classes of the tests, in the order of the tests.
     */
    static Map<String, Set<String>> plan(List<String> listed, Set<String> wanted) {
        Map<String, Set<String>> plan = new LinkedHashMap<String, Set<String>>();
        if (wanted.isEmpty()) {
            Collections.sort(listed);
            for (String name : listed) {
                plan.put(name, new TreeSet<String>());
            }
            return plan;
        }
        Set<String> whole = new HashSet<String>();
        for (String id : wanted) {
            int cut = id.indexOf(SEPARATOR);
            String name = cut < 0 ? id : id.substring(0, cut);
            if (!plan.containsKey(name)) {
                plan.put(name, new TreeSet<String>());
            }
            plan.get(name).add(id);
            if (cut < 0) {
                whole.add(name);
            }
        }
        for (String name : whole) {
            plan.get(name).clear();
        }
        return plan;
    }

    /** Whether a class is one that JUnit runs itself. Suites only repeat what other classes hold. */
    private static boolean holdsTests(Class<?> type) {
        if (Modifier.isAbstract(type.getModifiers())) {
            return false;
        }
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            RunWith runner = each.getAnnotation(RunWith.class);
            if (runner != null) {
                return !runner.value().getName().equals("org.junit.runners.Suite");
            }
        }
        if (junit.framework.TestCase.class.isAssignableFrom(type)) {
            return hasTestMethod(type, null);
        }
        return hasTestMethod(type, Test.class);
    }

    private static boolean hasTestMethod(Class<?> type, Class<? extends Annotation> annotation) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (annotation == null ? method.getName().startsWith("test") : method.isAnnotationPresent(annotation)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean runClass(String name, Selection selection) {
        recorder.begins(name);
        try {
            // Initialized by JUnit, which reports what goes wrong in it.
            Class<?> type = Class.forName(name, false, loader);
            if (!AS_LISTED && !holdsTests(type)) {
                return true;
            }
            Runner runner = Request.aClass(type).getRunner();
            if (!selection.isAll()) {
                selection.apply(runner);
            }
            return core.run(stopsAtFailure ? new Stopping(runner) : runner).wasSuccessful();
        } catch (StoppedByUserException stopped) {
            return false;
        } catch (NoTestsRemainException nothing) {
            // A test that does not exist any more has no result.
            return true;
        } catch (Throwable problem) {
            recorder.finish(name, "error", problem);
            return false;
        }
    }

    static List<String> lines(String file) throws IOException {
        List<String> lines = new ArrayList<String>();
        BufferedReader reader = new BufferedReader(new InputStreamReader(new FileInputStream(file), "UTF-8"));
        try {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } finally {
            reader.close();
        }
        return lines;
    }

    /** The id of a test, or of the class where what failed is no single test. */
    static String identify(Description description, String fallback) {
        String name = description.getDisplayName();
        int open = name.lastIndexOf('(');
        if (!description.isTest() || open < 0 || !name.endsWith(")")) {
            return description.isTest() ? fallback + SEPARATOR + name : className(description, fallback);
        }
        String method = name.substring(0, open);
        String type = name.substring(open + 1, name.length() - 1);
        if (type.startsWith("junit.framework.TestSuite")) {
            // How JUnit 3 tells that a class cannot be run.
            return fallback;
        }
        return method.equals("initializationError") ? type : type + SEPARATOR + method;
    }

    /** The parts of a parameterized class have names of their own, such as {@code [0]}. */
    private static String className(Description description, String fallback) {
        String name = description.getDisplayName();
        return name == null || name.startsWith("[") || name.equals("null") ? fallback : name;
    }

    /** Keeps the tests that are wanted and not to be skipped. */
    private static final class Selection extends Filter {
        private final Set<String> wanted;
        private final Set<String> skipped;

        Selection(Set<String> wanted, Set<String> skipped) {
            this.wanted = wanted;
            this.skipped = skipped;
        }

        boolean isAll() {
            return wanted.isEmpty() && skipped.isEmpty();
        }

        @Override
        public boolean shouldRun(Description description) {
            if (description.isTest()) {
                String id = identify(description, "");
                return !skipped.contains(id) && (wanted.isEmpty() || wanted.contains(id) || wanted.contains(plain(id)));
            }
            for (Description child : description.getChildren()) {
                if (shouldRun(child)) {
                    return true;
                }
            }
            return false;
        }

        /** The id without parameters: asking for a test asks for all its instances. */
        private static String plain(String id) {
            int open = id.indexOf('[');
            return open < 0 ? id : id.substring(0, open);
        }

        @Override
        public String describe() {
            return "the selected tests";
        }
    }

    /** Runs a class up to its first failure. */
    private static final class Stopping extends Runner {
        private final Runner runner;

        Stopping(Runner runner) {
            this.runner = runner;
        }

        @Override
        public Description getDescription() {
            return runner.getDescription();
        }

        @Override
        public void run(final RunNotifier notifier) {
            notifier.addListener(new RunListener() {
                @Override
                public void testFailure(Failure failure) {
                    notifier.pleaseStop();
                }
            });
            runner.run(notifier);
        }
    }

    /** Writes the events. */
    static class Recorder extends RunListener {
        private final OutputStream sink;
        private final Set<String> failed = new HashSet<String>();
        /** When the tests that run were started, in nanoseconds. */
        private final Map<String, Long> running = new HashMap<String, Long>();
        private String type = "";
        /** Ends what does not end, where the process may end for that. */
        private PatchwrightLimit limit;

        /** The blocks that the key begins the inner and the outer digest with; null without a key. */
        private final byte[][] pads;

        Recorder(OutputStream sink, String key) {
            this.sink = sink;
            this.pads = key.isEmpty() ? null : new byte[][] {pad(key, 0x36), pad(key, 0x5c)};
        }

        /** A key of less than a block, as a block (RFC 2104). */
        private static byte[] pad(String key, int value) {
            byte[] pad = new byte[64];
            for (int index = 0; index < pad.length; index++) {
                pad[index] = (byte) (value ^ (index < key.length() ? key.charAt(index) : 0));
            }
            return pad;
        }

        /** Tells whoever waits which class of how many comes next. */
        void turn(int turn, int all) {
            if (limit != null) {
                write("{\"event\":\"turn\",\"turn\":" + turn + ",\"all\":" + all + "}");
            }
        }

        /** A class has its turn. */
        void begins(String name) {
            type = name;
            if (limit != null) {
                limit.between(name);
            }
        }

        /** All had their turn. */
        void rests() {
            if (limit != null) {
                limit.rest();
            }
        }

        @Override
        public void testStarted(Description description) {
            started(identify(description, type));
        }

        /** Notes that a test begins. */
        synchronized void started(String id) {
            failed.remove(id);
            write("{\"event\":\"started\",\"id\":" + quote(id) + "}");
            running.put(id, System.nanoTime());
            if (watcher != null) {
                watcher.begins(id);
            }
            if (limit != null) {
                limit.begins(id);
            }
        }

        @Override
        public void testFailure(Failure failure) {
            String id = identify(failure.getDescription(), type);
            failed.add(id);
            finish(id, failure.getException() instanceof AssertionError ? "failed" : "error", failure.getException());
        }

        @Override
        public void testAssumptionFailure(Failure failure) {
            String id = identify(failure.getDescription(), type);
            if (failed.add(id)) {
                event(id, "skipped", failure.getMessage(), null);
            }
        }

        @Override
        public void testIgnored(Description description) {
            org.junit.Ignore reason = description.getAnnotation(org.junit.Ignore.class);
            event(identify(description, type), "skipped", reason == null ? null : reason.value(), null);
        }

        @Override
        public void testFinished(Description description) {
            String id = identify(description, type);
            if (limit != null) {
                limit.ends(type);
            }
            if (watcher != null) {
                watcher.ends();
            }
            if (!failed.contains(id)) {
                event(id, "passed", null, null);
            }
            ended(id);
        }

        /** Notes that a test is over, whatever came of it. */
        synchronized void ended(String id) {
            running.remove(id);
        }

        void finish(String id, String status, Throwable problem) {
            StringWriter trace = new StringWriter();
            problem.printStackTrace(new PrintWriter(trace, true));
            event(id, status, problem.toString(), trace.toString());
        }

        /** Writes what came of a test. What never began, such as a class that cannot be run, took no time. */
        private synchronized void event(String id, String status, String message, String trace) {
            Long start = running.get(id);
            String seconds = start == null ? "null" : seconds(System.nanoTime() - start);
            write("{\"event\":\"finished\",\"id\":" + quote(id) + ",\"status\":" + quote(status) + ",\"message\":"
                    + quote(said(message)) + ",\"trace\":" + quote(said(trace)) + ",\"seconds\":" + seconds + "}");
        }

        /** A text as it is to be written. */
        String said(String text) {
            return text;
        }

        /** Says that all had their turn. */
        void end(List<String> bent) {
            StringBuilder names = new StringBuilder();
            for (String name : bent) {
                names.append(names.length() == 0 ? "" : ",").append(quote(name));
            }
            write("{\"event\":\"end\",\"bent\":[" + names + "]}");
        }

        /** The line with its seal: whoever shares the key knows that we have written it. */
        private String sealed(String line) throws IOException {
            if (pads == null) {
                return line;
            }
            byte[] inner = new PatchwrightDigest().update(pads[0]).update(line.getBytes("US-ASCII")).bytes();
            String seal = new PatchwrightDigest().update(pads[1]).update(inner).text();
            return line.substring(0, line.length() - 1) + ", \"seal\": \"" + seal + "\"}";
        }

        synchronized void write(String line) {
            try {
                sink.write((sealed(line) + "\n").getBytes("US-ASCII"));
                sink.flush();
            } catch (IOException problem) {
                throw new IllegalStateException("cannot write the results", problem);
            }
        }
    }

    /** Nanoseconds as a JSON number of seconds, whatever the locale. */
    static String seconds(long nanos) {
        long micros = nanos / 1000;
        String fraction = String.valueOf(1000000 + micros % 1000000).substring(1);
        return micros / 1000000 + "." + fraction;
    }

    /** A text as a JSON value of printable ASCII. */
    static String quote(String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            if (character == '"' || character == '\\') {
                quoted.append('\\').append(character);
            } else if (character < ' ' || character > '~') {
                quoted.append(String.format("\\u%04x", (int) character));
            } else {
                quoted.append(character);
            }
        }
        return quoted.append('"').toString();
    }
}
