package plotmap;

/**
 * A point of the map, in metres.
 *
 * @param x metres to the east
 * @param y metres to the north
 */
public record Point(double x, double y) {

    public double distance(Point other) {
        return Math.hypot(x - other.x, y - other.y);
    }

    /** Twice the signed area of the triangle with the origin; positive if the other one lies to the left. */
    double cross(Point other) {
        return x * other.y - other.x * y;
    }
}
