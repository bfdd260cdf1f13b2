package lapboard;

import java.util.List;
import java.util.Locale;

/** The board that shows the ranking. */
public final class Board {

    private Board() {}

    /** A time as "1:02.345". */
    public static String clock(long millis) {
        return String.format(Locale.ROOT, "%d:%02d.%03d", millis / 60_000, millis / 1000 % 60, millis % 1000);
    }

    /** One line for each runner: place, name, laps, time, speed. */
    public static String show(Race race) {
        StringBuilder board = new StringBuilder();
        List<String> ranking = race.ranking();
        for (int i = 0; i < ranking.size(); i++) {
            String runner = ranking.get(i);
            board.append(String.format(
                    Locale.ROOT,
                    "%d. %s: %d laps in %s, %.1f km/h%n",
                    i + 1,
                    runner,
                    race.laps(runner),
                    clock(race.total(runner)),
                    race.speed(runner)));
        }
        return board.toString().replace("\r\n", "\n");
    }
}
