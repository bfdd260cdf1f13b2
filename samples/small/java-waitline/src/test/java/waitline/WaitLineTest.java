package waitline;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.Test;

public class WaitLineTest {

    private final WaitLine line = new WaitLine(6);

    private void join(Priority priority, String... names) {
        for (String name : names) {
            assertTrue(name, line.join(name, priority));
        }
    }

    private List<String> names() {
        return line.callers().stream().map(Caller::name).collect(Collectors.toList());
    }

    private String next() {
        return line.next().map(Caller::name).orElse("nobody");
    }

    @Test
    public void isEmptyAtFirst() {
        assertEquals(Optional.empty(), line.next());
        assertEquals(List.of(), line.callers());
        assertEquals(0, line.size());
    }

    @Test
    public void answersByPriority() {
        join(Priority.VISITOR, "Vic");
        join(Priority.CUSTOMER, "Cleo");
        join(Priority.EMERGENCY, "Emil");
        assertEquals("Emil", next());
        assertEquals("Cleo", next());
        assertEquals("Vic", next());
        assertEquals("nobody", next());
    }

    @Test
    public void listsByPriority() {
        join(Priority.VISITOR, "Vic");
        join(Priority.EMERGENCY, "Emil");
        join(Priority.CUSTOMER, "Cleo");
        assertEquals("[Emil (emergency), Cleo (customer), Vic (visitor)]", line.callers().toString());
        assertEquals(3, line.size());
    }

    @Test
    public void answersInTheOrderOfArrival() {
        join(Priority.CUSTOMER, "Ada", "Ben", "Cleo", "Dora");
        assertEquals("Ada", next());
        assertEquals("Ben", next());
        assertEquals("Cleo", next());
        assertEquals("Dora", next());
    }

    @Test
    public void listsInTheOrderInWhichItAnswers() {
        join(Priority.CUSTOMER, "Ada", "Ben");
        join(Priority.EMERGENCY, "Emil");
        join(Priority.CUSTOMER, "Cleo");
        next();
        assertEquals(List.of("Ada", "Ben", "Cleo"), names());
        next();
        assertEquals(List.of("Ben", "Cleo"), names());
    }

    @Test
    public void countsWhoIsAhead() {
        join(Priority.CUSTOMER, "Ada");
        join(Priority.VISITOR, "Vic");
        join(Priority.EMERGENCY, "Emil");
        assertEquals(0, line.ahead("Emil"));
        assertEquals(1, line.ahead("Ada"));
        assertEquals(2, line.ahead("Vic"));
        assertThrows(IllegalArgumentException.class, () -> line.ahead("Zoe"));
    }

    @Test
    public void letsCallersHangUp() {
        join(Priority.CUSTOMER, "Ada", "Ben");
        assertTrue(line.leave("Ada"));
        assertFalse(line.leave("Ada"));
        assertEquals("Ben", next());
        assertEquals(0, line.size());
    }

    @Test
    public void movesBehindThoseWhoWaitWithThatPriority() {
        join(Priority.VISITOR, "Vic", "Val");
        join(Priority.CUSTOMER, "Ada", "Ben");
        line.move("Vic", Priority.CUSTOMER);
        assertEquals(List.of("Ada", "Ben", "Vic", "Val"), names());
        assertThrows(IllegalArgumentException.class, () -> line.move("Zoe", Priority.CUSTOMER));
    }

    @Test
    public void movesToAnEmergency() {
        join(Priority.CUSTOMER, "Ada");
        join(Priority.VISITOR, "Vic");
        line.move("Vic", Priority.EMERGENCY);
        assertEquals(Optional.of(new Caller("Vic", Priority.EMERGENCY)), line.next());
    }

    @Test
    public void isFullAtItsLimit() {
        join(Priority.VISITOR, "a", "b", "c", "d", "e", "f");
        assertFalse(line.join("g", Priority.CUSTOMER));
        assertEquals(6, line.size());
        assertTrue(line.join("h", Priority.EMERGENCY));
        assertEquals("h", next());
    }

    @Test
    public void refusesWhoWaitsAlready() {
        join(Priority.CUSTOMER, "Ada");
        assertThrows(IllegalArgumentException.class, () -> line.join("Ada", Priority.EMERGENCY));
    }
}
