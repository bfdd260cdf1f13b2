package roomkey;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A meeting room and who has it when, on one day. */
public final class Room {

    private final String name;
    private final int seats;
    private final TreeMap<Slot, String> bookings = new TreeMap<>();

    public Room(String name, int seats) {
        this.name = name;
        this.seats = seats;
    }

    public String name() {
        return name;
    }

    public int seats() {
        return seats;
    }

    public boolean isFree(Slot slot) {
        return bookings.keySet().stream().noneMatch(slot::overlaps);
    }

    /** Books the room; refuses if somebody has it at that time. */
    public void book(Slot slot, String who) {
        for (Map.Entry<Slot, String> booking : bookings.entrySet()) {
            if (slot.overlaps(booking.getKey())) {
                throw new IllegalStateException(
                        name + " is taken at " + booking.getKey() + " by " + booking.getValue());
            }
        }
        bookings.put(slot, who);
    }

    public boolean cancel(Slot slot) {
        return bookings.remove(slot) != null;
    }

    public Optional<String> whoHas(Slot slot) {
        return Optional.ofNullable(bookings.get(slot));
    }

    /** The stretches of the opening time in which nobody has the room. */
    public List<Slot> gaps(Slot opening) {
        List<Slot> gaps = new ArrayList<>();
        int from = opening.start();
        for (Slot taken : bookings.keySet()) {
            if (from < taken.start()) {
                gaps.add(new Slot(from, taken.start()));
            }
            from = Math.max(from, taken.end());
        }
        if (from < opening.end()) {
            gaps.add(new Slot(from, opening.end()));
        }
        return gaps;
    }
}
