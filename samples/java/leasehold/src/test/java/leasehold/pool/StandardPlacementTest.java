package leasehold.pool;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import java.util.Optional;
import leasehold.net.Block;
import org.junit.Test;

public class StandardPlacementTest {

    private final List<Block> free =
            List.of(Block.parse("10.0.0.0/27"), Block.parse("10.0.0.64/29"), Block.parse("10.0.0.128/28"));

    private void check(StandardPlacement placement, long size, String expected) {
        assertEquals(Optional.of(Block.parse(expected)), placement.choose(free, size));
    }

    @Test
    public void firstFitTakesTheLowest() {
        check(StandardPlacement.FIRST_FIT, 4, "10.0.0.0/30");
        check(StandardPlacement.FIRST_FIT, 32, "10.0.0.0/27");
    }

    @Test
    public void bestFitTakesTheSmallest() {
        check(StandardPlacement.BEST_FIT, 4, "10.0.0.64/30");
        check(StandardPlacement.BEST_FIT, 9, "10.0.0.128-10.0.0.136");
    }

    @Test
    public void bestFitTakesTheLowestOfSeveral() {
        List<Block> equal = List.of(Block.parse("10.0.0.0/30"), Block.parse("10.0.0.8/30"));
        assertEquals(Optional.of(Block.parse("10.0.0.0/31")), StandardPlacement.BEST_FIT.choose(equal, 2));
    }

    @Test
    public void lastFitTakesTheUpperEndOfTheHighest() {
        check(StandardPlacement.LAST_FIT, 4, "10.0.0.140/30");
        check(StandardPlacement.LAST_FIT, 17, "10.0.0.15-10.0.0.31");
    }

    @Test
    public void findsNothingThatIsLargeEnough() {
        for (StandardPlacement placement : StandardPlacement.values()) {
            assertEquals(Optional.empty(), placement.choose(free, 33));
            assertEquals(Optional.empty(), placement.choose(List.of(), 1));
        }
    }

    @Test
    public void hasNames() {
        assertEquals(StandardPlacement.BEST_FIT, StandardPlacement.parse("best-fit"));
        assertThrows(IllegalArgumentException.class, () -> StandardPlacement.parse("BEST_FIT"));
    }
}
