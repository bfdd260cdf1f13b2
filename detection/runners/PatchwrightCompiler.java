import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipFile;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles candidates in this process: only the changed files where others cannot tell the difference, otherwise all.
 * Nothing is written to disk, but for the first compilation of all.
 */
final class PatchwrightCompiler {
    /** The first version of Java whose compiler runs processors of annotations only when it is asked to. */
    private static final int PROCESSORS_ASKED_FOR = 23;

    /** Why a candidate has no classes. */
    static final class DoesNotCompile extends Exception {
        private static final long serialVersionUID = 1;

        /** With what the compiler says. */
        DoesNotCompile(String log) {
            super(log);
        }
    }

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager standard;
    private final List<String> options = new ArrayList<>();
    /** Folders of sources, or source files, relative to the project. */
    private final List<String> folders = new ArrayList<>();
    private final Set<String> sources;
    /** Whether another tool has compiled the classes: of some of the sources, and of others that it made itself. */
    private final boolean foreign;
    /** Sources of which that tool makes no classes. */
    private final Set<String> unused = new TreeSet<>();
    /** Whether what does not compile here may well compile there: not even the sources before any change do. */
    private boolean doubtful;
    /** Whether processors of annotations may make of a source file what others make of another. */
    private final boolean processed;
    private final PatchwrightClasses pristine;
    /** The outlines of the sources before any change. */
    private final Map<String, String> outlines = new HashMap<>();

    /** Compiles all into the folder for classes when there is nothing in it. */
    PatchwrightCompiler(Map<String, Object> config) throws IOException, DoesNotCompile {
        if (compiler == null) {
            throw new IOException("this is a Java without a compiler: a JDK is needed");
        }
        foreign = Boolean.TRUE.equals(config.get("foreign"));
        sources = argumentFile(PatchwrightJson.text(config, "sources", ""));
        for (String folder : list(config, "folders")) {
            folders.add(new File(folder).toPath().normalize().toString());
        }
        options.addAll(list(config, "options"));
        List<File> path = new ArrayList<>();
        for (String name : new String[] {"resources", "libraries"}) {
            for (String each : list(config, name)) {
                path.add(new File(each));
            }
        }
        processed = !options.contains("-proc:none") && hasProcessors(path);
        if (!processed && !options.contains("-proc:none")) {
            options.add("-proc:none");
        }
        standard = compiler.getStandardFileManager(null, null, null);
        standard.setLocation(StandardLocation.CLASS_PATH, path);
        // Otherwise sources would be looked for among the resources.
        standard.setLocation(StandardLocation.SOURCE_PATH, Collections.<File>emptyList());
        File folder = new File(PatchwrightJson.text(config, "classes", "")).getAbsoluteFile();
        String[] there = folder.list();
        if (there == null || there.length == 0) {
            PatchwrightFiles files = new PatchwrightFiles(standard, null, Collections.<String>emptySet());
            compile(files, sources);
            PatchwrightClasses.write(folder, files.compiled());
        }
        pristine = new PatchwrightClasses(folder, sources);
        if (foreign) {
            keepWhatIsUsed();
            doubtful = !compilesAll(new File(folder, "compiles"));
        }
        for (String source : sources) {
            outlines.put(source, PatchwrightOutline.of(source));
        }
    }

    /** Compiles from now on only what the other tool does, for the version of Java that it chose. */
    private void keepWhatIsUsed() {
        for (String source : sources) {
            if (pristine.knows(source) && pristine.of(source).isEmpty()) {
                unused.add(source);
            }
        }
        sources.removeAll(unused);
        String own = System.getProperty("java.specification.version");
        int level = pristine.version();
        if (level < Integer.parseInt(own.startsWith("1.") ? own.substring(2) : own)) {
            Collections.addAll(options, "-source", String.valueOf(level), "-target", String.valueOf(level), "-Xlint:-options");
        }
    }

    /** Whether all that is used compiles; asked once for all workers, which find the answer in a file. */
    private boolean compilesAll(File answer) throws IOException {
        if (!answer.isFile()) {
            byte[] compiles = {'y'};
            try {
                compile(new PatchwrightFiles(standard, pristine, classesOf(sources)), sources);
            } catch (DoesNotCompile failure) {
                compiles[0] = 'n';
            }
            Files.write(answer.toPath(), compiles);
        }
        return Files.readAllBytes(answer.toPath())[0] == 'y';
    }

    /** The classes before any change. */
    PatchwrightClasses pristine() {
        return pristine;
    }

    private static List<String> list(Map<String, Object> config, String name) {
        List<String> texts = PatchwrightJson.texts(config, name);
        return texts == null ? Collections.<String>emptyList() : texts;
    }

    /** The paths in a file of arguments for javac, one a line, in double quotes. */
    private static Set<String> argumentFile(String file) throws IOException {
        Set<String> paths = new TreeSet<>();
        for (String line : PatchwrightRunner.lines(file)) {
            String path = line.trim();
            if (path.startsWith("\"") && path.endsWith("\"") && path.length() > 1) {
                path = path.substring(1, path.length() - 1).replaceAll("\\\\(.)", "$1");
            }
            if (!path.isEmpty()) {
                paths.add(path);
            }
        }
        return paths;
    }

    private static boolean hasProcessors(List<File> path) {
        String version = System.getProperty("java.specification.version");
        if (!version.startsWith("1.") && Integer.parseInt(version) >= PROCESSORS_ASKED_FOR) {
            return false;
        }
        String service = "META-INF/services/javax.annotation.processing.Processor";
        for (File file : path) {
            if (file.isDirectory()) {
                if (new File(file, service).exists()) {
                    return true;
                }
                continue;
            }
            try (ZipFile jar = new ZipFile(file)) {
                if (jar.getEntry(service) != null) {
                    return true;
                }
            } catch (IOException problem) {
                // What is no jar is not looked into by javac either.
                continue;
            }
        }
        return false;
    }

