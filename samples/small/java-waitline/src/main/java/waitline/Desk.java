package waitline;

import java.util.ArrayList;
import java.util.List;

/** A desk that answers callers, one after the other. */
public final class Desk {

    private final WaitLine line;
    private final List<String> answered = new ArrayList<>();

    public Desk(WaitLine line) {
        this.line = line;
    }

    /** Answers at most so many callers and says how many it were. */
    public int answer(int most) {
        int count = 0;
        while (count < most) {
            Caller caller = line.next().orElse(null);
            if (caller == null) {
                break;
            }
            answered.add(caller.name());
            count++;
        }
        return count;
    }

    /** Whom the desk has answered so far. */
    public List<String> answered() {
        return List.copyOf(answered);
    }
}
