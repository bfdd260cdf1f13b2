package waitline;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;

/** Callers who wait to be answered. */
public final class WaitLine {

    private static final Comparator<Caller> ORDER = Comparator.comparing(Caller::priority);

    private final int limit;
    private final Queue<Caller> waiting = new PriorityQueue<>(ORDER);

    /** A line for at most so many callers; emergencies always find a place. */
    public WaitLine(int limit) {
        this.limit = limit;
    }

    /** Lets somebody wait; says no if the line is full. */
    public boolean join(String name, Priority priority) {
        if (find(name).isPresent()) {
            throw new IllegalArgumentException("waits already: " + name);
        }
        if (size() >= limit && priority != Priority.EMERGENCY) {
            return false;
        }
        waiting.add(new Caller(name, priority));
        return true;
    }

    /** Who is answered next; does not wait any more. */
    public Optional<Caller> next() {
        return Optional.ofNullable(waiting.poll());
    }

    /** Somebody has hung up. */
    public boolean leave(String name) {
        return waiting.removeIf(caller -> caller.name().equals(name));
    }

    /** Gives somebody another priority, behind those who wait with it. */
    public void move(String name, Priority priority) {
        if (!leave(name)) {
            throw new IllegalArgumentException("does not wait: " + name);
        }
        waiting.add(new Caller(name, priority));
    }

    /** All who wait, in the order in which they will be answered. */
    public List<Caller> callers() {
        List<Caller> callers = new ArrayList<>(waiting);
        callers.sort(ORDER);
        return callers;
    }

    /** How many will be answered before somebody. */
    public int ahead(String name) {
        int position = 0;
        for (Caller caller : callers()) {
            if (caller.name().equals(name)) {
                return position;
            }
            position++;
        }
        throw new IllegalArgumentException("does not wait: " + name);
    }

    public int size() {
        return waiting.size();
    }

    private Optional<Caller> find(String name) {
        return waiting.stream().filter(caller -> caller.name().equals(name)).findFirst();
    }
}
