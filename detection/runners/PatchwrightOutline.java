import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.regex.Pattern;

/**
 * What of a source file other files can see, as text: all but comments, blanks and what stands in the braces of code.
 * As long as it stays the same, errors are found in the file itself and nowhere else.
 *
 * <p>Where it is not certain what a brace opens, the text is kept: outlines then differ more often than they need to.
 */
final class PatchwrightOutline {
    private static final Pattern TYPE = Pattern.compile("\\b(?:class|interface|enum|record)\\b|\\bdefault $");

    private final String text;
    private final StringBuilder outline = new StringBuilder();
    private int place;

    private PatchwrightOutline(String text) {
        this.text = text;
    }

    /** The outline of a file. */
    static String of(String file) throws IOException {
        // All that matters here is ASCII, in whichever encoding.
        String text = new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.ISO_8859_1);
        // What looks like a brace may be written in many ways.
        return text.contains("\\u") ? text : new PatchwrightOutline(text).declarations();
    }

    private String declarations() {
        int round = 0;
        int start = 0;
        while (place < text.length()) {
            if (skipped()) {
                space();
                continue;
            }
            char character = text.charAt(place);
            int literal = literal();
            if (literal > place) {
                outline.append(text, place, literal);
                place = literal;
                continue;
            }
            place++;
            if (character == '{' && round == 0 && !TYPE.matcher(declaration(start)).find()) {
                code();
                outline.append("{}");
            } else {
                outline.append(character);
            }
            if (character == '(') {
                round++;
            } else if (character == ')') {
                round--;
            } else if (round == 0 && ";{}".indexOf(character) >= 0) {
                start = outline.length();
            }
        }
        return outline.toString();
    }

    /** What stands before a brace, since the declaration before, with a blank behind the last word. */
    private String declaration(int start) {
        return outline.substring(start).trim() + " ";
    }

    /** Goes behind the brace that ends code. */
    private void code() {
        int depth = 1;
        while (place < text.length() && depth > 0) {
            if (skipped()) {
                continue;
            }
            int literal = literal();
            if (literal > place) {
                place = literal;
                continue;
            }
            char character = text.charAt(place++);
            if (character == '{') {
                depth++;
            } else if (character == '}') {
                depth--;
            }
        }
        if (depth > 0) {
            // Such code is not what it was, and what it is nobody knows.
            outline.append(text);
        }
    }

    /** Goes behind a comment or blanks; false when there are none. */
    private boolean skipped() {
        int before = place;
        if (text.startsWith("//", place)) {
            while (place < text.length() && text.charAt(place) != '\n' && text.charAt(place) != '\r') {
                place++;
            }
        } else if (text.startsWith("/*", place)) {
            int end = text.indexOf("*/", place + 2);
            place = end < 0 ? text.length() : end + 2;
        } else {
            while (place < text.length() && text.charAt(place) <= ' ') {
                place++;
            }
        }
        return place > before;
    }

    private void space() {
        int length = outline.length();
        if (length > 0 && outline.charAt(length - 1) != ' ') {
            outline.append(' ');
        }
    }

    /** Where the literal ends that begins here; this place when there is none. */
    private int literal() {
        char first = text.charAt(place);
        if (first != '"' && first != '\'') {
            return place;
        }
        String mark = text.startsWith("\"\"\"", place) ? "\"\"\"" : String.valueOf(first);
        int end = place + mark.length();
        while (end < text.length() && !text.startsWith(mark, end)) {
            if (mark.length() == 1 && text.charAt(end) == '\n') {
                // A literal that was not closed ends with its line.
                return end;
            }
            end += text.charAt(end) == '\\' ? 2 : 1;
        }
        return Math.min(text.length(), end + mark.length());
    }
}
