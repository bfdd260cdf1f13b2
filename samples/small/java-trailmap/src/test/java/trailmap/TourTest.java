package trailmap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import org.junit.Test;

public class TourTest {

    private final Tour tour = new Tour(List.of("Alm", "Berg", "Clara"), 125);

    @Test
    public void knowsItsEnds() {
        assertEquals("Alm", tour.first());
        assertEquals("Clara", tour.last());
    }

    @Test
    public void isWrittenWithItsTime() {
        assertEquals("Alm - Berg - Clara (2:05)", tour.toString());
    }

    @Test
    public void aTrailHasTwoEnds() {
        Trail trail = new Trail("Alm", "Berg", 10);
        assertEquals("Berg", trail.otherEnd("Alm"));
        assertEquals("Alm", trail.otherEnd("Berg"));
    }

    @Test
    public void refusesWhatIsNoTrail() {
        assertThrows(IllegalArgumentException.class, () -> new Trail("Alm", "Alm", 10));
        assertThrows(IllegalArgumentException.class, () -> new Trail("Alm", "Berg", 0));
    }
}
