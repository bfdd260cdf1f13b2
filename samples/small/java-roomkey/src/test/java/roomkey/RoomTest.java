package roomkey;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.Before;
import org.junit.Test;

public class RoomTest {

    private final Room room = new Room("Oak", 6);

    @Before
    public void book() {
        room.book(Slot.parse("10:00-11:00"), "Ada");
        room.book(Slot.parse("13:00-14:00"), "Ben");
    }

    @Test
    public void refusesWhatIsTaken() {
        IllegalStateException refusal = assertThrows(
                IllegalStateException.class, () -> room.book(Slot.parse("10:30-11:30"), "Eve"));
        assertEquals("Oak is taken at 10:00-11:00 by Ada", refusal.getMessage());
    }

    @Test
    public void refusesWhatSpansTwoBookings() {
        assertThrows(IllegalStateException.class, () -> room.book(Slot.parse("09:00-15:00"), "Eve"));
    }

    @Test
    public void isFreeBetweenBookings() {
        assertTrue(room.isFree(Slot.parse("11:30-12:30")));
        assertFalse(room.isFree(Slot.parse("12:30-13:01")));
    }

    @Test
    public void canBeBookedBackToBack() {
        room.book(Slot.parse("11:00-13:00"), "Eve");
        assertEquals(Optional.of("Eve"), room.whoHas(Slot.parse("11:00-13:00")));
    }

    @Test
    public void isFreeAgainAfterACancellation() {
        assertTrue(room.cancel(Slot.parse("10:00-11:00")));
        assertFalse(room.cancel(Slot.parse("10:00-11:00")));
        assertTrue(room.isFree(Slot.parse("10:00-11:00")));
    }

    @Test
    public void listsGapsOfTheOpeningTime() {
        List<Slot> gaps = room.gaps(Slot.parse("08:00-18:00"));
        assertEquals("[08:00-10:00, 11:00-13:00, 14:00-18:00]", gaps.toString());
    }
}
