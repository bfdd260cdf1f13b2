package workdays;

import static org.junit.Assert.assertEquals;

import java.time.LocalDate;
import org.junit.Test;

public class InvoiceTest {

    private final WorkCalendar calendar =
            new WorkCalendar(new Holidays().yearly("12-25").yearly("12-26").yearly("01-01"));
    private final Invoice invoice = new Invoice(LocalDate.parse("2024-06-03"), 10);

    private String notice(String today) {
        return invoice.notice(calendar, LocalDate.parse(today));
    }

    @Test
    public void isDueAfterWorkdays() {
        assertEquals(LocalDate.parse("2024-06-17"), invoice.due(calendar));
    }

    @Test
    public void isDueAfterChristmas() {
        Invoice christmas = new Invoice(LocalDate.parse("2024-12-23"), 3);
        assertEquals(LocalDate.parse("2024-12-30"), christmas.due(calendar));
    }

    @Test
    public void isNotLateOnItsDay() {
        assertEquals("due today", notice("2024-06-17"));
        assertEquals(0, invoice.late(calendar, LocalDate.parse("2024-06-17")));
    }

    @Test
    public void tellsWhenItIsDue() {
        assertEquals("due on 2024-06-17", notice("2024-06-16"));
    }

    @Test
    public void tellsHowLateItIs() {
        assertEquals("was due on 2024-06-17, 4 working days late", notice("2024-06-21"));
        assertEquals("was due on 2024-06-17, 5 working days late", notice("2024-06-24"));
    }
}
