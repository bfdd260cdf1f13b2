package lapboard;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import org.junit.Test;

public class RaceTest {

    private static final double SMALL = 1e-9;

    private final Race race = new Race(new Course(500))
            .add("Ida", 100_000, 110_000)
            .add("Jon", 120_000, 90_000)
            .add("Kim", 80_000)
            .add("Liv", 105_000, 104_000);

    @Test
    public void addsUpLaps() {
        assertEquals(2, race.laps("Ida"));
        assertEquals(210_000, race.total("Ida"));
        assertEquals(209_000, race.total("Liv"));
    }

    @Test
    public void knowsTheBestLap() {
        assertEquals(90_000, race.best("Jon"));
        assertEquals(80_000, race.best("Kim"));
    }

    @Test
    public void ranksByLapsThenTime() {
        assertEquals(List.of("Liv", "Ida", "Jon", "Kim"), race.ranking());
    }

    @Test
    public void speedOverAllLaps() {
        assertEquals(1 / (209_000 / 3_600_000.0), race.speed("Liv"), SMALL);
    }

    @Test
    public void speedIsThatOfAllLapsTogether() {
        Race indoors = new Race(new Course(250)).add("Mia", 40_000, 50_000, 60_000, 30_000);
        assertEquals(20, indoors.speed("Mia"), SMALL);
    }

    @Test
    public void speedOfTheBestLap() {
        assertEquals(20, race.topSpeed("Jon"), SMALL);
    }

    @Test
    public void refusesWhoDidNotRun() {
        assertThrows(IllegalArgumentException.class, () -> race.total("Max"));
        assertThrows(IllegalArgumentException.class, () -> race.speed("Max"));
    }

    @Test
    public void refusesTimesOfZero() {
        assertThrows(IllegalArgumentException.class, () -> race.add("Ida", 0));
    }
}
