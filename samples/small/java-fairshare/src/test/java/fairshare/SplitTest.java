package fairshare;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.Arrays;
import org.junit.Test;

public class SplitTest {

    private static void checkWeights(String amount, String expected, long... weights) {
        assertEquals(expected, Split.byWeight(Money.parse(amount), weights).toString());
    }

    @Test
    public void dividesWithoutARest() {
        assertEquals("[3.00, 3.00, 3.00]", Split.evenly(Money.parse("9.00"), 3).toString());
        checkWeights("10.00", "[2.00, 3.00, 5.00]", 2, 3, 5);
    }

    @Test
    public void givesAllToOne() {
        assertEquals("[0.01]", Split.evenly(Money.parse("0.01"), 1).toString());
        checkWeights("7.77", "[0.00, 7.77]", 0, 4);
    }

    @Test
    public void givesTheRestToTheFirstOfEqualShares() {
        assertEquals("[3.34, 3.33, 3.33]", Split.evenly(Money.parse("10.00"), 3).toString());
        assertEquals("[0.02, 0.02, 0.02, 0.01, 0.01, 0.01, 0.01]", Split.evenly(Money.parse("0.10"), 7).toString());
    }

    @Test
    public void givesTheRestToThoseWhoLostMostByRounding() {
        checkWeights("1.00", "[0.23, 0.39, 0.38]", 3, 5, 5);
        checkWeights("1.00", "[0.17, 0.17, 0.66]", 1, 1, 4);
    }

    @Test
    public void roundsUpWhoeverIsNearest() {
        checkWeights("1.00", "[0.33, 0.67]", 1, 2);
        checkWeights("0.10", "[0.00, 0.02, 0.08]", 1, 5, 19);
    }

    @Test
    public void losesNoCent() {
        for (int people = 1; people <= 12; people++) {
            Money sum = Split.evenly(Money.parse("10.00"), people).stream().reduce(Money.ZERO, Money::plus);
            assertEquals(people + " people", Money.parse("10.00"), sum);
        }
    }

    @Test
    public void refusesToShareWithNobody() {
        assertThrows(IllegalArgumentException.class, () -> Split.evenly(Money.parse("1.00"), 0));
        assertThrows(IllegalArgumentException.class, () -> Split.byWeight(Money.parse("1.00"), 0, 0));
    }

    @Test
    public void refusesNegativeWeights() {
        for (long[] weights : Arrays.asList(new long[] {-1, 3}, new long[] {3, -1})) {
            assertThrows(IllegalArgumentException.class, () -> Split.byWeight(Money.parse("1.00"), weights));
        }
    }
}
