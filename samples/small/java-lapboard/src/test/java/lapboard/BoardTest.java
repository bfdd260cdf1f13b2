package lapboard;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class BoardTest {

    @Test
    public void writesTimes() {
        assertEquals("0:59.999", Board.clock(59_999));
        assertEquals("1:02.345", Board.clock(62_345));
        assertEquals("75:00.007", Board.clock(4_500_007));
    }

    @Test
    public void isEmptyWithoutRunners() {
        assertEquals("", Board.show(new Race(new Course(400))));
    }

    @Test
    public void showsWholeKilometres() {
        Race race = new Race(new Course(1000)).add("Ida", 240_000, 250_000).add("Jon", 235_000);
        assertEquals(
                "1. Ida: 2 laps in 8:10.000, 14.7 km/h\n2. Jon: 1 laps in 3:55.000, 15.3 km/h\n", Board.show(race));
    }

    @Test
    public void showsShortRaces() {
        Race race = new Race(new Course(400)).add("Ida", 80_000, 82_000, 84_000);
        assertEquals("1. Ida: 3 laps in 4:06.000, 17.6 km/h\n", Board.show(race));
    }
}
