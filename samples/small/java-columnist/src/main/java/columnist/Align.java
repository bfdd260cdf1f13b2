package columnist;

/** Where the text of a line stands in its column. */
public enum Align {
    LEFT,
    CENTRE,
    RIGHT;

    /** Fills a text with blanks up to the width; a longer one stays as it is. */
    public String pad(String text, int width) {
        int missing = Math.max(0, width - text.length());
        int before;
        switch (this) {
            case LEFT:
                before = 0;
                break;
            case CENTRE:
                before = missing / 2;
                break;
            default:
                before = missing;
                break;
        }
        return " ".repeat(before) + text + " ".repeat(missing - before);
    }
}
