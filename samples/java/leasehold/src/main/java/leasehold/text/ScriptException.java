package leasehold.text;

/** A line of a script that cannot be read or carried out. */
public final class ScriptException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int lineNumber;

    public ScriptException(int lineNumber, RuntimeException problem) {
        super("line " + lineNumber + ": " + problem.getMessage(), problem);
        this.lineNumber = lineNumber;
    }

    public int lineNumber() {
        return lineNumber;
    }
}
