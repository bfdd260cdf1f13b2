package stockroom;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.Map;
import org.junit.Before;
import org.junit.Test;

public class StockTest {

    private final Stock stock = new Stock();

    @Before
    public void fill() {
        stock.register(new Item("bolt", "Bolt M6", 10));
        stock.register(new Item("nut", "Nut M6", 10));
        stock.receive("bolt", "B2", 30);
        stock.receive("bolt", "A1", 20);
    }

    @Test
    public void countsAllPlaces() {
        assertEquals(50, stock.available("bolt"));
    }

    @Test
    public void addsToWhatIsThere() {
        stock.receive("bolt", "A1", 5);
        assertEquals(25, stock.availableAt("bolt", "A1"));
        assertEquals(55, stock.available("bolt"));
    }

    @Test
    public void hasNothingInAnotherPlace() {
        assertEquals(0, stock.availableAt("bolt", "C3"));
        assertEquals(0, stock.availableAt("nut", "A1"));
    }

    @Test
    public void hasNoneOfWhatWasNeverReceived() {
        assertEquals(0, stock.available("nut"));
    }

    @Test
    public void takesFromOnePlaceIfThatIsEnough() {
        assertEquals(Map.of("A1", 15), stock.take("bolt", 15));
        assertEquals(5, stock.availableAt("bolt", "A1"));
    }

    @Test
    public void takesFromTheNextPlaceWhenOneIsEmpty() {
        assertEquals(Map.of("A1", 20, "B2", 1), stock.take("bolt", 21));
        assertEquals(0, stock.availableAt("bolt", "A1"));
        assertEquals(29, stock.available("bolt"));
    }

    @Test
    public void canBeEmptied() {
        stock.take("bolt", 50);
        assertEquals(0, stock.available("bolt"));
    }

    @Test
    public void takesNothingIfThereIsNotEnough() {
        IllegalStateException refusal = assertThrows(IllegalStateException.class, () -> stock.take("bolt", 51));
        assertEquals("only 50 of bolt", refusal.getMessage());
        assertEquals(50, stock.available("bolt"));
    }

    @Test
    public void refusesToTakeWhatWasNeverReceived() {
        IllegalStateException refusal = assertThrows(IllegalStateException.class, () -> stock.take("nut", 1));
        assertEquals("only 0 of nut", refusal.getMessage());
    }

    @Test
    public void refusesUnknownItems() {
        assertThrows(IllegalArgumentException.class, () -> stock.available("gear"));
        assertThrows(IllegalArgumentException.class, () -> stock.availableAt("gear", "A1"));
        assertThrows(IllegalArgumentException.class, () -> stock.receive("gear", "A1", 1));
        assertThrows(IllegalArgumentException.class, () -> stock.take("gear", 1));
    }

    @Test
    public void refusesNumbersThatAreNotPositive() {
        assertThrows(IllegalArgumentException.class, () -> stock.receive("bolt", "A1", 0));
        assertThrows(IllegalArgumentException.class, () -> stock.take("bolt", -1));
    }

    @Test
    public void refusesAnItemTwice() {
        assertThrows(IllegalArgumentException.class, () -> stock.register(new Item("bolt", "Bolt", 1)));
    }
}
