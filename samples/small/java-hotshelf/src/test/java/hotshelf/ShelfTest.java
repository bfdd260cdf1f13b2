package hotshelf;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.Test;

public class ShelfTest {

    private final Shelf<String, String> shelf = new Shelf<>(10, String::length);

    private void put(String... keys) {
        for (String key : keys) {
            shelf.put(key, "four");
        }
    }

    @Test
    public void keepsValues() {
        shelf.put("a", "one");
        assertEquals(Optional.of("one"), shelf.get("a"));
        assertEquals(Optional.empty(), shelf.get("b"));
    }

    @Test
    public void knowsHowMuchRoomIsLeft() {
        assertEquals(10, shelf.free());
        put("a", "b");
        assertEquals(2, shelf.free());
        shelf.remove("a");
        assertEquals(6, shelf.free());
    }

    @Test
    public void canBeFull() {
        shelf.put("a", "seven--");
        shelf.put("b", "two");
        assertEquals(List.of("a", "b"), shelf.keys());
        assertEquals(0, shelf.free());
    }

    @Test
    public void letsTheOldestGo() {
        put("a", "b", "c");
        assertEquals(List.of("b", "c"), shelf.keys());
        assertEquals(2, shelf.free());
        assertEquals(1, shelf.figures().evictions());
    }

    @Test
    public void keepsWhatWasUsed() {
        put("a", "b");
        shelf.get("a");
        put("c");
        assertEquals(List.of("a", "c"), shelf.keys());
    }

    @Test
    public void letsSeveralGoForALargeOne() {
        put("a", "b");
        shelf.put("c", "eight---");
        assertEquals(List.of("c"), shelf.keys());
        assertEquals(2, shelf.figures().evictions());
    }

    @Test
    public void replacesAValue() {
        put("a", "b");
        shelf.put("a", "six---");
        assertEquals(Optional.of("six---"), shelf.get("a"));
        assertEquals(List.of("b", "a"), shelf.keys());
        assertEquals(0, shelf.free());
    }

    @Test
    public void staysAsFullWhenValuesAreReplaced() {
        for (int i = 0; i < 50; i++) {
            put("a", "b");
            shelf.removeIf("b"::equals);
        }
        assertEquals(List.of("a"), shelf.keys());
        assertEquals(6, shelf.free());
        assertEquals(0, shelf.figures().evictions());
    }

    @Test
    public void doesNotKeepWhatIsLargerThanItself() {
        put("a", "b");
        shelf.put("c", "more than ten");
        assertEquals(List.of("a", "b"), shelf.keys());
        assertEquals(2, shelf.free());
    }

    @Test
    public void keepsWhatIsAsLargeAsItself() {
        put("a");
        shelf.put("b", "ten-------");
        assertEquals(List.of("b"), shelf.keys());
        assertEquals(1, new Shelf<String, String>(1, String::length).free());
    }

    @Test
    public void forgetsWhatIsReplacedByAValueLargerThanItself() {
        put("a", "b");
        shelf.put("a", "more than ten");
        assertEquals(List.of("b"), shelf.keys());
        assertEquals(6, shelf.free());
    }

    @Test
    public void removesByKey() {
        put("page/1", "other");
        assertEquals(1, shelf.removeIf(key -> key.startsWith("page/")));
        assertEquals(0, shelf.removeIf(key -> key.startsWith("page/")));
        assertEquals(List.of("other"), shelf.keys());
        assertEquals(6, shelf.free());
    }

    @Test
    public void removesOnlyWhatIsThere() {
        put("a");
        assertTrue(shelf.remove("a"));
        assertFalse(shelf.remove("a"));
        assertEquals(List.of(), shelf.keys());
    }

    @Test
    public void refusesToHaveNoRoom() {
        assertThrows(IllegalArgumentException.class, () -> new Shelf<String, String>(0, String::length));
    }
}
