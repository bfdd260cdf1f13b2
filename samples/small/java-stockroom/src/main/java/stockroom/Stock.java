package stockroom;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How many pieces of each item lie in each place. */
public final class Stock {

    private final Map<String, Item> items = new TreeMap<>();
    private final Map<String, Map<String, Integer>> places = new HashMap<>();

    /** Makes an item known. */
    public void register(Item item) {
        if (items.putIfAbsent(item.code(), item) != null) {
            throw new IllegalArgumentException("known already: " + item.code());
        }
    }

    /** Puts pieces of a known item into a place. */
    public void receive(String code, String place, int pieces) {
        known(code);
        positive(pieces);
        places.computeIfAbsent(code, key -> new TreeMap<>()).merge(place, pieces, Integer::sum);
    }

    /** Takes pieces out of the places, in the order of their names, and says how many came from where. */
    public Map<String, Integer> take(String code, int pieces) {
        positive(pieces);
        if (available(code) < pieces) {
            throw new IllegalStateException("only " + available(code) + " of " + code);
        }
        Map<String, Integer> taken = new TreeMap<>();
        int missing = pieces;
        for (Map.Entry<String, Integer> place : places.get(code).entrySet()) {
            int here = Math.min(missing, place.getValue());
            if (here > 0) {
                taken.put(place.getKey(), here);
                place.setValue(place.getValue() - here);
                missing -= here;
            }
        }
        places.get(code).values().removeIf(left -> left == 0);
        return taken;
    }

    /** The pieces of an item in all places. */
    public int available(String code) {
        known(code);
        int sum = 0;
        for (int pieces : places.get(code).values()) {
            sum += pieces;
        }
        return sum;
    }

    /** The pieces of an item in one place. */
    public int availableAt(String code, String place) {
        known(code);
        return places.getOrDefault(code, Map.of()).getOrDefault(place, 0);
    }

    /** The known items of which more should be ordered, by code. */
    public List<Item> toReorder() {
        List<Item> low = new ArrayList<>();
        for (Item item : items.values()) {
            if (available(item.code()) <= item.reorderAt()) {
                low.add(item);
            }
        }
        return low;
    }

    private void known(String code) {
        if (!items.containsKey(code)) {
            throw new IllegalArgumentException("not an item: " + code);
        }
    }

    private static void positive(int pieces) {
        if (pieces <= 0) {
            throw new IllegalArgumentException("not a number of pieces: " + pieces);
        }
    }
}
