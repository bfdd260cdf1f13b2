package tramline.timetable;

import java.util.ArrayList;
import java.util.List;

/** The stops of a line in one direction, with the minutes since the first of them. */
public final class Route {

    /** A stop on the way; both times are in minutes since the first stop. */
    private record Halt(String stop, int arrival, int departure) {}

    private final Line line;
    private final List<Halt> halts = new ArrayList<>();

    public Route(Line line, String firstStop) {
        this.line = line;
        halts.add(new Halt(firstStop, 0, 0));
    }

    /** Adds a stop at which the vehicle leaves in the minute in which it arrives. */
    public Route then(String stop, int arrival) {
        return then(stop, arrival, arrival);
    }

    /** Adds a stop at which the vehicle waits. */
    public Route then(String stop, int arrival, int departure) {
        if (arrival < last().departure() || departure < arrival) {
            throw new IllegalArgumentException("the times at " + stop + " run backwards");
        }
        halts.add(new Halt(stop, arrival, departure));
        return this;
    }

    public Line line() {
        return line;
    }

    public List<String> stops() {
        return halts.stream().map(Halt::stop).toList();
    }

    /** The connections of the vehicle that leaves the first stop at the given time. */
    public List<Connection> connections(ClockTime start) {
        Run run = new Run(line, halts.get(0).stop(), last().stop(), start);
        List<Connection> connections = new ArrayList<>();
        for (int index = 1; index < halts.size(); index++) {
            Halt from = halts.get(index - 1);
            Halt to = halts.get(index);
            connections.add(new Connection(
                    run, from.stop(), to.stop(), start.plus(from.departure()), start.plus(to.arrival())));
        }
        return connections;
    }

    private Halt last() {
        return halts.get(halts.size() - 1);
    }
}
