package hotshelf;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class FiguresTest {

    private final Shelf<Integer, String> shelf = new Shelf<>(100, String::length);

    @Test
    public void countsHitsAndMisses() {
        shelf.put(1, "one");
        shelf.get(1);
        shelf.get(2);
        shelf.get(1);
        assertEquals(2, shelf.figures().hits());
        assertEquals(1, shelf.figures().misses());
        assertEquals(66, shelf.figures().hitRate());
    }

    @Test
    public void hasNoRateAtFirst() {
        assertEquals(0, shelf.figures().hitRate());
    }

    @Test
    public void makesAValueOnce() {
        int[] made = {0};
        for (int i = 0; i < 3; i++) {
            assertEquals("value 7", shelf.getOr(7, key -> {
                made[0]++;
                return "value " + key;
            }));
        }
        assertEquals(1, made[0]);
        assertEquals(2, shelf.figures().hits());
    }
}
