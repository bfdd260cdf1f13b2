package bytepack;

/** The bytes are not what a writer writes. */
public final class FormatException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int offset;

    public FormatException(String message, int offset) {
        super(message + " at byte " + offset);
        this.offset = offset;
    }

    public int offset() {
        return offset;
    }
}
