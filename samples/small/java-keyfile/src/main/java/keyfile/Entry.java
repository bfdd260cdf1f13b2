package keyfile;

/**
 * One setting as it stands in a file.
 *
 * @param section the section, or the empty text before the first one
 * @param key the name within the section
 * @param value what is set, without blanks around it
 * @param line the number of the line, from 1
 */
public record Entry(String section, String key, String value, int line) {

    /** The name among all settings: "section.key". */
    public String path() {
        return section.isEmpty() ? key : section + "." + key;
    }
}
