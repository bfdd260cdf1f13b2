package leasehold.text;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class ScriptTest {

    private static void refuses(int lineNumber, String reason, String... lines) {
        ScriptException problem =
                assertThrows(ScriptException.class, () -> Script.run(String.join("\n", lines)));
        assertEquals(lineNumber, problem.lineNumber());
        assertTrue(problem.getMessage(), problem.getMessage().contains(reason));
    }

    @Test
    public void showsLeasesAndFreeBlocks() {
        String shown = Script.run("""
                pool 10.20.0.0/24
                exclude 10.20.0.0
                exclude 10.20.0.255
                lease printers 16            # upstairs
                lease phones 10.20.0.64/27

                show
                """);
        assertEquals(
                """
                pool 10.20.0.0/24: 256 addresses, 2 excluded, 48 leased
                  phones    10.20.0.64/27
                  printers  10.20.0.1-10.20.0.16
                free: 206 addresses in 2 blocks, the largest 159
                  10.20.0.17-10.20.0.63
                  10.20.0.96-10.20.0.254""",
                shown);
    }

    @Test
    public void showsAPoolInUseThroughout() {
        assertEquals(
                """
                pool 10.20.0.9: 1 address, 0 excluded, 1 leased
                  gate  10.20.0.9
                free: nothing""",
                Script.run("pool 10.20.0.9\nlease gate 1\nshow"));
    }

    @Test
    public void showsOneBlockWhenAllIsReleased() {
        String shown = Script.run("""
                pool 10.20.0.0/26 best-fit
                lease printers 16
                lease phones 16
                lease guests 32
                release printers
                release phones
                release guests
                show
                """);
        assertEquals(
                """
                pool 10.20.0.0/26: 64 addresses, 0 excluded, 0 leased
                free: 64 addresses in 1 block, the largest 64
                  10.20.0.0/26""",
                shown);
    }

    @Test
    public void showsAsOftenAsAsked() {
        String shown = Script.run("pool 10.20.0.9\nshow\nshow");
        assertEquals(6, shown.lines().count());
    }

    @Test
    public void namesTheLineThatFails() {
        refuses(3, "web has a lease already", "pool 10.0.0.0/24", "lease web 4", "lease web 4");
        refuses(2, "no room for 5: 4 free, at most 4 side by side", "pool 10.0.0.0/30", "lease web 5");
    }

    @Test
    public void beginsWithItsPool() {
        refuses(2, "begins with its pool", "# nothing yet", "show");
        refuses(2, "one pool", "pool 10.0.0.0/24", "pool 10.0.0.0/24");
    }

    @Test
    public void refusesUnknownWords() {
        refuses(2, "unknown command: grant", "pool 10.0.0.0/24", "grant web 4");
        refuses(1, "no such placement: worst-fit", "pool 10.0.0.0/24 worst-fit");
        refuses(2, "not an address: four", "pool 10.0.0.0/24", "lease web four");
    }

    @Test
    public void refusesIncompleteCommands() {
        refuses(2, "expected: lease", "pool 10.0.0.0/24", "lease web");
        refuses(2, "expected: release", "pool 10.0.0.0/24", "release");
        refuses(2, "expected: exclude", "pool 10.0.0.0/24", "exclude");
        refuses(2, "expected: show", "pool 10.0.0.0/24", "show all");
    }
}
