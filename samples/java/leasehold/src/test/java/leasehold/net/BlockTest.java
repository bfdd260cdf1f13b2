package leasehold.net;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class BlockTest {

    private final Block office = Block.parse("10.20.0.16-10.20.0.31");

    @Test
    public void readsARange() {
        Block block = Block.parse("10.20.0.5-10.20.1.4");
        assertEquals("10.20.0.5", block.first().toString());
        assertEquals("10.20.1.4", block.last().toString());
        assertEquals(256, block.size());
    }

    @Test
    public void readsAPrefix() {
        assertEquals(office, Block.parse("10.20.0.16/28"));
        assertEquals(1L << 32, Block.parse("0.0.0.0/0").size());
        assertEquals(1, Block.parse("10.20.0.16/32").size());
    }

    @Test
    public void readsAnAddress() {
        assertEquals(1, Block.parse("10.20.0.16").size());
    }

    @Test
    public void refusesWhatIsNoBlock() {
        for (String text : new String[] {"10.20.0.1/28", "10.20.0.0/33", "10.20.0.0/", "10.20.0.2-10.20.0.1", "-"}) {
            assertThrows(text, IllegalArgumentException.class, () -> Block.parse(text));
        }
    }

    @Test
    public void writesTheShortestForm() {
        assertEquals("10.20.0.16/28", office.toString());
        assertEquals("10.20.0.17", Block.parse("10.20.0.17-10.20.0.17").toString());
        assertEquals("10.20.0.17-10.20.0.32", Block.parse("10.20.0.17-10.20.0.32").toString());
    }

    @Test
    public void containsItsEnds() {
        assertTrue(office.contains(office.first()));
        assertTrue(office.contains(office.last()));
        assertFalse(office.contains(Address.parse("10.20.0.32")));
        assertTrue(office.contains(office));
        assertFalse(office.contains(Block.parse("10.20.0.31-10.20.0.32")));
    }

    @Test
    public void overlapsWhatSharesAnAddress() {
        assertTrue(office.overlaps(Block.parse("10.20.0.31-10.20.0.40")));
        assertTrue(office.overlaps(Block.parse("10.20.0.0-10.20.0.16")));
        assertTrue(office.overlaps(Block.parse("10.20.0.20")));
        assertTrue(Block.parse("10.20.0.20").overlaps(office));
    }

    @Test
    public void doesNotOverlapItsNeighbours() {
        assertFalse(office.overlaps(Block.parse("10.20.0.32-10.20.0.40")));
        assertFalse(office.overlaps(Block.parse("10.20.0.0-10.20.0.15")));
    }

    @Test
    public void spansTwoBlocks() {
        Block other = Block.parse("10.20.0.40-10.20.0.50");
        assertEquals(Block.parse("10.20.0.16-10.20.0.50"), office.span(other));
        assertEquals(Block.parse("10.20.0.16-10.20.0.50"), other.span(office));
        assertEquals(office, office.span(Block.parse("10.20.0.20")));
    }

    @Test
    public void sortsByItsFirstAddress() {
        assertTrue(office.compareTo(Block.parse("10.20.0.17")) < 0);
        assertTrue(office.compareTo(Block.parse("10.20.0.16")) > 0);
    }
}
