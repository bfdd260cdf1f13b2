import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Judges one candidate after the other in one process: compiles what a candidate changes, and runs tests with classes
 * loaded for it alone, as {@link PatchwrightRunner} does.
 *
 * <p>Usage: PatchwrightWorker CONFIG, in the root of the project; the class path holds this, and the libraries of the
 * project, but nothing of the project. CONFIG is a JSON object: {@code sources} (a file of arguments for javac, as it
 * was before any change), {@code test_classes} (a file that lists the classes which may hold tests), {@code folders} (of
 * sources and tests, or files), {@code classes} (the folder for compiled classes), {@code libraries}, {@code resources}
 * (folders), {@code options} (of javac), {@code foreign} (whether another tool has filled {@code classes}), {@code requests} and
 * {@code replies} (named pipes).
 *
 * <p>A request is a line with a JSON object: {@code id}, {@code changed} (files that are not as they were before any
 * change), {@code compile} (false when they are as in the request before), {@code tests} (null for all; otherwise their
 * classes are run in the order given), {@code skip}, {@code stop_at_failure}, {@code seconds}, {@code test_seconds} (by
 * test), {@code default_test_seconds}, {@code all_errors} (false when the errors of the changed files are enough),
 * {@code results} (the file for events) and {@code key} (for their seals). A reply is a line with {@code id}, {@code status} ({@code ready} once,
 * {@code done}, {@code does_not_compile}, {@code timed_out}, {@code cannot}), {@code log} (what was printed),
 * {@code classes}, {@code seconds}, {@code compile_seconds} and {@code ending}: true when the worker ends itself after it, with the
 * status 75.
 *
 * <p>Needs a JDK of Java 8 at least. Fast with {@code -XX:+UseSerialGC -XX:TieredStopAtLevel=1}.
 */
public final class PatchwrightWorker {
    /** The status with which the worker ends when it has to be started anew. */
    private static final int START_ANEW = 75;
    private static final Pattern LOADER = Pattern.compile("loader PatchwrightLoader @[0-9a-f]+");
    private static final Pattern TWO_CLASSES =
            Pattern.compile("\\((\\S+) is in (unnamed module of loader 'app'); (\\S+) is in \\2\\)");

    private final Map<String, Object> config;
    private final OutputStream replies;
    private final PatchwrightState state = new PatchwrightState();
    private final PatchwrightWatch watch;
    private final PatchwrightShadows shadows = new PatchwrightShadows();
    private PatchwrightCompiler compiler;
    private PatchwrightCandidate candidate;
    private PatchwrightSurroundings surroundings;
    /** The request that waits for its reply; null for none. */
    private Long open;
    private long start;
    private double compileSeconds;

    public static void main(String[] arguments) throws IOException {
        String text = new String(Files.readAllBytes(Paths.get(arguments[0])), StandardCharsets.UTF_8);
        final Map<String, Object> config = PatchwrightJson.object(text);
        // The group called main is for the tests alone.
        final PrintStream terminal = System.err;
        final ThreadGroup system = Thread.currentThread().getThreadGroup().getParent();
        Thread thread = new Thread(system, "patchwright-worker") {
            @Override
            public void run() {
                int status = 1;
                try {
                    new PatchwrightWorker(config, system).serve();
                    status = 0;
                } catch (Throwable problem) {
                    problem.printStackTrace(terminal);
                } finally {
                    Runtime.getRuntime().halt(status);
                }
            }
        };
        thread.start();
    }

    private PatchwrightWorker(Map<String, Object> config, ThreadGroup system) throws IOException {
        this.config = config;
        replies = new FileOutputStream(PatchwrightJson.text(config, "replies", ""));
        watch = new PatchwrightWatch(system, new PatchwrightWatch.Alarm() {
            @Override
            public void ring(String what, double seconds) {
                endWith("timed_out", "[" + what + " took longer than " + seconds + " s]");
            }
        });
        watch.start();
    }

