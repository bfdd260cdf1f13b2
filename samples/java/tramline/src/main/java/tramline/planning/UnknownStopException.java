package tramline.planning;

/** A stop that is not in the timetable. */
public final class UnknownStopException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnknownStopException(String stop) {
        super("nothing stops at " + stop);
    }
}
