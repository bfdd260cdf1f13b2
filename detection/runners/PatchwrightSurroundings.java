import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;

/**
 * What lies around the process and is to be the same for each candidate: the folders named by PATCHWRIGHT_EMPTIED, and
 * that no other process of the same command runs, which all carry its PATCHWRIGHT_OUT in their environment.
 */
final class PatchwrightSurroundings {
    private final Set<Path> roots = new HashSet<>();
    private final Set<Path> known = new HashSet<>();
    private final Set<String> processes;
    private final String mark = "PATCHWRIGHT_OUT=" + System.getenv("PATCHWRIGHT_OUT") + "\0";

    /** As it is now is how it is to be. */
    PatchwrightSurroundings() throws IOException {
        String named = System.getenv("PATCHWRIGHT_EMPTIED");
        for (String folder : (named == null ? "" : named).split(":")) {
            if (!folder.isEmpty() && Files.isDirectory(Paths.get(folder))) {
                roots.add(Paths.get(folder));
            }
        }
        for (Path root : roots) {
            visit(root, false);
        }
        processes = processes();
    }

    /** Removes what is new; says whether nothing else is left of a request. */
    boolean restore() {
        try {
            for (Path root : roots) {
                visit(root, true);
            }
        } catch (IOException refused) {
            return false;
        }
        return processes.containsAll(processes());
    }

    private void visit(final Path root, final boolean remove) throws IOException {
        final Object device = device(root);
        Files.walkFileTree(root, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes found) throws IOException {
                if (!folder.equals(root) && !remove) {
                    known.add(folder);
                }
                // What is mounted there is not ours.
                return device(folder).equals(device) ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes found) throws IOException {
                if (!remove) {
                    known.add(file);
                } else if (!known.contains(file)) {
                    Files.delete(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException problem) throws IOException {
                if (remove && !folder.equals(root) && !known.contains(folder)) {
                    Files.delete(folder);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static Object device(Path path) throws IOException {
        return Files.getAttribute(path, "unix:dev", LinkOption.NOFOLLOW_LINKS);
    }

    private Set<String> processes() {
        Set<String> found = new HashSet<>();
        String[] names = new File("/proc").list();
        for (String name : names == null ? new String[0] : names) {
            if (!Character.isDigit(name.charAt(0))) {
                continue;
            }
            try {
                byte[] environment = Files.readAllBytes(Paths.get("/proc", name, "environ"));
                if (new String(environment, StandardCharsets.ISO_8859_1).contains(mark)) {
                    found.add(name);
                }
            } catch (IOException gone) {
                // It has ended, or is not ours.
                continue;
            }
        }
        return found;
    }
}
