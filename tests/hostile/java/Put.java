package till;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Puts something else in the place of files and folders of the lane. */
final class Put {
    private static final Path LANE = Paths.get(System.getenv("PATCHWRIGHT_OUT")).getParent();
    private static final Path TARGET = Paths.get("@target@");

    private static void put(String kind, Path path) throws Exception {
        switch (kind) {
            case "link":
                Files.createSymbolicLink(path, TARGET);
                break;
            case "hard":
                Files.createLink(path, LANE.resolve(TARGET));
                break;
            case "fifo":
                if (new ProcessBuilder("mkfifo", path.toString()).start().waitFor() != 0) {
                    throw new IllegalStateException("mkfifo");
                }
                break;
            case "folder":
                Files.createDirectory(path);
                break;
            case "text":
                Files.write(path, "@target@".getBytes());
                path.toFile().setExecutable(true);
                break;
            case "sparse":
                try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                    file.setLength(7L << 30);
                }
                break;
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    static void attack() throws Exception {
        for (String place : "@places@".split(" ")) {
            Path path = LANE.resolve(place);
            Files.createDirectories(path.getParent());
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(path, path.resolveSibling(path.getFileName() + "." + System.nanoTime()));
            }
            put("@kind@", path);
        }
    }
}
