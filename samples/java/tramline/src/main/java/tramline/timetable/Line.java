package tramline.timetable;

/** A line, such as tram 5. */
public record Line(String name, Mode mode) {

    @Override
    public String toString() {
        return mode.label() + " " + name;
    }
}
