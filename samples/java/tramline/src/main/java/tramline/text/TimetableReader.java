package tramline.text;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tramline.timetable.ClockTime;
import tramline.timetable.Line;
import tramline.timetable.Mode;
import tramline.timetable.Route;
import tramline.timetable.Timetable;

/** Reads the text form of a timetable. */
public final class TimetableReader {

    private final Timetable.Builder builder = Timetable.builder();
    private final Map<String, Line> lines = new HashMap<>();
    private Route route;

    private TimetableReader() {}

    public static Timetable read(String text) {
        return read(text.lines().toList());
    }

    /**
     * Reads a timetable.
     *
     * @throws TimetableFormatException at the first line that cannot be read
     */
    public static Timetable read(List<String> text) {
        TimetableReader reader = new TimetableReader();
        int number = 0;
        for (String line : text) {
            number++;
            try {
                reader.readLine(line);
            } catch (IllegalArgumentException problem) {
                throw new TimetableFormatException(number, problem.getMessage());
            }
        }
        return reader.builder.build();
    }

    private void readLine(String line) {
        int comment = line.indexOf('#');
        String content = (comment < 0 ? line : line.substring(0, comment)).strip();
        if (content.isEmpty()) {
            return;
        }
        String[] words = content.split("\\s+");
        switch (words[0]) {
            case "stop" -> readStop(words);
            case "line" -> readLineName(words);
            case "route" -> readRoute(words);
            case "runs" -> readRuns(words);
            case "every" -> readEvery(words);
            default -> throw new IllegalArgumentException("unknown keyword: " + words[0]);
        }
    }

    private void readStop(String[] words) {
        require(words.length == 3, "expected: stop NAME MINUTES");
        builder.change(words[1], number(words[2]));
    }

    private void readLineName(String[] words) {
        require(words.length == 3, "expected: line NAME MODE");
        require(!lines.containsKey(words[1]), "there is a line " + words[1] + " already");
        lines.put(words[1], new Line(words[1], Mode.parse(words[2])));
    }

    private void readRoute(String[] words) {
        require(words.length >= 6 && words.length % 2 == 0, "expected: route LINE STOP 0 STOP MINUTES ...");
        Line line = lines.get(words[1]);
        require(line != null, "no such line: " + words[1]);
        require(words[3].equals("0"), "a route starts at minute 0");
        route = new Route(line, words[2]);
        for (int index = 4; index < words.length; index += 2) {
            String[] times = words[index + 1].split("/", 2);
            int arrival = number(times[0]);
            int departure = times.length == 2 ? number(times[1]) : arrival;
            route.then(words[index], arrival, departure);
        }
    }

    private void readRuns(String[] words) {
        require(route != null, "runs of which route?");
        for (int index = 1; index < words.length; index++) {
            builder.run(route, ClockTime.parse(words[index]));
        }
    }

    private void readEvery(String[] words) {
        require(route != null, "every so often, on which route?");
        require(
                words.length == 6 && words[2].equals("from") && words[4].equals("until"),
                "expected: every MINUTES from HH:MM until HH:MM");
        builder.every(number(words[1]), route, ClockTime.parse(words[3]), ClockTime.parse(words[5]));
    }

    private static int number(String word) {
        require(word.matches("\\d{1,4}"), "not a number of minutes: " + word);
        return Integer.parseInt(word);
    }

    private static void require(boolean condition, String reason) {
        if (!condition) {
            throw new IllegalArgumentException(reason);
        }
    }
}
