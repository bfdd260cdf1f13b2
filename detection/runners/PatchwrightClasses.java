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
    /** Made when it is asked for. */
    private PatchwrightUses uses;
    private int version;

    private static final class Entry {
        /** Read again when memory was short. */
        SoftReference<byte[]> bytes;
        Set<String> parts;
        boolean hidden;
        /** Null where it is not certain. */
        String source;
    }

    /** How classes differ for others. */
    enum Difference {
        /** Not at all. */
        NONE,
        /** In methods of classes that are no interfaces. */
        METHODS,
        /** In more. */
        MORE
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
        // That of Java 1.1 is 45.
        version = Math.max(version, ((bytes[6] & 255) << 8 | bytes[7] & 255) - 44);
        PatchwrightAbi abi = new PatchwrightAbi(bytes);
        Entry entry = new Entry();
        entry.bytes = new SoftReference<>(bytes);
        entry.parts = abi.parts;
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
            entry.source = fitting.get(0);
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

    /** The newest version of Java that a class is for. */
    int version() {
        return version;
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

    /** How some of these classes, compiled anew, differ for others from those they stand for. */
    Difference difference(Set<String> before, Map<String, byte[]> after) throws IOException {
        Set<String> removed = new HashSet<>(before);
        removed.removeAll(after.keySet());
        for (String name : removed) {
            if (!entries.get(name).hidden) {
                return Difference.MORE;
            }
        }
        Difference difference = Difference.NONE;
        for (Map.Entry<String, byte[]> each : after.entrySet()) {
            if (Arrays.equals(each.getValue(), bytes(each.getKey()))) {
                continue;
            }
            PatchwrightAbi abi = new PatchwrightAbi(each.getValue());
            Entry known = before.contains(each.getKey()) ? entries.get(each.getKey()) : null;
            if (abi.hidden && (known == null || known.hidden)) {
                continue;
            }
            if (known == null || abi.hidden != known.hidden) {
                return Difference.MORE;
            }
            if (!abi.parts.equals(known.parts)) {
                if (abi.isInterface || !onlyMethods(abi.parts, known.parts) || !onlyMethods(known.parts, abi.parts)) {
                    return Difference.MORE;
                }
                difference = Difference.METHODS;
            }
        }
        return difference;
    }

    /** Whether what only one has is all about methods. */
    private static boolean onlyMethods(Set<String> one, Set<String> other) {
        for (String part : one) {
            if (!part.startsWith("method ") && !other.contains(part)) {
                return false;
            }
        }
        return true;
    }

    /** The source files that may see a difference in methods of some classes; null when that is not certain. */
    Set<String> affected(Set<String> names) throws IOException {
        if (uses == null) {
            uses = new PatchwrightUses(this);
        }
        Set<String> sources = new HashSet<>();
        for (String user : uses.of(names)) {
            if (entries.get(user).source == null) {
                return null;
            }
            sources.add(entries.get(user).source);
        }
        return sources;
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
