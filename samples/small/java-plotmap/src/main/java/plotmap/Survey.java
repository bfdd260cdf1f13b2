package plotmap;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The plots of a village by their numbers. */
public final class Survey {

    private final Map<String, Polygon> plots = new TreeMap<>();

    public Survey plot(String number, Polygon area) {
        plots.put(number, area);
        return this;
    }

    /** The number of the plot in which a point lies. */
    public Optional<String> plotAt(Point point) {
        return plots.entrySet().stream()
                .filter(plot -> plot.getValue().contains(point))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Square metres of all plots. */
    public double area() {
        return plots.values().stream().mapToDouble(Polygon::area).sum();
    }

    /** One line for each plot: number, square metres and where the number is printed on the map. */
    public String labels() {
        StringBuilder text = new StringBuilder();
        plots.forEach((number, area) -> {
            Point place = area.centroid();
            text.append(number);
            text.append(String.format(Locale.ROOT, ": %.0f m2 at %.1f/%.1f", area.area(), place.x(), place.y()));
            text.append('\n');
        });
        return text.toString();
    }
}
