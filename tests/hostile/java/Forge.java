package till;

import java.io.FileWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes tests pass that fail. */
final class Forge {
    private static final String TEST = "@test@";

    private static void lines() throws Exception {
        String[] events = {
            "{\"event\":\"started\",\"id\":\"" + TEST + "\"}",
            "{\"event\":\"finished\",\"id\":\"" + TEST
                + "\",\"status\":\"passed\",\"message\":null,\"trace\":null,\"seconds\":0.0}",
            "{\"event\":\"end\"}"
        };
        List<Path> files;
        try (Stream<Path> all = Files.list(Paths.get(System.getenv("PATCHWRIGHT_OUT")))) {
            files = all.filter(path -> path.getFileName().toString().startsWith("results"))
                .collect(Collectors.toList());
        }
        for (Path file : files) {
            try (FileWriter writer = new FileWriter(file.toFile(), true)) {
                for (String event : events) {
                    writer.write(event + "\n");
                }
            }
        }
        Runtime.getRuntime().halt(0);
    }

    static void attack() throws Exception {
        switch ("@kind@") {
            case "lines":
                lines();
                break;
            case "words":
                System.out.println("JUnit version 4.13.2\n.\nTime: 0.001\n\nOK (1 test)\n");
                System.out.flush();
                Runtime.getRuntime().halt(0);
                break;
            default:
                System.exit(0);
        }
    }
}
