package columnist;

import java.util.ArrayList;
import java.util.List;

/** Breaks text into lines of at most so many characters. */
public final class Wrapper {

    private final int width;

    public Wrapper(int width) {
        if (width < 1) {
            throw new IllegalArgumentException("not a width: " + width);
        }
        this.width = width;
    }

    /** The lines of a text; a line break in the text always begins a new line, several blanks count as one. */
    public List<String> wrap(String text) {
        List<String> lines = new ArrayList<>();
        for (String paragraph : text.split("\n", -1)) {
            paragraph(paragraph.trim(), lines);
        }
        return lines;
    }

    private void paragraph(String paragraph, List<String> lines) {
        StringBuilder line = new StringBuilder();
        for (String word : paragraph.split(" +")) {
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            if (line.length() > 0) {
                line.append(' ');
            }
            line.append(word);
        }
        lines.add(line.toString());
    }
}
