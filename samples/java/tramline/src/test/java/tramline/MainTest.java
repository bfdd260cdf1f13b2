package tramline;

import static org.junit.Assert.assertEquals;

import org.junit.Test;
import tramline.text.TimetableReader;
import tramline.timetable.Timetable;

public class MainTest {

    private final Timetable harbour = TimetableReader.read("""
            stop Castle 4
            line 5 tram
            route 5 Airport 0 Bridge 8 Castle 15 Dock 24
            every 15 from 06:00 until 11:00
            route 5 Dock 0 Castle 9 Bridge 16 Airport 24
            runs 08:40 09:40
            """);

    @Test
    public void answersWithAJourney() {
        assertEquals(
                """
                08:15  Airport
                       tram 5 to Dock
                08:30  Castle
                15 min, no change""",
                Main.answer(harbour, "Airport", "Castle", "08:05"));
    }

    @Test
    public void answersForTheWayBack() {
        assertEquals(
                """
                08:49  Castle
                       tram 5 to Airport
                09:04  Airport
                15 min, no change""",
                Main.answer(harbour, "Castle", "Airport", "08:05"));
    }

    @Test
    public void saysThatThereIsNoWay() {
        assertEquals(
                "No way from Bridge to Dock after 11:10 today.", Main.answer(harbour, "Bridge", "Dock", "11:10"));
    }
}
