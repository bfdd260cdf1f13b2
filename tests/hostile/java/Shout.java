package till;

import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Says more than anybody wants to read. */
final class Shout {
    private static final int TESTS = 200000;

    private static void lines() throws Exception {
        List<Path> files;
        try (Stream<Path> all = Files.list(Paths.get(System.getenv("PATCHWRIGHT_OUT")))) {
            files = all.filter(path -> path.getFileName().toString().startsWith("results"))
                .collect(Collectors.toList());
        }
        for (Path file : files) {
            try (BufferedWriter writer = Files.newBufferedWriter(file, StandardOpenOption.APPEND)) {
                for (int number = 0; number < TESTS; number++) {
                    writer.write("{\"event\":\"started\",\"id\":\"" + number + "\"}\n");
                }
                for (int number = 0; number < TESTS; number++) {
                    writer.write("{\"event\":\"finished\",\"id\":\"" + number
                        + "\",\"status\":\"failed\",\"message\":\"m\"}\n");
                }
            }
        }
    }

    static void attack() throws Exception {
        String longest = new String(new char[300000]).replace("\0", "/tmp/a");
        switch ("@kind@") {
            case "message":
                throw new AssertionError(longest);
            case "output":
                System.out.print(longest);
                System.err.print(longest);
                break;
            case "orders":
                throw new AssertionError(
                    "@made@\033]0;owned\007\033[2J\u202e\u009b31m\r\n# Forged heading\n```\n# Forged heading\n");
            default:
                lines();
        }
    }
}
