package till;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Comparator;

/** Tells a worker's answer before the worker does, and goes on to change what is then being reset. */
final class Race {
    private static final Path OUT = Paths.get(System.getenv("PATCHWRIGHT_OUT"));
    private static final Path DATA = OUT.resolveSibling("project").resolve("@places@");
    private static final Path AWAY = DATA.resolveSibling("away");

    private interface Step {
        void take() throws IOException;
    }

    /** Writes the results of a request that was carried out, and says so. */
    private static void answer(File results) throws IOException {
        String failed =
                "{\"event\":\"finished\",\"id\":\"@test@\",\"status\":\"failed\",\"message\":\"no\",\"trace\":\"\","
                        + "\"seconds\":0}\n{\"event\":\"end\"}\n";
        Files.write(results.toPath(), failed.getBytes());
        String number = results.getName().replaceAll("\\D", "");
        String reply = "{\"id\":" + number + ",\"status\":\"done\",\"log\":\"\",\"classes\":null,\"seconds\":0}\n";
        // For both, because there may be no reader.
        try (RandomAccessFile replies = new RandomAccessFile(OUT.resolve("replies").toFile(), "rw")) {
            replies.write(reply.getBytes());
        }
    }

    /** The folder and a link to the canary take turns. */
    private static void swap() {
        Step[] steps = {
            () -> Files.move(DATA, AWAY),
            () -> Files.createSymbolicLink(DATA, Paths.get("@target@")),
            () -> Files.delete(DATA),
            () -> Files.move(AWAY, DATA),
        };
        for (Step step : steps) {
            try {
                step.take();
            } catch (IOException changed) {
                // The reset changes the same places.
                continue;
            }
        }
    }

    static void attack() throws Exception {
        File[] results = OUT.toFile().listFiles((folder, name) -> name.matches("results-\\d+\\.jsonl"));
        if (results == null || results.length == 0) {
            return;
        }
        for (File file : DATA.toFile().listFiles()) {
            Files.delete(file.toPath());
        }
        answer(Arrays.stream(results).max(Comparator.comparingLong(File::lastModified)).get());
        long end = System.nanoTime() + 3_000_000_000L;
        while (System.nanoTime() < end) {
            swap();
        }
    }
}
