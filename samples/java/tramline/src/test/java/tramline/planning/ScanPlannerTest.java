package tramline.planning;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.Test;
import tramline.timetable.ClockTime;
import tramline.timetable.Line;
import tramline.timetable.Mode;
import tramline.timetable.Route;
import tramline.timetable.Timetable;

public class ScanPlannerTest {

    private static final Line TRAM = new Line("5", Mode.TRAM);
    private static final Line BUS = new Line("7", Mode.BUS);
    private static final Line FERRY = new Line("F", Mode.FERRY);

    private final Timetable.Builder timetable = Timetable.builder();

    private static Route eastbound() {
        return new Route(TRAM, "Airport").then("Bridge", 8).then("Castle", 15).then("Dock", 24);
    }

    private static Route westbound() {
        return new Route(TRAM, "Dock").then("Castle", 9).then("Bridge", 16).then("Airport", 24);
    }

    private Optional<Journey> plan(String from, String to, String at) {
        return new ScanPlanner(timetable.build()).earliestArrival(from, to, at);
    }

    private void expect(String from, String to, String at, String... legs) {
        List<String> found =
                plan(from, to, at).orElseThrow().legs().stream().map(Journey.Leg::toString).toList();
        assertEquals(List.of(legs), found);
    }

    @Test
    public void takesTheNextVehicle() {
        timetable.runs(eastbound(), "08:00", "08:20", "08:40");
        expect("Airport", "Castle", "08:05", "Airport 08:20 > Castle 08:35 (tram 5 to Dock)");
    }

    @Test
    public void catchesAVehicleInTheSameMinute() {
        timetable.runs(eastbound(), "08:00", "08:20");
        expect("Bridge", "Dock", "08:08", "Bridge 08:08 > Dock 08:24 (tram 5 to Dock)");
    }

    @Test
    public void staysSeatedThroughAShortStop() {
        timetable.runs(eastbound(), "08:00", "09:00").change("Bridge", 5).change("Castle", 5);
        expect("Airport", "Dock", "07:55", "Airport 08:00 > Dock 08:24 (tram 5 to Dock)");
    }

    @Test
    public void staysInTheFirstOfTwoVehicles() {
        timetable.runs(eastbound(), "08:00", "08:10");
        Journey journey = plan("Airport", "Dock", "07:55").orElseThrow();
        assertEquals("08:24", journey.arrival().toString());
        assertEquals(0, journey.changes());
    }

    @Test
    public void changesToAnotherLine() {
        timetable.runs(eastbound(), "08:00");
        timetable.runs(new Route(FERRY, "Dock").then("Island", 30), "08:27", "09:30");
        expect(
                "Bridge",
                "Island",
                "08:00",
                "Bridge 08:08 > Dock 08:24 (tram 5 to Dock)",
                "Dock 08:27 > Island 08:57 (ferry F to Island)");
    }

    @Test
    public void missesAConnectionThatIsTooTight() {
        timetable.runs(eastbound(), "08:00");
        timetable.runs(new Route(FERRY, "Dock").then("Island", 30), "08:26", "09:30");
        assertEquals("10:00", plan("Bridge", "Island", "08:00").orElseThrow().arrival().toString());
    }

    @Test
    public void takesLongerToChangeAtALargeStop() {
        timetable.runs(eastbound(), "08:00").change("Dock", 10);
        timetable.runs(new Route(FERRY, "Dock").then("Island", 30), "08:33", "09:30");
        assertEquals("10:00", plan("Bridge", "Island", "08:00").orElseThrow().arrival().toString());
    }

    @Test
    public void needsNoTimeToChangeAtTheFirstStop() {
        timetable.runs(eastbound(), "08:00").change("Airport", 15);
        expect("Airport", "Bridge", "08:00", "Airport 08:00 > Bridge 08:08 (tram 5 to Dock)");
    }

    @Test
    public void prefersAFastVehicleThatLeavesLater() {
        timetable.runs(eastbound(), "08:00");
        timetable.runs(new Route(BUS, "Airport").then("Dock", 12), "08:05");
        expect("Airport", "Dock", "07:50", "Airport 08:05 > Dock 08:17 (bus 7 to Dock)");
    }

    @Test
    public void overtakesASlowVehicleOnTheWay() {
        timetable.runs(eastbound(), "08:00");
        timetable.runs(new Route(BUS, "Bridge").then("Dock", 5), "08:12");
        expect(
                "Airport",
                "Dock",
                "07:50",
                "Airport 08:00 > Bridge 08:08 (tram 5 to Dock)",
                "Bridge 08:12 > Dock 08:17 (bus 7 to Dock)");
    }

    @Test
    public void ridesInBothDirections() {
        timetable.runs(eastbound(), "08:00").runs(westbound(), "08:10");
        expect("Castle", "Airport", "08:00", "Castle 08:19 > Airport 08:34 (tram 5 to Airport)");
    }

    @Test
    public void doesNotReachAStopThatTheTramHasPassed() {
        timetable.runs(eastbound(), "08:00", "08:20", "08:40");
        assertEquals(Optional.empty(), plan("Castle", "Bridge", "08:10").map(Journey::toString));
    }

    @Test
    public void waitsForTheOtherDirection() {
        timetable.every(20, eastbound(), ClockTime.parse("07:00"), ClockTime.parse("10:00"));
        timetable.runs(westbound(), "08:40");
        expect("Castle", "Bridge", "08:10", "Castle 08:49 > Bridge 08:56 (tram 5 to Airport)");
    }

    @Test
    public void goesAroundOnlyIfThereIsTimeToChange() {
        timetable.runs(eastbound(), "08:00", "08:20", "08:40");
        timetable.runs(new Route(BUS, "Castle").then("Airport", 9), "08:10");
        expect(
                "Castle",
                "Bridge",
                "08:10",
                "Castle 08:10 > Airport 08:19 (bus 7 to Airport)",
                "Airport 08:40 > Bridge 08:48 (tram 5 to Dock)");
    }

    @Test
    public void runsAfterMidnight() {
        timetable.runs(eastbound(), "23:50");
        assertEquals("24:14", plan("Airport", "Dock", "23:00").orElseThrow().arrival().toString());
    }

    @Test
    public void findsNothingAfterTheLastDeparture() {
        timetable.runs(eastbound(), "08:00");
        assertTrue(plan("Airport", "Dock", "08:01").isEmpty());
    }

    @Test
    public void isThereAlready() {
        timetable.runs(eastbound(), "08:00");
        Journey journey = plan("Dock", "Dock", "08:01").orElseThrow();
        assertEquals(List.of(), journey.legs());
        assertEquals("08:01", journey.arrival().toString());
        assertEquals(0, journey.changes());
    }

    @Test
    public void namesAnUnknownStop() {
        timetable.runs(eastbound(), "08:00");
        UnknownStopException problem =
                assertThrows(UnknownStopException.class, () -> plan("Airport", "Moon", "08:00"));
        assertEquals("nothing stops at Moon", problem.getMessage());
    }
}
