package trailmap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.Test;

public class TrailMapTest {

    private final TrailMap map = new TrailMap()
            .trail("Alm", "Berg", 60)
            .trail("Berg", "Clara", 50)
            .trail("Alm", "Clara", 120)
            .trail("Clara", "Dora", 30)
            .trail("East", "West", 45);

    private List<Integer> minutes(String from, String to) {
        return map.tours(from, to).stream().map(Tour::minutes).collect(Collectors.toList());
    }

    @Test
    public void findsAllTours() {
        assertEquals("[Alm - Berg - Clara (1:50), Alm - Clara (2:00)]", map.tours("Alm", "Clara").toString());
    }

    @Test
    public void findsToursBackwards() {
        assertEquals(
                "[Dora - Clara - Berg - Alm (2:20), Dora - Clara - Alm (2:30)]", map.tours("Dora", "Alm").toString());
    }

    @Test
    public void sortsToursByTime() {
        assertEquals(List.of(110, 120), minutes("Alm", "Clara"));
        assertEquals(List.of(50, 180), minutes("Berg", "Clara"));
        assertEquals(List.of(140, 150), minutes("Alm", "Dora"));
    }

    @Test
    public void goesNoWayTwice() {
        assertEquals(List.of(30), minutes("Clara", "Dora"));
    }

    @Test
    public void takesEachOfTwoTrailsBetweenTheSameHuts() {
        map.trail("East", "West", 40);
        assertEquals(List.of(40, 45), minutes("East", "West"));
    }

    @Test
    public void findsNoTourWhereThereIsNone() {
        assertEquals(List.of(), map.tours("Alm", "West"));
    }

    @Test
    public void takesNoTimeToStay() {
        assertEquals(List.of(0), minutes("Alm", "Alm"));
    }

    @Test
    public void findsATourThatIsLongEnough() {
        assertEquals(Optional.of(120), map.tourOfAtLeast(111, "Alm", "Clara").map(Tour::minutes));
        assertEquals(Optional.of(110), map.tourOfAtLeast(110, "Alm", "Clara").map(Tour::minutes));
        assertEquals(Optional.empty(), map.tourOfAtLeast(121, "Alm", "Clara"));
    }

    @Test
    public void aTourEndsAtItsGoal() {
        Tour tour = map.tourOfAtLeast(150, "Alm", "Dora").orElseThrow();
        assertEquals(List.of("Alm", "Clara", "Dora"), tour.huts());
    }

    @Test
    public void knowsWhatCanBeReached() {
        assertEquals(Set.of("Alm", "Berg", "Clara", "Dora"), map.reachable("Dora"));
        assertEquals(Set.of("East", "West"), map.reachable("East"));
    }

    @Test
    public void knowsItsHuts() {
        assertEquals(Set.of("Alm", "Berg", "Clara", "Dora", "East", "West"), map.huts());
    }

    @Test
    public void refusesUnknownHuts() {
        assertThrows(IllegalArgumentException.class, () -> map.tours("Alm", "Zoe"));
        assertThrows(IllegalArgumentException.class, () -> map.tours("Zoe", "Alm"));
        assertThrows(IllegalArgumentException.class, () -> map.reachable("Zoe"));
    }
}
