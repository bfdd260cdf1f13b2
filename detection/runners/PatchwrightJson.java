import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON: objects become maps, arrays lists, numbers doubles. The worker may need no library, since those on its
 * class path are the project's.
 */
final class PatchwrightJson {
    /** What is nested deeper was not written by us. */
    private static final int DEEPEST = 64;

    private final String text;
    private int place;
    private int depth;

    private PatchwrightJson(String text) {
        this.text = text;
    }

    /** Reads an object. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String text) throws IOException {
        PatchwrightJson reader = new PatchwrightJson(text);
        Object value = reader.value();
        reader.space();
        if (reader.place != text.length() || !(value instanceof Map)) {
            throw reader.wrong("one object");
        }
        return (Map<String, Object>) value;
    }

    /** A text of an object; a default where there is none. */
    static String text(Map<String, Object> object, String name, String otherwise) {
        Object value = object.get(name);
        return value instanceof String ? (String) value : otherwise;
    }

    /** A number of an object; a default where there is none. */
    static double number(Map<String, Object> object, String name, double otherwise) {
        Object value = object.get(name);
        return value instanceof Double ? (Double) value : otherwise;
    }

    /** A list of texts of an object; null where there is none. */
    static List<String> texts(Map<String, Object> object, String name) {
        Object value = object.get(name);
        if (!(value instanceof List)) {
            return null;
        }
        List<String> texts = new ArrayList<>();
        for (Object each : (List<?>) value) {
            texts.add(String.valueOf(each));
        }
        return texts;
    }

    private Object value() throws IOException {
        space();
        char first = peek();
        if (first == '{' || first == '[') {
            if (++depth > DEEPEST) {
                throw wrong("less depth");
            }
            Object value = first == '{' ? members() : elements();
            depth--;
            return value;
        }
        if (first == '"') {
            return string();
        }
        int start = place;
        while (place < text.length() && ",]} \t\r\n".indexOf(text.charAt(place)) < 0) {
            place++;
        }
        String word = text.substring(start, place);
        switch (word) {
            case "true":
                return Boolean.TRUE;
            case "false":
                return Boolean.FALSE;
            case "null":
                return null;
            default:
                try {
                    return Double.valueOf(word);
                } catch (NumberFormatException problem) {
                    throw wrong("a value");
                }
        }
    }

    private Map<String, Object> members() throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        place++;
        space();
        while (peek() != '}') {
            String name = string();
            space();
            expect(':');
            members.put(name, value());
            space();
            if (peek() != '}') {
                expect(',');
                space();
            }
        }
        place++;
        return members;
    }

    private List<Object> elements() throws IOException {
        List<Object> elements = new ArrayList<>();
        place++;
        space();
        while (peek() != ']') {
            elements.add(value());
            space();
            if (peek() != ']') {
                expect(',');
                space();
            }
        }
        place++;
        return elements;
    }

    private String string() throws IOException {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (peek() != '"') {
            char character = text.charAt(place++);
            string.append(character == '\\' ? escaped() : character);
        }
        place++;
        return string.toString();
    }

    private char escaped() throws IOException {
        char character = peek();
        place++;
        switch (character) {
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                if (place + 4 > text.length()) {
                    throw wrong("four digits");
                }
                place += 4;
                try {
                    return (char) Integer.parseInt(text.substring(place - 4, place), 16);
                } catch (NumberFormatException problem) {
                    throw wrong("four digits");
                }
            default:
                return character;
        }
    }

    private void space() {
        while (place < text.length() && text.charAt(place) <= ' ') {
            place++;
        }
    }

    private char peek() throws IOException {
        if (place >= text.length()) {
            throw wrong("more");
        }
        return text.charAt(place);
    }

    private void expect(char character) throws IOException {
        if (peek() != character) {
            throw wrong("`" + character + "`");
        }
        place++;
    }

    private IOException wrong(String wanted) {
        return new IOException("not JSON: " + wanted + " was expected at character " + place);
    }
}
