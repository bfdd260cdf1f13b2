import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reaches for what lies outside of the sandbox: each test passes where it is held back. */
final class Reach {
    private static final Map<String, String> GIVEN = new HashMap<>();

    private static boolean knowsSecrets() throws IOException {
        if (System.getenv().toString().contains("canary-of-the-token")) {
            return true;
        }
        List<Path> all;
        try (Stream<Path> processes = Files.list(Paths.get("/proc"))) {
            all = processes.map(path -> path.resolve("environ")).filter(Files::isReadable).collect(Collectors.toList());
        }
        for (Path path : all) {
            try {
                if (new String(Files.readAllBytes(path)).contains("canary-of-the-token")) {
                    return true;
                }
            } catch (IOException hidden) {
                continue;
            }
        }
        return false;
    }

    private static boolean isAnswered() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(1000);
            InetAddress local = InetAddress.getByName("127.0.0.1");
            socket.send(new DatagramPacket(new byte[1], 1, local, Integer.parseInt(GIVEN.get("udp"))));
            socket.receive(new DatagramPacket(new byte[1], 1));
            return true;
        }
    }

    private static boolean connects(String path) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            return channel.isConnected();
        }
    }

    private static boolean connectsByTcp() throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", Integer.parseInt(GIVEN.get("tcp"))), 2000);
            return true;
        }
    }

    private static boolean opens(Path path, StandardOpenOption how) throws IOException {
        try (FileChannel channel = FileChannel.open(path, how)) {
            return channel.isOpen();
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (String pair : "@given@".split("\\|")) {
            GIVEN.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
        }
        Path canary = Paths.get(GIVEN.get("canary"));
        long pid = Long.parseLong(GIVEN.get("pid"));
        Map<String, Callable<Boolean>> reaches = new LinkedHashMap<>();
        reaches.put("reads_a_file_of_the_host", () -> Files.readAllBytes(canary.resolve("secret.txt")).length > 0);
        reaches.put("writes_a_file_of_the_host", () -> Files.exists(Files.createFile(canary.resolve("java.txt"))));
        Path system = Paths.get(GIVEN.get("system"));
        Path open = system.resolve("public.txt");
        Path terminal = Paths.get(GIVEN.get("terminal"));
        reaches.put("reads_private_files_of_the_system", () -> Files.readAllBytes(system.resolve("private.txt")).length > 0);
        reaches.put("lists_private_folders_of_the_system", () -> system.resolve("closed").toFile().list().length > 0);
        reaches.put("changes_modes_of_files_of_the_host",
            () -> Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-rw-rw-")) != null);
        reaches.put("changes_owners_of_files_of_the_host", () -> Files.setOwner(open, Files.getOwner(open)) != null);
        reaches.put("changes_times_of_files_of_the_host",
            () -> Files.setLastModifiedTime(open, FileTime.fromMillis(1)) != null);
        reaches.put("changes_attributes_of_files_of_the_host",
            () -> Files.setAttribute(open, "user:patchwright", new byte[] {1}) != null);
        reaches.put("reads_from_a_terminal_of_the_host", () -> opens(terminal, StandardOpenOption.READ));
        reaches.put("writes_to_a_terminal_of_the_host", () -> opens(terminal, StandardOpenOption.WRITE));
        reaches.put("sees_temporary_files_of_the_host", () -> Files.exists(Paths.get(GIVEN.get("temporary"))));
        reaches.put("sees_shared_memory_of_the_host", () -> Files.exists(Paths.get(GIVEN.get("shared"))));
        reaches.put("knows_secrets_of_the_environment", Reach::knowsSecrets);
        reaches.put("sees_processes_of_the_host", () -> Files.exists(Paths.get("/proc/" + pid)));
        reaches.put("connects_to_a_socket_by_its_path", () -> connects(canary + "/socket"));
        reaches.put("connects_by_tcp", Reach::connectsByTcp);
        reaches.put("is_answered_by_udp", Reach::isAnswered);
        try (PrintWriter results = new PrintWriter(new FileWriter(System.getenv("PATCHWRIGHT_RESULTS")))) {
            for (Map.Entry<String, Callable<Boolean>> reach : reaches.entrySet()) {
                boolean reached;
                try {
                    reached = reach.getValue().call();
                } catch (IOException | NullPointerException | SecurityException | UnsupportedOperationException held) {
                    reached = false;
                }
                results.println("{\"event\":\"finished\",\"id\":\"" + reach.getKey() + "\",\"status\":\""
                    + (reached ? "failed" : "passed") + "\",\"message\":null,\"trace\":null}");
            }
            // Without a failing test there is nothing to look at.
            results.println("{\"event\":\"finished\",\"id\":\"always\",\"status\":\"failed\",\"message\":\"m\",\"trace\":null}");
            results.println("{\"event\":\"end\"}");
        }
    }
}
