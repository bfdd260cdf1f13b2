package stockroom;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class ReportTest {

    private final Stock stock = new Stock();
    private final Report report = new Report(stock);

    private void add(String code, int reorderAt, int pieces) {
        stock.register(new Item(code, "Part " + code, reorderAt));
        if (pieces > 0) {
            stock.receive(code, "A1", pieces);
        }
    }

    @Test
    public void hasNothingToOrderWithoutItems() {
        assertEquals("nothing to order\n", report.orders());
    }

    @Test
    public void hasNothingToOrderWhileThereIsEnough() {
        add("x", 4, 5);
        assertEquals("nothing to order\n", report.orders());
    }

    @Test
    public void listsWhatRunsLow() {
        add("z", 4, 4);
        add("y", 4, 5);
        add("x", 4, 1);
        assertEquals("x  Part x (1 left)\nz  Part z (4 left)\n", report.orders());
    }

    @Test
    public void listsWhatHasRunOut() {
        add("x", 0, 3);
        stock.take("x", 3);
        assertEquals("x  Part x (0 left)\n", report.orders());
    }

    @Test
    public void listsNewItems() {
        add("x", 2, 9);
        add("y", 2, 0);
        assertEquals("y  Part y (0 left)\n", report.orders());
    }

    @Test
    public void refusesWhatIsNoItem() {
        assertThrows(IllegalArgumentException.class, () -> new Item(" ", "Blank", 1));
        assertThrows(IllegalArgumentException.class, () -> new Item("x", "Part", -1));
    }
}
