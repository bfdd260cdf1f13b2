package tramline.text;

/** A line of a timetable that cannot be read. */
public final class TimetableFormatException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int lineNumber;

    public TimetableFormatException(int lineNumber, String reason) {
        super("line " + lineNumber + ": " + reason);
        this.lineNumber = lineNumber;
    }

    public int lineNumber() {
        return lineNumber;
    }
}
