package waitline;

import static org.junit.Assert.assertEquals;

import java.util.List;
import org.junit.Test;

public class DeskTest {

    private final WaitLine line = new WaitLine(20);
    private final Desk desk = new Desk(line);

    @Test
    public void answersNobodyIfNobodyWaits() {
        assertEquals(0, desk.answer(3));
        assertEquals(List.of(), desk.answered());
    }

    @Test
    public void answersNoMoreThanItShould() {
        line.join("Ada", Priority.CUSTOMER);
        line.join("Vic", Priority.VISITOR);
        assertEquals(1, desk.answer(1));
        assertEquals(List.of("Ada"), desk.answered());
        assertEquals(1, desk.answer(5));
        assertEquals(List.of("Ada", "Vic"), desk.answered());
    }

    @Test
    public void twoDesksShareALine() {
        Desk other = new Desk(line);
        line.join("Vic", Priority.VISITOR);
        line.join("Ada", Priority.CUSTOMER);
        desk.answer(1);
        other.answer(1);
        assertEquals(List.of("Ada"), desk.answered());
        assertEquals(List.of("Vic"), other.answered());
    }

    @Test
    public void answersEverybodyInTurn() {
        line.join("v1", Priority.VISITOR);
        line.join("v2", Priority.VISITOR);
        line.join("c1", Priority.CUSTOMER);
        line.join("c2", Priority.CUSTOMER);
        line.join("v3", Priority.VISITOR);
        line.join("c3", Priority.CUSTOMER);
        assertEquals(6, desk.answer(10));
        assertEquals(List.of("c1", "c2", "c3", "v1", "v2", "v3"), desk.answered());
    }
}
