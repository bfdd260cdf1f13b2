package plotmap;

import java.util.List;

/** An area within straight edges that do not cross; the last corner is joined to the first. */
public final class Polygon {

    private final List<Point> corners;

    public Polygon(List<Point> corners) {
        if (corners.size() < 3) {
            throw new IllegalArgumentException("needs three corners, has " + corners.size());
        }
        this.corners = List.copyOf(corners);
        if (signedArea() == 0) {
            throw new IllegalArgumentException("all corners lie on a line");
        }
    }

    /** A polygon of x, y, x, y and so on. */
    public static Polygon of(double... coordinates) {
        if (coordinates.length % 2 != 0) {
            throw new IllegalArgumentException("an x without a y");
        }
        Point[] corners = new Point[coordinates.length / 2];
        for (int i = 0; i < corners.length; i++) {
            corners[i] = new Point(coordinates[2 * i], coordinates[2 * i + 1]);
        }
        return new Polygon(List.of(corners));
    }

    public List<Point> corners() {
        return corners;
    }

    /** Square metres. */
    public double area() {
        return Math.abs(signedArea());
    }

    /** Metres around it. */
    public double perimeter() {
        double sum = 0;
        for (int i = 0; i < corners.size(); i++) {
            sum += corners.get(i).distance(after(i));
        }
        return sum;
    }

    /** Where it would balance if it was cut out of board. */
    public Point centroid() {
        double x = 0;
        double y = 0;
        for (Point corner : corners) {
            x += corner.x();
            y += corner.y();
        }
        return new Point(x / corners.size(), y / corners.size());
    }

    /** Whether a point lies inside. */
    public boolean contains(Point point) {
        boolean inside = false;
        for (int i = 0; i < corners.size(); i++) {
            Point from = corners.get(i);
            Point to = after(i);
            if (from.y() > point.y() != to.y() > point.y()) {
                double x = from.x() + (point.y() - from.y()) / (to.y() - from.y()) * (to.x() - from.x());
                if (point.x() < x) {
                    inside = !inside;
                }
            }
        }
        return inside;
    }

    /** The area, negative if the corners go around clockwise. */
    private double signedArea() {
        double sum = 0;
        for (int i = 0; i < corners.size(); i++) {
            sum += corners.get(i).cross(after(i));
        }
        return sum / 2;
    }

    private Point after(int index) {
        return corners.get((index + 1) % corners.size());
    }
}
