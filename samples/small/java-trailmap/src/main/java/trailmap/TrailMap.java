package trailmap;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Huts and the trails between them. */
public final class TrailMap {

    private final Map<String, List<Trail>> trails = new TreeMap<>();

    public TrailMap trail(String from, String to, int minutes) {
        Trail trail = new Trail(from, to, minutes);
        trails.computeIfAbsent(from, key -> new ArrayList<>()).add(trail);
        trails.computeIfAbsent(to, key -> new ArrayList<>()).add(trail);
        return this;
    }

    public Set<String> huts() {
        return Collections.unmodifiableSet(trails.keySet());
    }

    /** All tours from one hut to the other that visit no hut twice, the shortest first. */
    public List<Tour> tours(String from, String to) {
        List<Tour> found = new ArrayList<>();
        List<String> visited = new ArrayList<>();
        visited.add(known(from));
        walk(visited, 0, known(to), found);
        found.sort(Comparator.comparingInt(Tour::minutes).thenComparing(Tour::toString));
        return found;
    }

    private void walk(List<String> visited, int minutes, String goal, List<Tour> found) {
        String here = visited.get(visited.size() - 1);
        if (here.equals(goal)) {
            found.add(new Tour(visited, minutes));
            return;
        }
        for (Trail trail : trails.get(here)) {
            String next = trail.otherEnd(here);
            if (!visited.contains(next)) {
                visited.add(next);
                walk(visited, minutes + trail.minutes(), goal, found);
                visited.remove(visited.size() - 1);
            }
        }
    }

    /** The shortest tour that takes at least that long. */
    public Optional<Tour> tourOfAtLeast(int minutes, String from, String to) {
        return tours(from, to).stream().filter(tour -> tour.minutes() >= minutes).findFirst();
    }

    /** The huts that can be reached from one, itself included. */
    public Set<String> reachable(String from) {
        Set<String> seen = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>();
        open.add(known(from));
        while (!open.isEmpty()) {
            String here = open.remove();
            if (seen.add(here)) {
                for (Trail trail : trails.get(here)) {
                    open.add(trail.otherEnd(here));
                }
            }
        }
        return seen;
    }

    private String known(String hut) {
        if (!trails.containsKey(hut)) {
            throw new IllegalArgumentException("no such hut: " + hut);
        }
        return hut;
    }
}
