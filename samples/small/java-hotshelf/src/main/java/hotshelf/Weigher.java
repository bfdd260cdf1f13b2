package hotshelf;

/** Says how much room a value takes. */
@FunctionalInterface
public interface Weigher<V> {

    /** Not negative, and always the same for the same value. */
    long weigh(V value);
}
