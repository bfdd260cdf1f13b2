package leasehold.pool;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import leasehold.net.Address;
import leasehold.net.Block;
import org.junit.Test;

public class BlockSetTest {

    /** The addresses of 10.0.0.0/24 from one last octet to another. */
    private static Block octets(int first, int last) {
        return new Block(Address.parse("10.0.0." + first), Address.parse("10.0.0." + last));
    }

    private static void check(BlockSet set, Block... expected) {
        assertEquals(List.of(expected), List.copyOf(set.blocks()));
    }

    @Test
    public void keepsBlocksApart() {
        check(new BlockSet(octets(30, 40), octets(10, 20)), octets(10, 20), octets(30, 40));
    }

    @Test
    public void joinsBlocksThatOverlap() {
        check(new BlockSet(octets(10, 20), octets(15, 25)), octets(10, 25));
        check(new BlockSet(octets(15, 25), octets(10, 20)), octets(10, 25));
    }

    @Test
    public void swallowsSmallerBlocks() {
        check(new BlockSet(octets(10, 12), octets(14, 16), octets(30, 31), octets(9, 20)), octets(9, 20), octets(30, 31));
    }

    @Test
    public void ignoresWhatItHas() {
        check(new BlockSet(octets(10, 20), octets(12, 15)), octets(10, 20));
    }

    @Test
    public void joinsTheNeighbourAbove() {
        check(new BlockSet(octets(21, 30), octets(10, 20)), octets(10, 30));
    }

    @Test
    public void joinsTheNeighbourBelow() {
        check(new BlockSet(octets(10, 20), octets(21, 30)), octets(10, 30));
    }

    @Test
    public void joinsBothNeighboursOfAGap() {
        check(new BlockSet(octets(10, 20), octets(25, 30), octets(21, 24)), octets(10, 30));
    }

    @Test
    public void holdsTheEndsOfTheAddressSpace() {
        BlockSet set = new BlockSet(Block.parse("255.255.255.255"), Block.parse("0.0.0.0"));
        assertEquals(2, set.size());
        assertTrue(set.contains(Address.HIGHEST));
    }

    @Test
    public void cutsOffAnEnd() {
        BlockSet set = new BlockSet(octets(10, 20));
        set.remove(octets(5, 12));
        set.remove(octets(20, 20));
        check(set, octets(13, 19));
    }

    @Test
    public void cutsAHole() {
        BlockSet set = new BlockSet(octets(10, 20));
        set.remove(octets(14, 15));
        check(set, octets(10, 13), octets(16, 20));
    }

    @Test
    public void cutsAcrossSeveralBlocks() {
        BlockSet set = new BlockSet(octets(10, 20), octets(30, 40), octets(50, 60));
        set.remove(octets(15, 55));
        check(set, octets(10, 14), octets(56, 60));
    }

    @Test
    public void leavesNeighboursAlone() {
        BlockSet set = new BlockSet(octets(10, 20), octets(30, 40));
        set.remove(octets(21, 29));
        check(set, octets(10, 20), octets(30, 40));
    }

    @Test
    public void containsOnlyWhatLiesInOneBlock() {
        BlockSet set = new BlockSet(octets(10, 20), octets(30, 40));
        assertTrue(set.contains(octets(30, 40)));
        assertTrue(set.contains(Address.parse("10.0.0.15")));
        assertFalse(set.contains(octets(20, 30)));
        assertFalse(set.contains(octets(5, 10)));
    }

    @Test
    public void measuresItself() {
        BlockSet set = new BlockSet(octets(10, 20), octets(30, 45));
        assertEquals(27, set.size());
        assertEquals(16, set.largest());
        assertEquals(0, new BlockSet().largest());
    }

    @Test
    public void doesNotGiveItsBlocksAway() {
        BlockSet set = new BlockSet(octets(10, 20));
        assertThrows(UnsupportedOperationException.class, () -> set.blocks().clear());
    }
}