    /** Answers requests until there are no more. */
    private void serve() throws IOException {
        begin(0);
        state.restore();
        try {
            compiler = new PatchwrightCompiler(config);
            candidate = new PatchwrightCandidate(compiler.pristine());
            surroundings = new PatchwrightSurroundings();
            String foreign = foreign();
            if (foreign != null) {
                reply("cannot", foreign, null, false);
                return;
            }
            reply("ready", "", null, false);
        } catch (PatchwrightCompiler.DoesNotCompile failure) {
            reply("does_not_compile", failure.getMessage(), null, false);
            return;
        } catch (IOException problem) {
            reply("cannot", trace(problem), null, false);
            return;
        }
        FileInputStream requests = new FileInputStream(PatchwrightJson.text(config, "requests", ""));
        BufferedReader lines = new BufferedReader(new InputStreamReader(requests, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.isEmpty()) {
                answer(PatchwrightJson.object(line));
            }
        }
    }

    /** Why the project cannot be told from the tools that test it; null when it can. */
    private String foreign() {
        for (String name : new String[] {"org/junit/Test", "junit/framework/TestCase", "org/hamcrest/Matcher"}) {
            if (compiler.pristine().bytes(name) != null) {
                return "the project is the tool that tests it: it holds " + name;
            }
        }
        return null;
    }

    private void begin(long id) {
        synchronized (replies) {
            open = id;
        }
        start = System.nanoTime();
        compileSeconds = 0;
        // An interrupt came from the candidate before.
        Thread.interrupted();
    }

