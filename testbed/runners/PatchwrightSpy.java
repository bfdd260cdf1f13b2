import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/**
 * Tells with which class path a build tool runs the tests of a project: an agent that writes the class path of the
 * process into which it is loaded to {@code classpaths/PID.txt} in the folder PATCHWRIGHT_OUT, one absolute path a
 * line. Jars that only name others, which Surefire and Ant make where a class path is long, are replaced by those.
 *
 * <p>Usage: in a jar whose manifest says {@code Premain-Class: PatchwrightSpy}, {@code -javaagent:JAR} in
 * JAVA_TOOL_OPTIONS. Needs Java 8 at least.
 */
public final class PatchwrightSpy {
    private PatchwrightSpy() {
    }

    /** Writes the class path. Nothing that goes wrong here may keep the program from being run. */
    public static void premain(String argument) {
        try {
            String out = System.getenv("PATCHWRIGHT_OUT");
            if (out != null) {
                write(new File(out, "classpaths").toPath());
            }
        } catch (IOException | RuntimeException problem) {
            System.err.println("PatchwrightSpy: " + problem);
        }
    }

    private static void write(Path folder) throws IOException {
        Set<File> entries = new LinkedHashSet<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            add(new File(entry.isEmpty() ? "." : entry).getAbsoluteFile(), entries);
        }
        List<String> lines = new ArrayList<>();
        for (File entry : entries) {
            if (!namesOnly(entry)) {
                lines.add(entry.getPath());
            }
        }
        Files.createDirectories(folder);
        String process = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
        // Whoever finds the file finds all of it.
        Path part = folder.resolve(process + ".part");
        Files.write(part, lines, StandardCharsets.UTF_8);
        Files.move(part, folder.resolve(process + ".txt"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** An entry of a class path, and those that its manifest names. */
    private static void add(File entry, Set<File> entries) {
        File path = entry.toPath().normalize().toFile();
        if (!path.exists() || !entries.add(path) || !path.isFile()) {
            return;
        }
        try (JarFile jar = new JarFile(path)) {
            Manifest manifest = jar.getManifest();
            String named = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            for (String each : named == null ? new String[0] : named.trim().split("\\s+")) {
                URI uri = path.toURI().resolve(new URI(each));
                if ("file".equals(uri.getScheme()) && uri.getPath() != null) {
                    add(new File(uri.getPath()), entries);
                }
            }
        } catch (IOException | URISyntaxException problem) {
            // A file that is no jar is no part of a class path, whatever it is called.
            return;
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
