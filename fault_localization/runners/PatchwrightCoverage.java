import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jacoco.core.JaCoCo;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICoverageVisitor;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.IExecutionDataAccessorGenerator;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Runs tests with JaCoCo's probes in the project's classes and writes which lines each test executes to the file named
 * by PATCHWRIGHT_COVERAGE, one JSON object a line, at once: {@code {"tool":NAME}}, then
 * {@code {"test":ID,"lines":{PATH:"3-5,9"}}}. Of a test that takes long, what it has executed so far.
 *
 * <p>Usage: PatchwrightCoverage RUNNER ARGUMENT...: the arguments are the runner's. Classes are instrumented when they
 * are loaded, in this process: so a class file that is newer than JaCoCo knows can be shown to it as an older one.
 */
public final class PatchwrightCoverage {
    /** Java 15, the newest that JaCoCo 0.8.6 reads. */
    private static final int KNOWN_MAJOR = 59;
    /** Milliseconds after which a test that is still running tells what it executed. */
    private static final long SLOW = 500;

    private static final Map<Long, Instrumented> CLASSES = new HashMap<Long, Instrumented>();
    private static OutputStream sink;
    private static Map<String, List<String>> sources;

    private static String test;
    private static String type = "";
    private static long began;
    private static int told;
    private static Map<String, BitSet> shared = new TreeMap<String, BitSet>();
    private static Map<String, BitSet> lines = new TreeMap<String, BitSet>();

    private PatchwrightCoverage() {
    }

    public static void main(String[] arguments) throws Exception {
        String out = System.getenv("PATCHWRIGHT_OUT");
        sink = new FileOutputStream(System.getenv("PATCHWRIGHT_COVERAGE"), true);
        sources = sources(new File(out, "sources.txt"));
        write("{\"tool\":" + PatchwrightRunner.quote("JaCoCo " + JaCoCo.VERSION.replaceAll("^(\\d+\\.\\d+\\.\\d+).*", "$1")) + "}");
        Loader loader = new Loader(new File(out, "classes"), arguments[0]);
        Thread.currentThread().setContextClassLoader(loader);
        Class<?> runner = Class.forName(arguments[0], true, loader);
        watch(runner, loader);
        lookAfterSlowTests();
        List<String> rest = new ArrayList<String>();
        for (int index = 1; index < arguments.length; index++) {
            rest.add(arguments[index]);
        }
        runner.getMethod("main", String[].class).invoke(null, (Object) rest.toArray(new String[0]));
    }

    /** Called by the probes' own code in each class, once. */
    public static boolean[] probes(long id, String name, int count) {
        synchronized (CLASSES) {
            Instrumented found = CLASSES.get(id);
            if (found.probes == null) {
                found.probes = new boolean[count];
                found.linesOf = new BitSet[count];
            }
            return found.probes;
        }
    }

    /** Puts us between the runner and its tests. */
    private static void watch(Class<?> runner, ClassLoader loader) throws Exception {
        Field field = runner.getDeclaredField("watcher");
        field.setAccessible(true);
        InvocationHandler handler = new InvocationHandler() {
            @Override
            public Object invoke(Object proxy, Method method, Object[] arguments) throws IOException {
                if (method.getName().equals("begins")) {
                    begin((String) arguments[0]);
                } else {
                    end();
                }
                return null;
            }
        };
        field.set(null, Proxy.newProxyInstance(loader, new Class<?>[] {field.getType()}, handler));
    }

    /** What ran before the first test of a class is its set-up and counts for all its tests; before another, for that. */
    private static synchronized void begin(String id) {
        Map<String, BitSet> between = new TreeMap<String, BitSet>();
        collect(between);
        String name = id.split("::", 2)[0];
        if (!name.equals(type)) {
            type = name;
            shared = copy(between);
        }
        lines = copy(shared);
        merge(lines, between);
        told = 0;
        began = System.currentTimeMillis();
        test = id;
    }

    private static synchronized void end() throws IOException {
        if (test != null) {
            collect(lines);
            tell();
            test = null;
        }
    }

    private static void tell() throws IOException {
        StringBuilder text = new StringBuilder("{\"test\":" + PatchwrightRunner.quote(test) + ",\"lines\":{");
        String separator = "";
        for (Map.Entry<String, BitSet> entry : lines.entrySet()) {
            text.append(separator).append(PatchwrightRunner.quote(entry.getKey())).append(':').append(PatchwrightRunner.quote(ranges(entry.getValue())));
            separator = ",";
        }
        write(text.append("}}").toString());
    }