    private void answer(Map<String, Object> request) {
        begin((long) PatchwrightJson.number(request, "id", -1));
        Map<String, Object> limits = limits(request);
        watch.begin(request, limits);
        try {
            if (!Boolean.FALSE.equals(request.get("compile"))) {
                candidate = null;
                List<String> changed = PatchwrightJson.texts(request, "changed");
                boolean allErrors = !Boolean.FALSE.equals(request.get("all_errors"));
                candidate = compiler.candidate(changed == null ? Collections.<String>emptyList() : changed, allErrors);
                compileSeconds = (System.nanoTime() - start) / 1e9;
            }
            if (candidate == null) {
                reply("cannot", "the candidate of the request before did not compile", null, false);
                return;
            }
            test(request);
        } catch (PatchwrightCompiler.DoesNotCompile failure) {
            reply("does_not_compile", failure.getMessage(), null, false);
        } catch (Throwable problem) {
            endWith("cannot", trace(problem));
        } finally {
            watch.end();
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> limits(Map<String, Object> request) {
        Object limits = request.get("test_seconds");
        return limits instanceof Map ? (Map<String, Object>) limits : Collections.<String, Object>emptyMap();
    }

    /** Runs the tests as a process of its own would: in a thread and a group of threads called main. */
    private void test(final Map<String, Object> request) throws IOException, InterruptedException {
        ThreadGroup group = new ThreadGroup(Thread.currentThread().getThreadGroup(), "main");
        final Throwable[] problem = new Throwable[1];
        final OutputStream sink = new FileOutputStream(PatchwrightJson.text(request, "results", ""), true);
        final String key = PatchwrightJson.text(request, "key", "");
        final ClassLoader loader = new PatchwrightLoader(PatchwrightWorker.class.getClassLoader(), candidate,
                compiler.pristine().folder, texts(config, "resources"));
        Thread thread = new Thread(group, "main") {
            @Override
            public void run() {
                try {
                    PatchwrightRunner runner = new PatchwrightRunner(new Recorder(sink, key), loader, shadows);
                    runner.unfiled = candidate.names();
                    runner.stopsAtFailure = Boolean.TRUE.equals(request.get("stop_at_failure"));
                    runner.run(plan(request), new HashSet<>(texts(request, "skip")));
                } catch (Throwable thrown) {
                    problem[0] = thrown;
                }
            }
        };
        thread.setContextClassLoader(loader);
        thread.start();
        thread.join();
        watch.end();
        sink.close();
        if (problem[0] != null) {
            endWith("cannot", trace(problem[0]));
        }
        // A process of its own would have ended here: what threads say when they are ended is not the tests' to say.
        String log = said();
        boolean ended = state.endThreads(group);
        // What a candidate did to the streams is not to meet what it does to the next.
        boolean restored = state.restore() & surroundings.restore();
        reply("done", log, candidate.fingerprint(), !ended || !restored);
    }

    private Map<String, Set<String>> plan(Map<String, Object> request) throws IOException {
        List<String> tests = PatchwrightJson.texts(request, "tests");
        if (tests != null && tests.isEmpty()) {
            return new LinkedHashMap<>();
        }
        List<String> listed = PatchwrightRunner.lines(PatchwrightJson.text(config, "test_classes", ""));
        return PatchwrightRunner.plan(listed, tests == null ? new HashSet<String>() : new LinkedHashSet<>(tests));
    }

    private static List<String> texts(Map<String, Object> object, String name) {
        List<String> texts = PatchwrightJson.texts(object, name);
        return texts == null ? Collections.<String>emptyList() : texts;
    }

    /** What the tests printed, in the order in which the streams of a process are shown. */
    private String said() {
        String out = state.out.text();
        String err = state.err.text();
        return out.isEmpty() || err.isEmpty() || out.endsWith("\n") ? out + err : out + "\n" + err;
    }

    /** Answers that a candidate cannot be judged to its end, and ends the process. */
    private void endWith(String status, String why) {
        try {
            String log = said();
            reply(status, log.isEmpty() || log.endsWith("\n") ? log + why : log + "\n" + why, null, true);
        } finally {
            Runtime.getRuntime().halt(START_ANEW);
        }
    }

    private void reply(String status, String log, String classes, boolean ending) {
        synchronized (replies) {
            if (open == null) {
                return;
            }
            String line = "{\"id\":" + open + ",\"status\":\"" + status + "\",\"log\":" + PatchwrightRunner.quote(log)
                    + ",\"classes\":" + PatchwrightRunner.quote(classes)
                    + ",\"seconds\":" + PatchwrightRunner.seconds(System.nanoTime() - start)
                    + ",\"compile_seconds\":" + PatchwrightRunner.seconds((long) (compileSeconds * 1e9))
                    + ",\"ending\":" + ending + "}\n";
            open = null;
            try {
                replies.write(line.getBytes(StandardCharsets.US_ASCII));
                replies.flush();
            } catch (IOException gone) {
                Runtime.getRuntime().halt(1);
            }
        }
        if (ending) {
            Runtime.getRuntime().halt(START_ANEW);
        }
    }

    private static String trace(Throwable problem) {
        StringWriter trace = new StringWriter();
        problem.printStackTrace(new PrintWriter(trace, true));
        return trace.toString();
    }

    /** Writes the events, and tells the watch of them. */
    private final class Recorder extends PatchwrightRunner.Recorder {
        Recorder(OutputStream sink, String key) {
            super(sink, key);
        }

        @Override
        synchronized void started(String id) {
            super.started(id);
            watch.started(id);
        }

        @Override
        synchronized void ended(String id) {
            super.ended(id);
            watch.ended();
        }

        @Override
        void finish(String id, String status, Throwable problem) {
            Set<Throwable> causes = new HashSet<>();
            for (Throwable cause = problem; cause != null && causes.add(cause); cause = cause.getCause()) {
                if (cause instanceof OutOfMemoryError) {
                    // Who knows what else did not get the memory that it needed.
                    endWith("cannot", "[the tests needed more memory than the worker has]");
                }
            }
            super.finish(id, status, problem);
        }

        /** Names the class loader of the project as a process of its own would name it. */
        @Override
        String said(String text) {
            if (text == null || !text.contains("PatchwrightLoader @")) {
                return text;
            }
            String named = LOADER.matcher(text).replaceAll(Matcher.quoteReplacement("loader 'app'"));
            return TWO_CLASSES.matcher(named).replaceAll("($1 and $3 are in $2)");
        }
    }
}
