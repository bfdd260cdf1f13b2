package tramline.timetable;

import java.util.Locale;

/** What a line runs with. */
public enum Mode {
    TRAM,
    BUS,
    FERRY;

    public static Mode parse(String name) {
        for (Mode mode : values()) {
            if (mode.label().equals(name)) {
                return mode;
            }
        }
        throw new IllegalArgumentException("no such mode: " + name);
    }

    /** The name as passengers read it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
