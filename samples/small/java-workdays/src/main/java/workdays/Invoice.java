package workdays;

import java.time.LocalDate;

/** When an invoice has to be paid. */
public final class Invoice {

    private final LocalDate issued;
    private final int workdaysToPay;

    public Invoice(LocalDate issued, int workdaysToPay) {
        this.issued = issued;
        this.workdaysToPay = workdaysToPay;
    }

    /** The last day on which it can be paid in time. */
    public LocalDate due(WorkCalendar calendar) {
        return calendar.plus(issued, workdaysToPay);
    }

    /** By how many working days it is late on a day; zero if it is not. */
    public int late(WorkCalendar calendar, LocalDate today) {
        return calendar.between(due(calendar), today);
    }

    /** What to tell the customer on a day. */
    public String notice(WorkCalendar calendar, LocalDate today) {
        LocalDate due = due(calendar);
        if (today.isBefore(due)) {
            return "due on " + due;
        }
        if (today.equals(due)) {
            return "due today";
        }
        return "was due on " + due + ", " + late(calendar, today) + " working days late";
    }
}
