package tramline.text;

import static org.junit.Assert.assertEquals;

import java.util.List;
import org.junit.Test;
import tramline.planning.Journey;
import tramline.timetable.ClockTime;
import tramline.timetable.Connection;
import tramline.timetable.Line;
import tramline.timetable.Mode;
import tramline.timetable.Route;

public class JourneyWriterTest {

    private static final ClockTime EIGHT = ClockTime.parse("08:00");

    private static Journey.Leg leg(Line line, String start, String from, String to, int minutes) {
        List<Connection> ride = new Route(line, from).then(to, minutes).connections(ClockTime.parse(start));
        return new Journey.Leg(ride.get(0), ride.get(0));
    }

    @Test
    public void writesEachLeg() {
        Journey journey = new Journey(
                EIGHT,
                List.of(
                        leg(new Line("5", Mode.TRAM), "08:10", "Castle", "Dock", 9),
                        leg(new Line("F", Mode.FERRY), "09:00", "Dock", "Island", 30)));
        assertEquals(
                """
                08:10  Castle
                       tram 5 to Dock
                08:19  Dock
                09:00  Dock
                       ferry F to Island
                09:30  Island
                1 h 20 min, 1 change""",
                JourneyWriter.write(journey));
    }

    @Test
    public void writesAnEmptyJourney() {
        assertEquals("You are there.", JourneyWriter.write(new Journey(EIGHT, List.of())));
    }

    @Test
    public void writesDurations() {
        assertEquals("59 min", JourneyWriter.duration(59));
        assertEquals("1 h 00 min", JourneyWriter.duration(60));
        assertEquals("2 h 05 min", JourneyWriter.duration(125));
    }

    @Test
    public void countsChanges() {
        assertEquals("no change", JourneyWriter.changes(0));
        assertEquals("1 change", JourneyWriter.changes(1));
        assertEquals("3 changes", JourneyWriter.changes(3));
    }
}
