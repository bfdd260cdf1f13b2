package tramline.timetable;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.Test;

public class RouteTest {

    private final Line ferry = new Line("F", Mode.FERRY);
    private final Route route = new Route(ferry, "Dock").then("Island", 30, 35).then("Lighthouse", 50);

    @Test
    public void listsItsStops() {
        assertEquals(List.of("Dock", "Island", "Lighthouse"), route.stops());
    }

    @Test
    public void connectsEachStopWithTheNextOne() {
        List<Connection> connections = route.connections(ClockTime.parse("09:00"));
        assertEquals(2, connections.size());
        Connection second = connections.get(1);
        assertEquals("Island", second.from());
        assertEquals("Lighthouse", second.to());
        assertEquals("09:35", second.departure().toString());
        assertEquals("09:50", second.arrival().toString());
    }

    @Test
    public void waitsAtAStop() {
        Connection first = route.connections(ClockTime.parse("09:00")).get(0);
        assertEquals("09:30", first.arrival().toString());
    }

    @Test
    public void putsAllConnectionsOfAVehicleIntoOneRun() {
        Set<String> keys = route.connections(ClockTime.parse("09:00")).stream()
                .map(connection -> connection.run().key())
                .collect(Collectors.toSet());
        assertEquals(1, keys.size());
    }

    @Test
    public void showsWhereItEnds() {
        Run run = route.connections(ClockTime.parse("09:00")).get(0).run();
        assertEquals("ferry F to Lighthouse", run.label());
    }

    @Test
    public void refusesTimesThatRunBackwards() {
        assertThrows(IllegalArgumentException.class, () -> route.then("Cape", 49));
        assertThrows(IllegalArgumentException.class, () -> route.then("Cape", 60, 59));
    }

    @Test
    public void aConnectionDoesNotArriveBeforeItLeaves() {
        Run run = new Run(ferry, "Dock", "Cape", ClockTime.parse("09:00"));
        ClockTime later = ClockTime.parse("09:10");
        assertThrows(
                IllegalArgumentException.class, () -> new Connection(run, "Dock", "Cape", later, run.start()));
    }
}
