package till;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class SumTest {
    @Test
    public void adds() throws Exception {
        assertEquals(5, Sum.add(2, 3));
    }

    @Test
    public void addsNothing() throws Exception {
        assertEquals(2, Sum.add(2, 0));
    }
}
