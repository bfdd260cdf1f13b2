import java.io.File;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.ProtectionDomain;
import java.util.Enumeration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/**
 * Tells how a process runs the tests of a project, and ends it before it does: an agent that waits for the first class
 * of the project to be loaded where JUnit can be loaded too. It writes to a file of its own in the folder
 * PATCHWRIGHT_SEEN pairs of a word and a text, each ended by a NUL: {@code dir}, {@code home} (of Java), {@code command},
 * {@code junit} (4, which stands for 3 too, or 5 where there is no other), {@code assertions}, {@code path} (a part of the
 * class path; jars that only name others, as Surefire and Ant make them, are replaced by those), {@code option} (of the
 * process) and {@code property} (of the system).
 *
 * <p>Usage: in a jar whose manifest says {@code Premain-Class: PatchwrightSpy}, {@code -javaagent:JAR=PROJECT} in
 * JAVA_TOOL_OPTIONS, where PROJECT is the folder of the project. Needs Java 8 at least.
 */
public final class PatchwrightSpy implements ClassFileTransformer {
    /** The status of a process that was ended. */
    private static final int ENDED = 70;

    private final File seen;
    private final Path project;
    private final StringBuilder text = new StringBuilder();

    private PatchwrightSpy(File seen, Path project) {
        this.seen = seen;
        this.project = project;
    }

    /** Nothing that goes wrong here may keep the program from being run. */
    public static void premain(String project, Instrumentation process) {
        try {
            String seen = System.getenv("PATCHWRIGHT_SEEN");
            if (seen != null) {
                process.addTransformer(new PatchwrightSpy(new File(seen), new File(project).toPath().toRealPath()));
            }
        } catch (IOException | RuntimeException problem) {
            System.err.println("PatchwrightSpy: " + problem);
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> before, ProtectionDomain domain, byte[] code) {
        try {
            if (loader != null && isOfProject(domain) && tests(loader) != null) {
                tell(loader);
            }
        } catch (IOException | RuntimeException problem) {
            System.err.println("PatchwrightSpy: " + problem);
        }
        return null;
    }

    /** Whether a class lies in a folder of the project. Jars may hold anything. */
    private boolean isOfProject(ProtectionDomain domain) throws IOException {
        URL place = domain == null || domain.getCodeSource() == null ? null : domain.getCodeSource().getLocation();
        File file = place == null ? null : fileOf(place);
        return file != null && file.isDirectory() && file.toPath().toRealPath().startsWith(project);
    }

    /** The version of JUnit that a loader finds. */
    private static String tests(ClassLoader loader) {
        for (String name : new String[] {"org/junit/Test", "junit/framework/TestCase"}) {
            if (loader.getResource(name + ".class") != null) {
                return "4";
            }
        }
        return loader.getResource("org/junit/jupiter/api/Test.class") == null ? null : "5";
    }

    private synchronized void tell(ClassLoader loader) throws IOException {
        add("dir", new File("").getCanonicalPath());
        add("home", System.getProperty("java.home"));
        add("command", System.getProperty("sun.java.command", ""));
        add("junit", tests(loader));
        add("assertions", String.valueOf(PatchwrightSpy.class.desiredAssertionStatus()));
        Set<File> entries = new LinkedHashSet<>();
        for (ClassLoader each = loader; each != null; each = each.getParent()) {
            addEntriesOf(each, entries);
            if (each == ClassLoader.getSystemClassLoader()) {
                break;
            }
        }
        for (File entry : entries) {
            if (!namesOnly(entry)) {
                add("path", entry.getPath());
            }
        }
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            add("option", option);
        }
        for (String name : System.getProperties().stringPropertyNames()) {
            add("property", name + "=" + System.getProperty(name));
        }
        Files.createDirectories(seen.toPath());
        // Whoever finds the file finds all of it.
        Path part = seen.toPath().resolve(ManagementFactory.getRuntimeMXBean().getName() + ".part");
        Files.write(part, text.toString().getBytes(StandardCharsets.UTF_8));
        Files.move(part, Files.createTempFile(seen.toPath(), "", ".seen"), StandardCopyOption.REPLACE_EXISTING);
        Runtime.getRuntime().halt(ENDED);
    }

    private void add(String word, String value) {
        text.append(word).append('\0').append(value).append('\0');
    }

    /** The part of the class path that a loader stands for. */
    private static void addEntriesOf(ClassLoader loader, Set<File> entries) {
        if (loader instanceof URLClassLoader) {
            for (URL url : ((URLClassLoader) loader).getURLs()) {
                File file = fileOf(url);
                if (file != null) {
                    addEntry(file, entries);
                }
            }
            return;
        }
        String path = null;
        if (loader == ClassLoader.getSystemClassLoader()) {
            path = System.getProperty("java.class.path");
        } else {
            try {
                // As the loader of Ant has it.
                path = String.valueOf(loader.getClass().getMethod("getClasspath").invoke(loader));
            } catch (ReflectiveOperationException unknown) {
                return;
            }
        }
        for (String entry : path.split(File.pathSeparator, -1)) {
            addEntry(new File(entry.isEmpty() ? "." : entry), entries);
        }
    }

    /** An entry of a class path, and those that its manifest names. */
    private static void addEntry(File entry, Set<File> entries) {
        File path = entry.getAbsoluteFile().toPath().normalize().toFile();
        if (!path.exists() || !entries.add(path) || !path.isFile()) {
            return;
        }
        try (JarFile jar = new JarFile(path)) {
            Manifest manifest = jar.getManifest();
            String named = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            for (String each : named == null ? new String[0] : named.trim().split("\\s+")) {
                File file = fileOf(path.toURI().resolve(new URI(each)).toURL());
                if (file != null) {
                    addEntry(file, entries);
                }
            }
        } catch (IOException | URISyntaxException | IllegalArgumentException problem) {
            // A file that is no jar is no part of a class path, whatever it is called.
            return;
        }
    }

    private static File fileOf(URL url) {
        try {
            return "file".equals(url.getProtocol()) ? new File(url.toURI()) : null;
        } catch (URISyntaxException | IllegalArgumentException noFile) {
            return null;
        }
    }

    /** Whether a jar holds nothing but what describes it. */
    private static boolean namesOnly(File entry) {
        if (!entry.isFile()) {
            return false;
        }
        try (JarFile jar = new JarFile(entry)) {
            for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements();) {
                if (!all.nextElement().getName().startsWith("META-INF/")) {
                    return false;
                }
            }
            return true;
        } catch (IOException problem) {
            return false;
        }
    }
}
