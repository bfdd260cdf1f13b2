package keyfile;

import java.util.ArrayList;
import java.util.List;

/** Reads lines of "key = value" in sections of "[name]"; "#" begins a line that is a comment. */
public final class Reader {

    private final List<Entry> entries = new ArrayList<>();
    private String section = "";

    private Reader() {}

    /** All settings of a text in their order. */
    public static List<Entry> read(String text) {
        Reader reader = new Reader();
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            reader.line(line.strip(), number);
        }
        return List.copyOf(reader.entries);
    }

    private void line(String line, int number) {
        if (line.isEmpty() || line.startsWith("#")) {
            return;
        }
        if (line.startsWith("[")) {
            section = header(line, number);
        } else {
            entries.add(entry(line, number));
        }
    }

    private static String header(String line, int number) {
        if (!line.endsWith("]")) {
            throw new KeyFileException(number, "section does not end");
        }
        String name = line.substring(1, line.length() - 1).strip();
        if (name.isEmpty()) {
            throw new KeyFileException(number, "section without a name");
        }
        return name;
    }

    private Entry entry(String line, int number) {
        int sign = line.lastIndexOf('=');
        if (sign < 0) {
            throw new KeyFileException(number, "expected key = value");
        }
        String key = line.substring(0, sign).strip();
        if (key.isEmpty()) {
            throw new KeyFileException(number, "value without a key");
        }
        return new Entry(section, key, unquoted(line.substring(sign + 1).strip()), number);
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}
