package fairshare;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class MoneyTest {

    @Test
    public void readsAndWrites() {
        for (String text : new String[] {"0.00", "0.05", "12.50", "-3.05", "-0.99"}) {
            assertEquals(text, Money.parse(text).toString());
        }
    }

    @Test
    public void refusesWhatIsNoAmount() {
        for (String text : new String[] {"", "5", "5.1", "5.123", ".50", "a.00"}) {
            assertThrows(text, IllegalArgumentException.class, () -> Money.parse(text));
        }
    }

    @Test
    public void addsAndSubtracts() {
        assertEquals(Money.parse("3.10"), Money.parse("1.15").plus(Money.parse("1.95")));
        assertEquals(Money.parse("-0.80"), Money.parse("1.15").minus(Money.parse("1.95")));
    }

    @Test
    public void roundsAPartToTheNearestCent() {
        assertEquals(Money.ofCents(333), Money.ofCents(1000).fraction(1, 3));
        assertEquals(Money.ofCents(667), Money.ofCents(1000).fraction(2, 3));
    }

    @Test
    public void isOrderedBySize() {
        assertTrue(Money.parse("1.00").compareTo(Money.parse("0.99")) > 0);
        assertEquals(100, Money.parse("1.00").cents());
    }
}
