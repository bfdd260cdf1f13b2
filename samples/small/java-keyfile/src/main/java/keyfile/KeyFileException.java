package keyfile;

/** A file that cannot be read, or a setting that cannot be used. */
public final class KeyFileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public KeyFileException(int line, String message) {
        super("line " + line + ": " + message);
    }

    public KeyFileException(String message) {
        super(message);
    }
}
