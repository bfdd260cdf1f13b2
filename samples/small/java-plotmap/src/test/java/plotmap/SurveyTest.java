package plotmap;

import static org.junit.Assert.assertEquals;

import java.util.Optional;
import org.junit.Test;

public class SurveyTest {

    private final Survey survey = new Survey()
            .plot("12a", Polygon.of(0, 0, 30, 0, 30, 20, 0, 20))
            .plot("11", Polygon.of(30, 0, 60, 0, 30, 30));

    @Test
    public void findsThePlotOfAPoint() {
        assertEquals(Optional.of("12a"), survey.plotAt(new Point(29, 19)));
        assertEquals(Optional.of("11"), survey.plotAt(new Point(31, 19)));
        assertEquals(Optional.empty(), survey.plotAt(new Point(59, 19)));
    }

    @Test
    public void addsUpAreas() {
        assertEquals(1050, survey.area(), 1e-9);
    }

    @Test
    public void labelsPlots() {
        assertEquals("11: 450 m2 at 40.0/10.0\n12a: 600 m2 at 15.0/10.0\n", survey.labels());
    }

    @Test
    public void labelsPlotsWithManyCorners() {
        Survey field = new Survey().plot("7", Polygon.of(0, 0, 60, 0, 60, 20, 20, 20, 20, 60, 0, 60));
        assertEquals("7: 2000 m2 at 22.0/22.0\n", field.labels());
    }
}
