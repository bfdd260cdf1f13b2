package waitline;

import java.util.Locale;
import java.util.Objects;

/** Somebody who waits on the telephone. */
public final class Caller {

    private final String name;
    private final Priority priority;

    public Caller(String name, Priority priority) {
        this.name = name;
        this.priority = priority;
    }

    public String name() {
        return name;
    }

    public Priority priority() {
        return priority;
    }

    @Override
    public boolean equals(Object object) {
        if (!(object instanceof Caller)) {
            return false;
        }
        Caller other = (Caller) object;
        return name.equals(other.name) && priority == other.priority;
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, priority);
    }

    @Override
    public String toString() {
        return name + " (" + priority.name().toLowerCase(Locale.ROOT) + ")";
    }
}
