package hotshelf;

/** What a shelf has done so far. */
public final class Figures {

    private int hits;
    private int misses;
    private int evictions;

    void hit() {
        hits++;
    }

    void miss() {
        misses++;
    }

    void evict() {
        evictions++;
    }

    public int hits() {
        return hits;
    }

    public int misses() {
        return misses;
    }

    public int evictions() {
        return evictions;
    }

    /** The part of all look-ups that found something, in percent. */
    public int hitRate() {
        int all = hits + misses;
        return all == 0 ? 0 : hits * 100 / all;
    }
}
