import java.io.File;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The classes of the project as it was before any change, compiled into a folder. Names are binary, with slashes. */
final class PatchwrightClasses {
    /** Where they lie. */
    final File folder;
    private final Map<String, Entry> entries = new TreeMap<>();
    private final Map<String, List<String>> ofPackage = new TreeMap<>();
    private final Map<String, Set<String>> ofSource = new HashMap<>();
    /** Source files of which it is not certain which classes they give. */
    private final Set<String> unclear = new HashSet<>();

    private static final class Entry {
        /** Read again when memory was short. */
        SoftReference<byte[]> bytes;
        String digest;
        boolean hidden;
    }

    /** Reads what lies in a folder, made from some source files. */
    PatchwrightClasses(File folder, Collection<String> sources) throws IOException {
        this.folder = folder;
        Map<String, List<String>> byName = new HashMap<>();
        for (String source : sources) {
            byName.computeIfAbsent(source.substring(source.lastIndexOf('/') + 1), key -> new ArrayList<>()).add(source);
        }
        scan(folder, "", byName);
    }

    private void scan(File open, String prefix, Map<String, List<String>> byName) throws IOException {
        File[] files = open.listFiles();
        for (File file : files == null ? new File[0] : files) {
            String name = file.getName();
            if (file.isDirectory()) {
                scan(file, prefix + name + "/", byName);
            } else if (name.endsWith(".class")) {
                add(prefix + name.substring(0, name.length() - 6), file, byName);
            }
        }
    }

    private void add(String name, File file, Map<String, List<String>> byName) throws IOException {
        byte[] bytes = Files.readAllBytes(file.toPath());
        PatchwrightAbi abi = new PatchwrightAbi(bytes);
        Entry entry = new Entry();
        entry.bytes = new SoftReference<>(bytes);
        entry.digest = abi.digest;
        entry.hidden = abi.hidden;
        entries.put(name, entry);
        String folder = name.substring(0, Math.max(0, name.lastIndexOf('/')));
        ofPackage.computeIfAbsent(folder, key -> new ArrayList<>()).add(name);
        List<String> named = byName.get(abi.source);
        if (named == null) {
            // Without the names of source files nothing is certain.
            byName.values().forEach(unclear::addAll);
            return;
        }
        String path = name.substring(0, name.lastIndexOf('/') + 1) + abi.source;
        List<String> fitting = new ArrayList<>();
        for (String source : named) {
            if (source.equals(path) || source.endsWith("/" + path)) {
                fitting.add(source);
            }
        }
        // A file in the root fits whatever ends like it.
        if (fitting.size() == 1) {
            ofSource.computeIfAbsent(fitting.get(0), key -> new HashSet<>()).add(name);
        } else {
            unclear.addAll(named);
        }
    }

    /** The names in a package, and in those below it when asked for. */
    Collection<String> in(String folder, boolean below) {
        if (!below) {
            List<String> names = ofPackage.get(folder);
            return names == null ? new ArrayList<String>() : names;
        }
        List<String> names = new ArrayList<>();
        for (Map.Entry<String, List<String>> entry : ofPackage.entrySet()) {
            if (folder.isEmpty() || entry.getKey().equals(folder) || entry.getKey().startsWith(folder + "/")) {
                names.addAll(entry.getValue());
            }
        }
        return names;
    }

    /** All names, sorted. */
    Set<String> names() {
        return entries.keySet();
    }

    /** Whether it is certain which classes a source file gave. */
    boolean knows(String source) {
        return !unclear.contains(source);
    }

    /** The classes that a source file gave. */
    Set<String> of(String source) {
        Set<String> names = ofSource.get(source);
        return names == null ? new HashSet<>() : names;
    }

    /** The bytes of a class; null where there is none. */
    byte[] bytes(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            return null;
        }
        byte[] bytes = entry.bytes.get();
        if (bytes == null) {
            try {
                bytes = Files.readAllBytes(new File(folder, name + ".class").toPath());
            } catch (IOException problem) {
                throw new IllegalStateException("cannot read a compiled class again", problem);
            }
            entry.bytes = new SoftReference<>(bytes);
        }
        return bytes;
    }

    /** Whether some of these classes, compiled anew, mean the same to all others as those they stand for. */
    boolean sameAbi(Set<String> before, Map<String, byte[]> after) throws IOException {
        Map<String, String> one = new TreeMap<>();
        for (String name : before) {
            Entry entry = entries.get(name);
            if (!entry.hidden) {
                one.put(name, entry.digest);
            }
        }
        Map<String, String> other = new TreeMap<>();
        for (Map.Entry<String, byte[]> entry : after.entrySet()) {
            byte[] bytes = entry.getValue();
            if (Arrays.equals(bytes, bytes(entry.getKey()))) {
                Entry known = entries.get(entry.getKey());
                if (!known.hidden) {
                    other.put(entry.getKey(), known.digest);
                }
                continue;
            }
            PatchwrightAbi abi = new PatchwrightAbi(bytes);
            if (!abi.hidden) {
                other.put(entry.getKey(), abi.digest);
            }
        }
        return one.equals(other);
    }

    /** Writes classes into a folder. */
    static void write(File folder, Map<String, byte[]> classes) throws IOException {
        for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
            File file = new File(folder, entry.getKey() + ".class");
            Files.createDirectories(file.getParentFile().toPath());
            Files.write(file.toPath(), entry.getValue());
        }
    }
}
