package columnist;

import java.util.ArrayList;
import java.util.List;

/** Sets texts side by side, each wrapped to the width of its column. */
public final class Columns {

    private final List<Integer> widths = new ArrayList<>();
    private final List<Align> aligns = new ArrayList<>();
    private final String gap;

    public Columns(String gap) {
        this.gap = gap;
    }

    public Columns column(int width, Align align) {
        widths.add(width);
        aligns.add(align);
        return this;
    }

    /** The lines of a row with one text for each column; no line ends with blanks. */
    public List<String> row(String... texts) {
        if (texts.length != widths.size()) {
            throw new IllegalArgumentException(texts.length + " texts for " + widths.size() + " columns");
        }
        List<List<String>> cells = new ArrayList<>();
        int height = 0;
        for (int i = 0; i < texts.length; i++) {
            List<String> lines = new Wrapper(widths.get(i)).wrap(texts[i]);
            cells.add(lines);
            height = Math.max(height, lines.size());
        }
        List<String> rows = new ArrayList<>();
        for (int line = 0; line < height; line++) {
            rows.add(line(cells, line));
        }
        return rows;
    }

    private String line(List<List<String>> cells, int number) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String text = number < cells.get(i).size() ? cells.get(i).get(number) : "";
            line.append(i > 0 ? gap : "").append(aligns.get(i).pad(text, widths.get(i)));
        }
        return line.toString().stripTrailing();
    }
}
