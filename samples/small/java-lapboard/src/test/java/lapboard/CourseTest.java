package lapboard;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class CourseTest {

    private static final double SMALL = 1e-9;

    @Test
    public void speedOfWholeKilometres() {
        assertEquals(12, new Course(500).speed(2, 300_000), SMALL);
        assertEquals(20, new Course(1000).speed(5, 900_000), SMALL);
    }

    @Test
    public void speedOfAPartOfAKilometre() {
        assertEquals(15, new Course(400).speed(1, 96_000), SMALL);
        assertEquals(15, new Course(400).speed(6, 576_000), SMALL);
    }

    @Test
    public void speedIsZeroWithoutLaps() {
        assertEquals(0, new Course(400).speed(0, 1000), SMALL);
    }

    @Test
    public void lapsForADistance() {
        Course course = new Course(400);
        assertEquals(25, course.lapsFor(10_000));
        assertEquals(4, course.lapsFor(1500));
        assertEquals(1, course.lapsFor(1));
        assertEquals(0, course.lapsFor(0));
    }

    @Test
    public void refusesALengthOfZero() {
        assertThrows(IllegalArgumentException.class, () -> new Course(0));
        assertEquals(400, new Course(400).metres());
    }
}
