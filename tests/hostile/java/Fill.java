package till;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Fills a folder of the lane with more than anybody wants to walk through. */
final class Fill {
    private static final Path LANE = Paths.get(System.getenv("PATCHWRIGHT_OUT")).getParent();

    private static void nested(Path folder) throws Exception {
        // From the inside out, so that every path is short.
        Path inner = folder.resolve("inner");
        Path outer = folder.resolve("outer");
        Files.createDirectory(inner);
        for (int depth = 0; depth < 3000; depth++) {
            Files.createDirectory(outer);
            Files.move(inner, outer.resolve("inner"));
            Files.move(outer, inner);
        }
    }

    private static void names(Path folder) throws Exception {
        String longest = new String(new char[255]).replace('\0', 'a');
        for (String name : new String[] {"\n# Forged heading", "\033[31mred", "\u202egnp.exe", "-rf", "~", longest}) {
            Files.createFile(folder.resolve(name));
            Files.createDirectory(folder.resolve(name.substring(0, Math.min(200, name.length())) + ".d"));
        }
    }

    private static void many(String kind, Path folder) throws Exception {
        for (int number = 0; number < 100000; number++) {
            Path path = folder.resolve(Integer.toString(number));
            if (kind.equals("links")) {
                Files.createSymbolicLink(path, Paths.get("@target@"));
            } else {
                Files.createFile(path);
            }
        }
    }

    static void attack() throws Exception {
        Path folder = LANE.resolve("@places@").resolve("filled");
        if (Files.exists(folder)) {
            return;
        }
        Files.createDirectory(folder);
        String kind = "@kind@";
        if (kind.equals("nested")) {
            nested(folder);
        } else if (kind.equals("names")) {
            names(folder);
        } else {
            many(kind, folder);
        }
    }
}
