import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The classes of a candidate: those compiled for it, and the others as they were. */
final class PatchwrightCandidate {
    private final PatchwrightClasses pristine;
    private final TreeMap<String, byte[]> compiled;
    /** Classes that were there before and are not any more. */
    private final Set<String> removed;

    /** The candidate that changes no class. */
    PatchwrightCandidate(PatchwrightClasses pristine) {
        this(pristine, new TreeMap<String, byte[]>(), new TreeSet<String>());
    }

    /** A candidate that has other classes instead of some. */
    PatchwrightCandidate(PatchwrightClasses pristine, Map<String, byte[]> compiled, Set<String> replaced) {
        this.pristine = pristine;
        this.compiled = new TreeMap<>(compiled);
        removed = new TreeSet<>(replaced);
        removed.removeAll(compiled.keySet());
    }

    /** The bytes of a class by its binary name with slashes; null where there is none. */
    byte[] bytes(String name) {
        byte[] bytes = compiled.get(name);
        return bytes != null || removed.contains(name) ? bytes : pristine.bytes(name);
    }

    /** Whether a class is not as it lies in the folder of the compiled classes. */
    boolean differs(String name) {
        return compiled.containsKey(name) || removed.contains(name);
    }

    /** The names of the classes that were compiled for it. */
    Set<String> names() {
        return Collections.unmodifiableSet(compiled.keySet());
    }

    /** A name for the difference to the classes before; null where there is none. */
    String fingerprint() {
        PatchwrightDigest digest = new PatchwrightDigest();
        boolean changed = !removed.isEmpty();
        for (Map.Entry<String, byte[]> entry : compiled.entrySet()) {
            if (!Arrays.equals(entry.getValue(), pristine.bytes(entry.getKey()))) {
                changed = true;
                add(digest, entry.getKey(), entry.getValue().length);
                digest.update(entry.getValue());
            }
        }
        for (String name : removed) {
            add(digest, name, -1);
        }
        if (!changed) {
            return null;
        }
        return digest.text();
    }

    /** The length makes it certain where a class ends. */
    private static void add(PatchwrightDigest digest, String name, int length) {
        digest.update((name + " " + length + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
