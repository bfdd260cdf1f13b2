package roomkey;

import static org.junit.Assert.assertEquals;

import java.util.Optional;
import org.junit.Test;

public class BuildingTest {

    private final Building building = new Building(Slot.parse("08:00-18:00"))
            .with(new Room("Oak", 12))
            .with(new Room("Elm", 4))
            .with(new Room("Ash", 4));

    private String book(String slot, int people) {
        return building.book(Slot.parse(slot), people, "Ada").map(Room::name).orElse("none");
    }

    @Test
    public void takesTheSmallestRoomThatIsFree() {
        assertEquals("Ash", book("09:00-10:00", 3));
        assertEquals("Elm", book("09:30-10:30", 4));
        assertEquals("Oak", book("09:59-10:10", 2));
        assertEquals("none", book("09:59-10:10", 2));
    }

    @Test
    public void takesARoomWithEnoughSeats() {
        assertEquals("Oak", book("09:00-10:00", 5));
        assertEquals("none", book("12:00-13:00", 13));
    }

    @Test
    public void isClosedOutsideTheOpeningTime() {
        assertEquals("none", book("07:30-08:30", 2));
        assertEquals("none", book("17:30-18:30", 2));
    }

    @Test
    public void keepsTheRoomForTheNextMeeting() {
        assertEquals("Ash", book("09:00-10:00", 3));
        assertEquals("Ash", book("10:00-11:00", 3));
    }

    @Test
    public void findsTheEarliestTime() {
        book("08:00-09:00", 12);
        assertEquals(Optional.of(Slot.parse("09:00-10:00")), building.earliest(60, 10));
        assertEquals(Optional.of(Slot.parse("08:00-09:00")), building.earliest(60, 4));
        assertEquals(Optional.empty(), building.earliest(60, 20));
    }
}
