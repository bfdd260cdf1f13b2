package till;

import static org.junit.Assert.assertEquals;

import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Tests whose names forge a heading, a colour, and a change of direction. */
@RunWith(Parameterized.class)
public class NamesTest {
    @Parameterized.Parameters(name = "{0}")
    public static Object[] names() {
        return new Object[] {
            "\n# Forged heading\n", "\r\n\n## Forged heading", "\033[31mred", "\u202edesrever", "```\n# Forged heading"
        };
    }

    public NamesTest(Object name) {}

    @Test
    public void adds() throws Exception {
        assertEquals(5, Sum.add(2, 3));
    }
}
