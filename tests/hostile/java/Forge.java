package till;

import java.io.FileWriter;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.Provider;
import java.security.Security;
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

    /** A digest that nobody can compute. */
    private static void provider() {
        Provider provider = new Provider("Kept", 1.0, "") {};
        provider.put("MessageDigest.SHA-256", "till.Forge");
        provider.put("Mac.HmacSHA256", "till.Forge");
        Security.insertProviderAt(provider, 1);
    }

    /** What the classes below keep is ours. */
    private static void access() {
        for (StackTraceElement place : new Throwable().getStackTrace()) {
            try {
                for (Field field : Class.forName(place.getClassName()).getDeclaredFields()) {
                    field.setAccessible(true);
                    if (field.getType() == String.class || field.getType() == byte[].class) {
                        field.set(null, null);
                    }
                }
            } catch (ReflectiveOperationException | RuntimeException problem) {
                // The next one may give way.
            }
        }
    }

    /** The compiled tests are others. */
    private static void classes() throws Exception {
        List<Path> files;
        try (Stream<Path> all = Files.walk(Paths.get("..").toRealPath())) {
            files = all.filter(path -> path.getFileName().toString().matches("SumTest\\.(class|java)"))
                .collect(Collectors.toList());
        }
        for (Path file : files) {
            Files.delete(file);
        }
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
            case "provider":
                provider();
                break;
            case "access":
                access();
                break;
            case "classes":
                classes();
                break;
            default:
                System.exit(0);
        }
    }
}
