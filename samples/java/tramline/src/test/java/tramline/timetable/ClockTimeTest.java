package tramline.timetable;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class ClockTimeTest {

    @Test
    public void readsAndWrites() {
        assertEquals(new ClockTime(485), ClockTime.parse("8:05"));
        assertEquals("08:05", ClockTime.parse("08:05").toString());
    }

    @Test
    public void goesOnAfterMidnight() {
        assertEquals("24:10", ClockTime.parse("23:50").plus(20).toString());
        assertEquals(1450, ClockTime.parse("24:10").minutes());
    }

    @Test
    public void refusesWhatIsNoTime() {
        for (String text : new String[] {"", "8", "08:5", "08:60", "-1:00", "ab:cd"}) {
            assertThrows(text, IllegalArgumentException.class, () -> ClockTime.parse(text));
        }
        assertThrows(IllegalArgumentException.class, () -> new ClockTime(-1));
    }

    @Test
    public void knowsItsParts() {
        ClockTime time = ClockTime.of(17, 42);
        assertEquals(17, time.hour());
        assertEquals(42, time.minute());
    }

    @Test
    public void comparesByTime() {
        ClockTime early = ClockTime.parse("07:59");
        ClockTime late = ClockTime.parse("08:00");
        assertTrue(early.isBefore(late));
        assertTrue(late.isAfter(early));
        assertFalse(late.isAfter(late));
        assertEquals(1, early.until(late));
    }
}
