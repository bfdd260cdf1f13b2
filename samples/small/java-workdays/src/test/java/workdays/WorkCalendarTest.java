package workdays;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.time.LocalDate;
import org.junit.Test;

/** Monday is the 3rd, 10th, 17th, 24th of June 2024. */
public class WorkCalendarTest {

    private final WorkCalendar calendar =
            new WorkCalendar(new Holidays().yearly("06-13").on("2024-06-14").on("2024-06-22").on("2024-07-01"));

    private static LocalDate day(String text) {
        return LocalDate.parse(text);
    }

    private void checkPlus(String from, int days, String expected) {
        assertEquals(from + " plus " + days, day(expected), calendar.plus(day(from), days));
    }

    @Test
    public void knowsWorkdays() {
        assertTrue(calendar.isWorkday(day("2024-06-12")));
        assertFalse(calendar.isWorkday(day("2024-06-13")));
        assertFalse(calendar.isWorkday(day("2024-06-14")));
        assertFalse(calendar.isWorkday(day("2024-06-15")));
        assertFalse(calendar.isWorkday(day("2024-06-16")));
    }

    @Test
    public void findsTheNextWorkday() {
        assertEquals(day("2024-06-12"), calendar.atOrAfter(day("2024-06-12")));
        assertEquals(day("2024-06-17"), calendar.atOrAfter(day("2024-06-13")));
    }

    @Test
    public void addsWithinAWeek() {
        checkPlus("2024-06-03", 1, "2024-06-04");
        checkPlus("2024-06-03", 4, "2024-06-07");
    }

    @Test
    public void addsOverAWeekend() {
        checkPlus("2024-06-03", 5, "2024-06-10");
        checkPlus("2024-06-07", 1, "2024-06-10");
        checkPlus("2024-05-22", 10, "2024-06-05");
    }

    @Test
    public void addsOverAHoliday() {
        checkPlus("2024-06-24", 5, "2024-07-02");
        checkPlus("2024-06-26", 4, "2024-07-03");
    }

    @Test
    public void addsOverHolidaysBeforeAWeekend() {
        checkPlus("2024-06-12", 1, "2024-06-17");
        checkPlus("2024-06-10", 3, "2024-06-17");
        checkPlus("2024-06-11", 6, "2024-06-21");
    }

    @Test
    public void addsOverAHolidayOnASaturday() {
        checkPlus("2024-06-20", 2, "2024-06-24");
    }

    @Test
    public void addsToADayOfAWeekend() {
        checkPlus("2024-06-08", 1, "2024-06-10");
        checkPlus("2024-06-09", 3, "2024-06-12");
    }

    @Test
    public void refusesToAddNothing() {
        assertThrows(IllegalArgumentException.class, () -> calendar.plus(day("2024-06-03"), 0));
        assertThrows(IllegalArgumentException.class, () -> calendar.plus(day("2024-06-03"), -1));
    }

    @Test
    public void countsWorkdaysAfterTheFirst() {
        assertEquals(1, calendar.between(day("2024-06-03"), day("2024-06-04")));
        assertEquals(5, calendar.between(day("2024-06-03"), day("2024-06-10")));
        assertEquals(2, calendar.between(day("2024-06-11"), day("2024-06-17")));
        assertEquals(0, calendar.between(day("2024-06-11"), day("2024-06-11")));
        assertEquals(0, calendar.between(day("2024-06-11"), day("2024-06-04")));
    }

    @Test
    public void countsHolidaysAfterTheFirst() {
        assertEquals(2, calendar.holidaysBetween(day("2024-06-12"), day("2024-06-14")));
        assertEquals(1, calendar.holidaysBetween(day("2024-06-13"), day("2024-06-21")));
        assertEquals(3, calendar.holidaysBetween(day("2024-06-01"), day("2024-06-30")));
    }

    @Test
    public void yearlyHolidaysReturn() {
        assertFalse(calendar.isWorkday(day("2025-06-13")));
        assertTrue(calendar.isWorkday(day("2023-06-14")));
    }
}
