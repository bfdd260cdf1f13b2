package tramline.timetable;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.Test;

public class TimetableTest {

    private final Line tram = new Line("5", Mode.TRAM);
    private final Route route = new Route(tram, "Airport").then("Bridge", 8).then("Castle", 15);

    private static List<String> times(List<Connection> connections) {
        return connections.stream().map(connection -> connection.departure().toString()).toList();
    }

    @Test
    public void sortsConnectionsByDeparture() {
        Timetable timetable = Timetable.builder().runs(route, "08:05", "08:00").build();
        assertEquals(List.of("08:00", "08:05", "08:08", "08:13"), times(timetable.connections()));
    }

    @Test
    public void repeatsARouteUntilTheLastMinute() {
        Timetable timetable = Timetable.builder()
                .every(20, route, ClockTime.parse("08:10"), ClockTime.parse("08:50"))
                .build();
        assertEquals(List.of("08:10", "08:30", "08:50"), times(timetable.departures("Airport")));
    }

    @Test
    public void leavesOutWhatWouldBeTooLate() {
        Timetable timetable = Timetable.builder()
                .every(20, route, ClockTime.parse("08:10"), ClockTime.parse("08:49"))
                .build();
        assertEquals(List.of("08:10", "08:30"), times(timetable.departures("Airport")));
    }

    @Test
    public void refusesAnImpossibleInterval() {
        ClockTime noon = ClockTime.parse("12:00");
        assertThrows(IllegalArgumentException.class, () -> Timetable.builder().every(0, route, noon, noon));
    }

    @Test
    public void listsDeparturesFromATimeOn() {
        Timetable timetable = Timetable.builder().runs(route, "08:00", "08:20", "08:40").build();
        assertEquals(List.of("08:28", "08:48"), times(timetable.departures("Bridge", ClockTime.parse("08:28"))));
        assertEquals(List.of(), timetable.departures("Castle"));
    }

    @Test
    public void knowsItsStops() {
        Timetable timetable = Timetable.builder().runs(route, "08:00").build();
        assertEquals(Set.of("Airport", "Bridge", "Castle"), timetable.stops());
        assertTrue(timetable.serves("Castle"));
        assertFalse(timetable.serves("Dock"));
    }

    @Test
    public void takesThreeMinutesToChangeUnlessSaid() {
        Timetable timetable = Timetable.builder().change("Castle", 7).build();
        assertEquals(7, timetable.changeMinutes("Castle"));
        assertEquals(3, timetable.changeMinutes("Bridge"));
        assertThrows(IllegalArgumentException.class, () -> Timetable.builder().change("Castle", -1));
    }
}
