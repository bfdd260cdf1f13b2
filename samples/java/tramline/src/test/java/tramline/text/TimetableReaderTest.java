package tramline.text;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import tramline.timetable.Connection;
import tramline.timetable.Timetable;

public class TimetableReaderTest {

    private static void refuses(int lineNumber, String reason, String... lines) {
        TimetableFormatException problem = assertThrows(
                TimetableFormatException.class, () -> TimetableReader.read(String.join("\n", lines)));
        assertEquals(lineNumber, problem.lineNumber());
        assertTrue(problem.getMessage(), problem.getMessage().contains(reason));
    }

    @Test
    public void readsRuns() {
        Timetable timetable = TimetableReader.read("""
                # the ferry only runs in the morning
                line F ferry
                route F Dock 0 Island 30/35 Lighthouse 50

                runs 09:00 11:00   # every day
                """);
        assertEquals(4, timetable.connections().size());
        Connection second = timetable.connections().get(1);
        assertEquals("ferry F to Lighthouse", second.run().label());
        assertEquals("09:35", second.departure().toString());
    }

    @Test
    public void readsIntervals() {
        Timetable timetable = TimetableReader.read("""
                line 5 tram
                route 5 Dock 0 Castle 9
                every 20 from 08:10 until 10:10
                """);
        assertEquals(7, timetable.departures("Dock").size());
    }

    @Test
    public void readsTimesToChange() {
        assertEquals(4, TimetableReader.read("stop Castle 4").changeMinutes("Castle"));
    }

    @Test
    public void refusesUnknownWords() {
        refuses(2, "unknown keyword: train", "line 5 tram", "train 5");
        refuses(1, "no such mode: rocket", "line 5 rocket");
    }

    @Test
    public void refusesRoutesOfUnknownLines() {
        refuses(1, "no such line: 5", "route 5 Dock 0 Castle 9");
    }

    @Test
    public void refusesASecondLineOfThatName() {
        refuses(2, "already", "line 5 tram", "line 5 bus");
    }

    @Test
    public void refusesIncompleteRoutes() {
        refuses(2, "expected: route", "line 5 tram", "route 5 Dock 0 Castle");
        refuses(2, "minute 0", "line 5 tram", "route 5 Dock 1 Castle 9");
        refuses(2, "not a number", "line 5 tram", "route 5 Dock 0 Castle nine");
        refuses(2, "backwards", "line 5 tram", "route 5 Dock 0 Castle 9 Bridge 8");
    }

    @Test
    public void refusesRunsWithoutARoute() {
        refuses(1, "which route", "runs 08:00");
        refuses(1, "which route", "every 20 from 08:00 until 09:00");
    }

    @Test
    public void refusesBadTimes() {
        refuses(3, "not a time", "line 5 tram", "route 5 Dock 0 Castle 9", "runs 8h00");
        refuses(3, "expected: every", "line 5 tram", "route 5 Dock 0 Castle 9", "every 20 until 08:00");
    }
}
