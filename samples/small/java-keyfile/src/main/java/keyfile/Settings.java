package keyfile;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The settings of a file by their path; a later one replaces an earlier one. */
public final class Settings {

    private final Map<String, Entry> entries = new LinkedHashMap<>();

    private Settings() {}

    public static Settings parse(String text) {
        Settings settings = new Settings();
        for (Entry entry : Reader.read(text)) {
            settings.entries.put(entry.path(), entry);
        }
        return settings;
    }

    public Optional<String> find(String path) {
        return Optional.ofNullable(entries.get(path)).map(Entry::value);
    }

    public String text(String path, String otherwise) {
        return find(path).orElse(otherwise);
    }

    public int number(String path, int otherwise) {
        Entry entry = entries.get(path);
        if (entry == null) {
            return otherwise;
        }
        try {
            return Integer.parseInt(entry.value());
        } catch (NumberFormatException e) {
            throw new KeyFileException(entry.line(), path + " is not a number: " + entry.value());
        }
    }

    public boolean flag(String path, boolean otherwise) {
        Entry entry = entries.get(path);
        if (entry == null) {
            return otherwise;
        }
        return switch (entry.value()) {
            case "yes", "on", "true" -> true;
            case "no", "off", "false" -> false;
            default -> throw new KeyFileException(entry.line(), path + " is neither yes nor no: " + entry.value());
        };
    }

    /** A value that must be there. */
    public String required(String path) {
        return find(path).orElseThrow(() -> new KeyFileException("missing: " + path));
    }

    public Set<String> paths() {
        return Collections.unmodifiableSet(entries.keySet());
    }

    /** The keys and values of one section. */
    public Map<String, String> section(String name) {
        return entries.values().stream()
                .filter(entry -> entry.section().equals(name))
                .collect(Collectors.toMap(Entry::key, Entry::value));
    }
}
