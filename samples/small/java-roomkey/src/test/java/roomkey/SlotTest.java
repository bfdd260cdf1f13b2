package roomkey;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class SlotTest {

    private final Slot morning = Slot.parse("09:00-12:00");

    private void checkOverlap(boolean expected, String other) {
        assertEquals(other, expected, morning.overlaps(Slot.parse(other)));
    }

    @Test
    public void readsAndWrites() {
        assertEquals(new Slot(545, 630), Slot.parse("09:05 - 10:30"));
        assertEquals("09:05-10:30", new Slot(545, 630).toString());
    }

    @Test
    public void mayBeTheWholeDay() {
        assertEquals(Slot.DAY, Slot.parse("00:00-24:00").length());
        assertEquals(90, Slot.parse("09:30-11:00").length());
    }

    @Test
    public void isEqualIfBothEndsAre() {
        assertEquals(morning, Slot.parse("09:00-12:00"));
        assertNotEquals(morning, Slot.parse("09:00-12:01"));
        assertNotEquals(morning, Slot.parse("09:01-12:00"));
        assertNotEquals(morning, "09:00-12:00");
    }

    @Test
    public void refusesWhatIsNoStretch() {
        for (String text : new String[] {"", "09:00", "9:00-10:00", "09:60-10:00", "10:00-10:00", "23:00-24:01"}) {
            assertThrows(text, IllegalArgumentException.class, () -> Slot.parse(text));
        }
    }

    @Test
    public void overlapsWhatBeginsOrEndsInIt() {
        checkOverlap(true, "08:00-09:01");
        checkOverlap(true, "11:59-13:00");
    }

    @Test
    public void overlapsWhatLiesInItAndWhatItLiesIn() {
        checkOverlap(true, "10:00-11:00");
        checkOverlap(true, "08:00-13:00");
        checkOverlap(true, "09:00-12:00");
    }

    @Test
    public void doesNotOverlapWhatBeginsAtItsEnd() {
        checkOverlap(false, "12:00-13:00");
    }

    @Test
    public void doesNotOverlapWhatEndsAtItsStart() {
        checkOverlap(false, "08:00-09:00");
    }

    @Test
    public void doesNotOverlapWhatIsFarAway() {
        checkOverlap(false, "07:00-08:00");
        checkOverlap(false, "15:00-16:00");
    }

    @Test
    public void containsWhatSharesAnEnd() {
        assertTrue(morning.contains(Slot.parse("09:00-10:00")));
        assertTrue(morning.contains(Slot.parse("11:00-12:00")));
        assertTrue(morning.contains(morning));
        assertFalse(morning.contains(Slot.parse("11:00-12:01")));
        assertFalse(morning.contains(Slot.parse("08:59-10:00")));
    }

    @Test
    public void isOrderedByStartThenEnd() {
        assertTrue(morning.compareTo(Slot.parse("09:01-09:30")) < 0);
        assertTrue(morning.compareTo(Slot.parse("09:00-11:00")) > 0);
        assertEquals(0, morning.compareTo(Slot.parse("09:00-12:00")));
    }
}
