package columnist;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import org.junit.Test;

public class ColumnsTest {

    private final Columns columns = new Columns(" | ").column(6, Align.LEFT).column(4, Align.RIGHT);

    @Test
    public void setsTextsSideBySide() {
        assertEquals(List.of("bread  |    2"), columns.row("bread", "2"));
    }

    @Test
    public void goesOnInTheNextLine() {
        assertEquals(List.of("rye    |    2", "bread  |"), columns.row("rye bread", "2"));
        assertEquals(List.of("rye    |   12", "       |   kg"), columns.row("rye", "12 kg"));
    }

    @Test
    public void keepsTheColumnsStraight() {
        assertEquals(List.of("pumper |    1", "nickel |"), columns.row("pumpernickel", "1"));
    }

    @Test
    public void refusesAnotherNumberOfTexts() {
        assertThrows(IllegalArgumentException.class, () -> columns.row("bread"));
    }

    @Test
    public void padsOnTheSideOfTheAlignment() {
        assertEquals("ab   ", Align.LEFT.pad("ab", 5));
        assertEquals(" ab  ", Align.CENTRE.pad("ab", 5));
        assertEquals("   ab", Align.RIGHT.pad("ab", 5));
    }

    @Test
    public void doesNotCutLongTexts() {
        assertEquals("abcdef", Align.RIGHT.pad("abcdef", 5));
    }
}
