package workdays;

import java.time.LocalDate;
import java.time.MonthDay;
import java.util.HashSet;
import java.util.Set;

/** Days on which nobody works: some return each year, others do not. */
public final class Holidays {

    private final Set<MonthDay> yearly = new HashSet<>();
    private final Set<LocalDate> single = new HashSet<>();

    /** A day of each year, as "12-25". */
    public Holidays yearly(String monthAndDay) {
        yearly.add(MonthDay.parse("--" + monthAndDay));
        return this;
    }

    /** A day of one year, as "2024-04-01". */
    public Holidays on(String date) {
        single.add(LocalDate.parse(date));
        return this;
    }

    public boolean includes(LocalDate date) {
        return single.contains(date) || yearly.contains(MonthDay.from(date));
    }
}