    private static void lookAfterSlowTests() {
        Thread thread = new Thread("patchwright-coverage") {
            @Override
            public void run() {
                while (true) {
                    try {
                        Thread.sleep(SLOW);
                        tellSoFar();
                    } catch (Exception problem) {
                        return;
                    }
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
    }

    private static synchronized void tellSoFar() throws IOException {
        if (test == null || System.currentTimeMillis() - began < SLOW) {
            return;
        }
        collect(lines);
        int count = 0;
        for (BitSet each : lines.values()) {
            count += each.cardinality();
        }
        if (count > told) {
            told = count;
            tell();
        }
    }

    /** Adds the lines of all probes that were passed, and forgets that they were. */
    private static void collect(Map<String, BitSet> into) {
        List<Instrumented> all;
        synchronized (CLASSES) {
            all = new ArrayList<Instrumented>(CLASSES.values());
        }
        for (Instrumented each : all) {
            if (each.probes == null || each.path == null) {
                continue;
            }
            for (int probe = 0; probe < each.probes.length; probe++) {
                if (each.probes[probe]) {
                    each.probes[probe] = false;
                    BitSet known = into.get(each.path);
                    if (known == null) {
                        known = new BitSet();
                        into.put(each.path, known);
                    }
                    known.or(each.lines(probe));
                }
            }
        }
    }

    private static void merge(Map<String, BitSet> into, Map<String, BitSet> more) {
        for (Map.Entry<String, BitSet> entry : more.entrySet()) {
            BitSet known = into.get(entry.getKey());
            if (known == null) {
                into.put(entry.getKey(), (BitSet) entry.getValue().clone());
            } else {
                known.or(entry.getValue());
            }
        }
    }

    private static Map<String, BitSet> copy(Map<String, BitSet> lines) {
        Map<String, BitSet> copy = new TreeMap<String, BitSet>();
        merge(copy, lines);
        return copy;
    }

    private static String ranges(BitSet lines) {
        StringBuilder text = new StringBuilder();
        for (int first = lines.nextSetBit(0); first >= 0;) {
            int end = lines.nextClearBit(first);
            text.append(text.length() == 0 ? "" : ",").append(first);
            if (end > first + 1) {
                text.append('-').append(end - 1);
            }
            first = lines.nextSetBit(end);
        }
        return text.toString();
    }

    /** The sources by file name; the list has one a line, in double quotes. */
    private static Map<String, List<String>> sources(File list) throws IOException {
        Map<String, List<String>> sources = new HashMap<String, List<String>>();
        BufferedReader reader = new BufferedReader(new InputStreamReader(new FileInputStream(list), "UTF-8"));
        try {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String path = line.substring(1, line.length() - 1).replace("\\\"", "\"").replace("\\\\", "\\");
                String name = path.substring(path.lastIndexOf('/') + 1);
                if (!sources.containsKey(name)) {
                    sources.put(name, new ArrayList<String>());
                }
                sources.get(name).add(path);
            }
        } finally {
            reader.close();
        }
        return sources;
    }

    /** The source of a class by its package and the name of its file. */
    private static String sourceOf(IClassCoverage found) {
        String file = found.getSourceFileName();
        List<String> candidates = sources.get(file);
        String wanted = found.getPackageName().isEmpty() ? file : found.getPackageName() + "/" + file;
        for (String path : candidates == null ? Collections.<String>emptyList() : candidates) {
            if (path.equals(wanted) || path.endsWith("/" + wanted)) {
                return path;
            }
        }
        return null;
    }

    private static synchronized void write(String line) throws IOException {
        sink.write((line + "\n").getBytes("US-ASCII"));
        sink.flush();
    }

    /** A class with probes in it. */
    private static final class Instrumented {
        private final long id;
        private final String name;
        private final byte[] code;
        private final String path;
        private boolean[] probes;
        /** The lines that a probe tells of, worked out when it is first passed. */
        private BitSet[] linesOf;

        Instrumented(long id, String name, byte[] code) {
            this.id = id;
            this.name = name;
            this.code = code;
            final String[] source = new String[1];
            analyze(new boolean[0], new ICoverageVisitor() {
                @Override
                public void visitCoverage(IClassCoverage found) {
                    source[0] = sourceOf(found);
                }
            });
            this.path = source[0];
        }

        BitSet lines(int probe) {
            if (linesOf[probe] == null) {
                final BitSet lines = new BitSet();
                boolean[] one = new boolean[linesOf.length];
                one[probe] = true;
                analyze(one, new ICoverageVisitor() {
                    @Override
                    public void visitCoverage(IClassCoverage found) {
                        for (int line = Math.max(found.getFirstLine(), 0); line <= found.getLastLine(); line++) {
                            lines.set(line, found.getLine(line).getInstructionCounter().getCoveredCount() > 0);
                        }
                    }
                });
                linesOf[probe] = lines;
            }
            return linesOf[probe];
        }

        private void analyze(boolean[] passed, ICoverageVisitor visitor) {
            ExecutionDataStore store = new ExecutionDataStore();
            if (passed.length > 0) {
                store.put(new ExecutionData(id, name, passed));
            }
            try {
                new Analyzer(store, visitor).analyzeClass(code, name);
            } catch (IOException problem) {
                throw new IllegalStateException(problem);
            }
        }
    }

    /** Loads the project's classes with probes in them, and the runner, which asks its own loader for tests. */
    private static final class Loader extends ClassLoader {
        private final File classes;
        private final String runner;

        Loader(File classes, String runner) {
            super(PatchwrightCoverage.class.getClassLoader());
            this.classes = classes;
            this.runner = runner;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> found = findLoadedClass(name);
                if (found == null) {
                    byte[] code = code(name);
                    if (code == null) {
                        return super.loadClass(name, resolve);
                    }
                    int dot = name.lastIndexOf('.');
                    if (dot > 0 && getPackage(name.substring(0, dot)) == null) {
                        definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
                    }
                    found = defineClass(name, code, 0, code.length, PatchwrightCoverage.class.getProtectionDomain());
                }
                if (resolve) {
                    resolveClass(found);
                }
                return found;
            }
        }

        /** The code to load; null for a class that is neither the project's nor the runner's. */
        private byte[] code(String name) throws ClassNotFoundException {
            try {
                // What the runner is made of must be of one loader.
                if (name.startsWith(runner) || name.matches("Patchwright(Digest|Limit|Shadows)(\\$.*)?")) {
                    return bytes(getParent().getResourceAsStream(name + ".class"));
                }
                File file = new File(classes, name.replace('.', '/') + ".class");
                return file.isFile() ? withProbes(bytes(new FileInputStream(file)), name) : null;
            } catch (IOException problem) {
                throw new ClassNotFoundException(name, problem);
            }
        }

        private static byte[] withProbes(byte[] code, String name) {
            try {
                return instrumented(code, name);
            } catch (Exception tooNew) {
                try {
                    byte[] older = code.clone();
                    setMajor(older, KNOWN_MAJOR);
                    byte[] result = instrumented(older, name);
                    result[6] = code[6];
                    result[7] = code[7];
                    return result;
                } catch (Exception problem) {
                    System.err.println("no coverage of " + name + ": " + problem);
                    return code;
                }
            }
        }

        private static void setMajor(byte[] code, int major) {
            code[6] = (byte) (major >> 8);
            code[7] = (byte) major;
        }

        private static byte[] instrumented(byte[] code, String name) throws IOException {
            Access access = new Access();
            byte[] result = new Instrumenter(access).instrument(code, name);
            if (access.used) {
                Instrumented known = new Instrumented(access.id, access.name, code);
                synchronized (CLASSES) {
                    CLASSES.put(access.id, known);
                }
            }
            return result;
        }

        private static byte[] bytes(InputStream in) throws IOException {
            try {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                byte[] buffer = new byte[8192];
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    bytes.write(buffer, 0, count);
                }
                return bytes.toByteArray();
            } finally {
                in.close();
            }
        }
    }

    /** The code by which a class gets at its probes: a call of ours. */
    private static final class Access implements IExecutionDataAccessorGenerator {
        private boolean used;
        private long id;
        private String name;

        @Override
        public int generateDataAccessor(long classId, String className, int count, MethodVisitor visitor) {
            used = true;
            id = classId;
            name = className;
            visitor.visitLdcInsn(classId);
            visitor.visitLdcInsn(className);
            visitor.visitLdcInsn(count);
            String signature = "(JLjava/lang/String;I)[Z";
            visitor.visitMethodInsn(Opcodes.INVOKESTATIC, "PatchwrightCoverage", "probes", signature, false);
            return 4;
        }
    }
}
