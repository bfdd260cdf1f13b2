package tramline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import tramline.planning.Journey;
import tramline.planning.ScanPlanner;
import tramline.planning.UnknownStopException;
import tramline.text.JourneyWriter;
import tramline.text.TimetableFormatException;
import tramline.text.TimetableReader;
import tramline.timetable.Timetable;

/** The command line: FILE FROM TO HH:MM. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) {
        if (arguments.length != 4) {
            System.err.println("usage: tramline FILE FROM TO HH:MM");
            System.exit(2);
        }
        try {
            Timetable timetable = TimetableReader.read(Files.readAllLines(Path.of(arguments[0])));
            System.out.println(answer(timetable, arguments[1], arguments[2], arguments[3]));
        } catch (IOException problem) {
            System.err.println("cannot read " + arguments[0]);
            System.exit(2);
        } catch (TimetableFormatException | UnknownStopException | IllegalArgumentException problem) {
            System.err.println(problem.getMessage());
            System.exit(2);
        }
    }

    /** The journey as text, or that there is none. */
    static String answer(Timetable timetable, String from, String to, String at) {
        Optional<Journey> journey = new ScanPlanner(timetable).earliestArrival(from, to, at);
        return journey.map(JourneyWriter::write)
                .orElse("No way from " + from + " to " + to + " after " + at + " today.");
    }
}
