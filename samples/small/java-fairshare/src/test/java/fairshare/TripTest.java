package fairshare;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class TripTest {

    private final Trip trip = new Trip("Ada", "Ben", "Eve");

    @Test
    public void dividesAmongAll() {
        trip.paid("Ben", Money.parse("9.00"));
        assertEquals("6.00", trip.balance("Ben").toString());
        assertEquals("-3.00", trip.balance("Ada").toString());
        assertEquals("-3.00", trip.balance("Eve").toString());
    }

    @Test
    public void alwaysEvensOut() {
        trip.paid("Ben", Money.parse("10.00")).paid("Eve", Money.parse("0.50"));
        assertEquals("0.00", trip.sum().toString());
    }

    @Test
    public void isEvenAfterAllIsSettled() {
        trip.paid("Ben", Money.parse("6.00"));
        trip.settled("Ada", "Ben", Money.parse("2.00")).settled("Eve", "Ben", Money.parse("2.00"));
        assertEquals(Money.ZERO, trip.balance("Ada"));
        assertEquals(Money.ZERO, trip.balance("Ben"));
    }

    @Test
    public void refusesWhoIsNotOnTheTrip() {
        assertThrows(IllegalArgumentException.class, () -> trip.balance("Kim"));
        assertThrows(IllegalArgumentException.class, () -> trip.paid("Kim", Money.parse("1.00")));
    }
}
