package hotshelf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Keeps values as long as there is room; what was not used for the longest time goes first. */
public final class Shelf<K, V> {

    private final long room;
    private final Weigher<? super V> weigher;
    private final Map<K, V> values = new LinkedHashMap<>(16, 0.75f, true);
    private final Figures figures = new Figures();
    private long used;

    public Shelf(long room, Weigher<? super V> weigher) {
        if (room <= 0) {
            throw new IllegalArgumentException("no room: " + room);
        }
        this.room = room;
        this.weigher = weigher;
    }

    public Optional<V> get(K key) {
        V value = values.get(key);
        if (value == null) {
            figures.miss();
        } else {
            figures.hit();
        }
        return Optional.ofNullable(value);
    }

    /** The value that is kept, otherwise a new one, which is kept from now on. */
    public V getOr(K key, Function<? super K, ? extends V> make) {
        Optional<V> kept = get(key);
        if (kept.isPresent()) {
            return kept.get();
        }
        V made = make.apply(key);
        put(key, made);
        return made;
    }

    /** Keeps a value in place of the earlier one; what is larger than the shelf is not kept at all. */
    public void put(K key, V value) {
        long weight = weigher.weigh(value);
        if (weight > room) {
            values.remove(key);
            return;
        }
        values.put(key, value);
        used += weight;
        makeRoom();
    }

    /** Forgets a value. */
    public boolean remove(K key) {
        V removed = values.remove(key);
        if (removed == null) {
            return false;
        }
        used -= weigher.weigh(removed);
        return true;
    }

    /** Forgets all values with such a key and says how many it were. */
    public int removeIf(Predicate<? super K> unwanted) {
        int before = values.size();
        values.keySet().removeIf(unwanted);
        return before - values.size();
    }

    /** The keys: what goes first comes first. */
    public List<K> keys() {
        return new ArrayList<>(values.keySet());
    }

    /** How much room is left. */
    public long free() {
        return room - used;
    }

    public Figures figures() {
        return figures;
    }

    private void makeRoom() {
        while (used > room) {
            remove(values.keySet().iterator().next());
            figures.evict();
        }
    }
}
