import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Which classes name which others. */
final class PatchwrightUses {
    private final Map<String, Set<String>> users = new HashMap<>();
    private final Map<String, Set<String>> subtypes = new HashMap<>();

    PatchwrightUses(PatchwrightClasses classes) throws IOException {
        for (String name : classes.names()) {
            PatchwrightAbi abi = new PatchwrightAbi(classes.bytes(name));
            add(users, abi.mentioned(), name);
            add(subtypes, abi.supertypes, name);
        }
    }

    private static void add(Map<String, Set<String>> map, Collection<String> keys, String value) {
        for (String key : keys) {
            map.computeIfAbsent(key, each -> new HashSet<>()).add(value);
        }
    }

    /**
     * The classes that may have to be compiled again when methods of some classes are others: whatever calls or
     * overrides a method names its class or one below it.
     */
    Set<String> of(Set<String> names) {
        Set<String> below = new HashSet<>();
        for (String name : names) {
            addBelow(name, below);
        }
        Set<String> found = new HashSet<>();
        for (String name : below) {
            found.addAll(users.getOrDefault(name, Collections.<String>emptySet()));
        }
        return found;
    }

    private void addBelow(String name, Set<String> below) {
        if (below.add(name)) {
            for (String subtype : subtypes.getOrDefault(name, Collections.<String>emptySet())) {
                addBelow(subtype, below);
            }
        }
    }
}
