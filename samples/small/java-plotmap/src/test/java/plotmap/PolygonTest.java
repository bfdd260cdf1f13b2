package plotmap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class PolygonTest {

    private static final double SMALL = 1e-9;

    private final Polygon square = Polygon.of(10, 10, 20, 10, 20, 20, 10, 20);
    private final Polygon angle = Polygon.of(0, 0, 6, 0, 6, 2, 2, 2, 2, 6, 0, 6);

    private static void checkCentroid(double x, double y, Polygon polygon) {
        assertEquals("x", x, polygon.centroid().x(), SMALL);
        assertEquals("y", y, polygon.centroid().y(), SMALL);
    }

    @Test
    public void areaOfRectanglesAndTriangles() {
        assertEquals(100, square.area(), SMALL);
        assertEquals(6, Polygon.of(0, 0, 4, 0, 0, 3).area(), SMALL);
    }

    @Test
    public void areaIsTheSameInBothDirections() {
        assertEquals(20, angle.area(), SMALL);
        assertEquals(20, Polygon.of(0, 6, 2, 6, 2, 2, 6, 2, 6, 0, 0, 0).area(), SMALL);
    }

    @Test
    public void perimeterIncludesTheLastEdge() {
        assertEquals(40, square.perimeter(), SMALL);
        assertEquals(12, Polygon.of(0, 0, 4, 0, 0, 3).perimeter(), SMALL);
    }

    @Test
    public void centroidOfARectangleIsItsMiddle() {
        checkCentroid(15, 15, square);
        checkCentroid(-2, 1, Polygon.of(-4, 0, 0, 0, 0, 2, -4, 2));
    }

    @Test
    public void centroidOfATriangle() {
        checkCentroid(2, 1, Polygon.of(0, 0, 6, 0, 0, 3));
        checkCentroid(3, 2, Polygon.of(1, 1, 7, 1, 1, 4));
    }

    @Test
    public void centroidOfAnAngle() {
        checkCentroid(2.2, 2.2, angle);
        checkCentroid(12.2, -7.8, Polygon.of(10, -10, 16, -10, 16, -8, 12, -8, 12, -4, 10, -4));
    }

    @Test
    public void centroidDoesNotDependOnTheDirection() {
        checkCentroid(2.2, 2.2, Polygon.of(0, 6, 2, 6, 2, 2, 6, 2, 6, 0, 0, 0));
        checkCentroid(15, 15, Polygon.of(10, 20, 20, 20, 20, 10, 10, 10));
    }

    @Test
    public void centroidDoesNotDependOnCornersAlongAnEdge() {
        checkCentroid(15, 15, Polygon.of(10, 10, 12, 10, 14, 10, 20, 10, 20, 20, 10, 20));
    }

    @Test
    public void containsWhatLiesInside() {
        assertTrue(square.contains(new Point(15, 11)));
        assertFalse(square.contains(new Point(9, 15)));
        assertFalse(square.contains(new Point(21, 15)));
        assertFalse(square.contains(new Point(15, 21)));
    }

    @Test
    public void doesNotContainWhatItGoesAround() {
        assertTrue(angle.contains(new Point(1, 5)));
        assertTrue(angle.contains(new Point(5, 1)));
        assertFalse(angle.contains(new Point(4, 4)));
    }

    @Test
    public void refusesWhatHasNoArea() {
        assertThrows(IllegalArgumentException.class, () -> Polygon.of(0, 0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> Polygon.of(0, 0, 1, 1, 2, 2));
        assertThrows(IllegalArgumentException.class, () -> Polygon.of(0, 0, 1, 1, 2));
    }
}
