package halls;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A hall with lanes that are booked. */
public class Hall {
    private final List<Lane> lanes;
    private final int[] seats;
    private final Map<String, Integer> points = new HashMap<>();
    private final TreeMap<Integer, String> prices = new TreeMap<>();
    private final Deque<String> queue;
    private Lane last;

    public Hall(List<Lane> lanes, int[] seats, Deque<String> queue) {
        this.lanes = new ArrayList<>(lanes);
        this.seats = seats.clone();
        this.queue = queue;
    }

    public List<Lane> getLanes() {
        return new ArrayList<>(lanes);
    }

    public int[] seats() {
        return Arrays.copyOf(seats, seats.length);
    }

    public int lastLength() {
        int length = last != null ? last.getLength() : 0;
        return length + 1;
    }

    public String lastName() {
        return last != null ? last.getName() : null;
    }

    public String describe(Lane lane) {
        return String.format("%s of %d", lane.getOwner() != null ? lane.getOwner().getName() : "", seats.length);
    }

    public boolean admits(Lane lane, int players) {
        if (players <= lane.getLength() && !lane.isClosed()) {
            last = lane;
            return true;
        }
        return false;
    }

    public double share(int hits, int total) {
        return 100.0 * hits / total;
    }

    public double rate(int hits, int total) {
        double rate = (double) hits / total;
        return Math.floor(rate * 10);
    }

    public double mean() {
        int sum = 0;
        for (int seat : seats) {
            sum += seat;
        }
        return sum * 1.0 / seats.length;
    }

    public String price(int length) {
        Map.Entry<Integer, String> entry = prices.floorEntry(length);
        Integer next = prices.higherKey(length);
        return entry == null ? String.valueOf(next) : entry.getValue();
    }

    public String nextPlayer() {
        return queue.pollFirst();
    }

    public void score(String name, int amount) {
        points.merge(name, amount, Integer::sum);
    }

    public int slot(int hash, int size) {
        return Math.floorMod(hash, size);
    }

    public boolean within(int row, int column) {
        return row >= 0 && row < seats.length && column >= 0 && column < lanes.size();
    }

    public LocalDate end(LocalDate start, int days) {
        LocalDate end = start.plusDays(days);
        return end.isAfter(start) ? end : start;
    }

    public List<List<Integer>> choices(List<Integer> chosen) {
        List<List<Integer>> found = new ArrayList<>();
        for (int seat : seats) {
            chosen.add(seat);
            found.add(new ArrayList<>(chosen));
        }
        chosen.remove(Integer.valueOf(seats[0]));
        return found;
    }

    public String tail(String text) {
        int dot = text.lastIndexOf('.');
        return text.substring(dot + 1).strip();
    }

    public int pad(String left, String right, int width) {
        if (left.length() + right.length() + 1 <= width) {
            return width - left.length();
        }
        return Math.max(0, clip(width, 2));
    }

    private int clip(int width, int step) {
        return width / step;
    }
}