    /**
     * Compiles what a candidate changes. With {@code allErrors} the compiler says when it fails what is wrong with the
     * whole project, otherwise with the changed files.
     */
    PatchwrightCandidate candidate(Collection<String> changed, boolean allErrors) throws IOException, DoesNotCompile {
        try {
            return compiled(changed, allErrors);
        } catch (DoesNotCompile failure) {
            if (doubtful) {
                throw new IOException("only the project's own build knows whether it compiles", failure);
            }
            throw failure;
        }
    }

    private PatchwrightCandidate compiled(Collection<String> changed, boolean allErrors) throws IOException, DoesNotCompile {
        Set<String> now = new TreeSet<>(sources);
        Set<String> recompiled = new TreeSet<>();
        boolean whole = processed;
        for (String path : changed) {
            boolean exists = new File(path).isFile();
            if (foreign && (unused.contains(path) || !path.endsWith(".java"))) {
                throw new IOException("only the project's own build knows what becomes of " + path);
            }
            if (sources.contains(path)) {
                recompiled.add(path);
                whole |= !exists || !pristine.knows(path);
            } else if (exists && isSource(path)) {
                recompiled.add(path);
                now.add(path);
                whole = true;
            }
            if (!exists) {
                now.remove(path);
            }
        }
        if (recompiled.isEmpty()) {
            return new PatchwrightCandidate(pristine);
        }
        PatchwrightCandidate part = whole ? null : part(recompiled, allErrors);
        if (part != null) {
            return part;
        }
        Set<String> replaced = foreign ? classesOf(sources) : pristine.names();
        PatchwrightFiles files = new PatchwrightFiles(standard, foreign ? pristine : null, replaced);
        compile(files, now);
        return new PatchwrightCandidate(pristine, files.compiled(), replaced);
    }

    /** Compiles changed files, and those that may see a difference; null when all have to be compiled. */
    private PatchwrightCandidate part(Set<String> changed, boolean allErrors) throws IOException, DoesNotCompile {
        Set<String> replaced = classesOf(changed);
        PatchwrightFiles files = new PatchwrightFiles(standard, pristine, replaced);
        try {
            compile(files, changed);
        } catch (DoesNotCompile failure) {
            if (!allErrors || hasSameOutline(changed)) {
                throw failure;
            }
            return null;
        }
        Map<String, byte[]> compiled = files.compiled();
        switch (pristine.difference(replaced, compiled)) {
            case NONE:
                return new PatchwrightCandidate(pristine, compiled, replaced);
            case METHODS:
                return withUsers(changed, replaced, allErrors);
            default:
                return null;
        }
    }

    /** Compiles changed files together with those that may see a difference in their methods. */
    private PatchwrightCandidate withUsers(Set<String> changed, Set<String> classes, boolean allErrors)
            throws IOException, DoesNotCompile {
        Set<String> users = pristine.affected(classes);
        if (users == null) {
            return null;
        }
        Set<String> together = new TreeSet<>(users);
        together.addAll(changed);
        for (String user : together) {
            if (!pristine.knows(user)) {
                return null;
            }
        }
        Set<String> replaced = classesOf(together);
        PatchwrightFiles files = new PatchwrightFiles(standard, pristine, replaced);
        try {
            compile(files, together);
        } catch (DoesNotCompile failure) {
            if (!allErrors) {
                throw failure;
            }
            // The order of the errors depends on the files that have none.
            return null;
        }
        Map<String, byte[]> ofUsers = new HashMap<>(files.compiled());
        users.removeAll(changed);
        Set<String> before = classesOf(users);
        // What only the users have is all that can differ for files that were not compiled again.
        ofUsers.keySet().retainAll(before);
        boolean same = pristine.difference(before, ofUsers) == PatchwrightClasses.Difference.NONE;
        return same ? new PatchwrightCandidate(pristine, files.compiled(), replaced) : null;
    }

    private Set<String> classesOf(Set<String> sources) {
        Set<String> classes = new HashSet<>();
        for (String source : sources) {
            classes.addAll(pristine.of(source));
        }
        return classes;
    }

    /** Whether there is one file, so that errors have one order, and other files cannot see what is new in it. */
    private boolean hasSameOutline(Set<String> paths) throws IOException {
        String path = paths.iterator().next();
        return paths.size() == 1 && outlines.get(path).equals(PatchwrightOutline.of(path));
    }

    /** Whether a file that was not there before is one to compile. Descriptions of modules are left out. */
    private boolean isSource(String path) {
        if (!path.endsWith(".java") || path.equals("module-info.java") || path.endsWith("/module-info.java")) {
            return false;
        }
        for (String folder : folders) {
            if (folder.isEmpty() || path.equals(folder) || path.startsWith(folder + "/")) {
                return true;
            }
        }
        return false;
    }

    private void compile(PatchwrightFiles files, Collection<String> paths) throws IOException, DoesNotCompile {
        if (paths.isEmpty()) {
            return;
        }
        StringWriter said = new StringWriter();
        Iterable<? extends JavaFileObject> units = standard.getJavaFileObjectsFromStrings(paths);
        if (!compiler.getTask(said, files, null, options, null, units).call()) {
            throw new DoesNotCompile(said.toString());
        }
        files.check();
    }
}
