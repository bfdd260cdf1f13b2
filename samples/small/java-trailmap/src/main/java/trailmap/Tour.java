package trailmap;

import java.util.List;

/** A walk from hut to hut. */
public final class Tour {

    private final List<String> huts;
    private final int minutes;

    public Tour(List<String> huts, int minutes) {
        this.huts = huts;
        this.minutes = minutes;
    }

    public List<String> huts() {
        return huts;
    }

    public int minutes() {
        return minutes;
    }

    public String first() {
        return huts.get(0);
    }

    public String last() {
        return huts.get(huts.size() - 1);
    }

    @Override
    public String toString() {
        return String.join(" - ", huts) + " (" + minutes / 60 + ":" + String.format("%02d", minutes % 60) + ")";
    }
}
