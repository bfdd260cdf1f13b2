package workdays;

import java.time.DayOfWeek;
import java.time.LocalDate;

/** Counts in working days: Monday to Friday without holidays. */
public final class WorkCalendar {

    private static final int WORKDAYS_OF_A_WEEK = 5;

    private final Holidays holidays;

    public WorkCalendar(Holidays holidays) {
        this.holidays = holidays;
    }

    public boolean isWorkday(LocalDate date) {
        return !isWeekend(date) && !holidays.includes(date);
    }

    /** The day itself if it is a working day, otherwise the first one after it. */
    public LocalDate atOrAfter(LocalDate date) {
        LocalDate day = date;
        while (!isWorkday(day)) {
            day = day.plusDays(1);
        }
        return day;
    }

    /** The working day that is so many working days after a day. */
    public LocalDate plus(LocalDate date, int days) {
        if (days <= 0) {
            throw new IllegalArgumentException("not a number of days: " + days);
        }
        int daysSinceMonday = date.getDayOfWeek().getValue() - 1;
        int weekends = (daysSinceMonday + days) / WORKDAYS_OF_A_WEEK;
        LocalDate end = date.plusDays(days + 2L * weekends);
        return end.plusDays(holidaysBetween(date, end));
    }

    /** How many working days come after the first day until the last one, which is counted. */
    public int between(LocalDate first, LocalDate last) {
        int count = 0;
        for (LocalDate day = first.plusDays(1); !day.isAfter(last); day = day.plusDays(1)) {
            if (isWorkday(day)) {
                count++;
            }
        }
        return count;
    }

    /** How many holidays come after the first day until the last one, which is counted. */
    public int holidaysBetween(LocalDate first, LocalDate last) {
        int count = 0;
        for (LocalDate day = first.plusDays(1); !day.isAfter(last); day = day.plusDays(1)) {
            if (holidays.includes(day)) {
                count++;
            }
        }
        return count;
    }

    private static boolean isWeekend(LocalDate date) {
        DayOfWeek day = date.getDayOfWeek();
        return day == DayOfWeek.SATURDAY || day == DayOfWeek.SUNDAY;
    }
}
