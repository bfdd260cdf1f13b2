package keyfile;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.Test;

public class SettingsTest {

    private final Settings settings = Settings.parse(String.join(
            "\n",
            "name = demo",
            "[web]",
            "port = 8080",
            "secure = yes",
            "start = http://localhost/?page=1&size=20",
            "[db]",
            "port = many",
            "cache = off"));

    @Test
    public void findsByPath() {
        assertEquals(Optional.of("demo"), settings.find("name"));
        assertEquals(Optional.of("8080"), settings.find("web.port"));
        assertEquals(Optional.empty(), settings.find("port"));
    }

    @Test
    public void findsAddresses() {
        assertEquals("http://localhost/?page=1&size=20", settings.required("web.start"));
    }

    @Test
    public void takesTheOtherValueIfThereIsNone() {
        assertEquals("demo", settings.text("name", "x"));
        assertEquals("x", settings.text("title", "x"));
        assertEquals(7, settings.number("web.size", 7));
        assertTrue(settings.flag("web.fast", true));
    }

    @Test
    public void readsNumbersAndFlags() {
        assertEquals(8080, settings.number("web.port", 7));
        assertTrue(settings.flag("web.secure", false));
        assertFalse(settings.flag("db.cache", true));
    }

    @Test
    public void saysWhereAValueIsWrong() {
        KeyFileException number = assertThrows(KeyFileException.class, () -> settings.number("db.port", 7));
        assertEquals("line 7: db.port is not a number: many", number.getMessage());
        KeyFileException flag = assertThrows(KeyFileException.class, () -> settings.flag("web.port", true));
        assertEquals("line 3: web.port is neither yes nor no: 8080", flag.getMessage());
    }

    @Test
    public void refusesWhatIsMissing() {
        assertThrows(KeyFileException.class, () -> settings.required("db.name"));
    }

    @Test
    public void laterOnesReplaceEarlierOnes() {
        Settings twice = Settings.parse("a = 1\nb = 2\na = 3");
        assertEquals("3", twice.required("a"));
        assertEquals(Set.of("a", "b"), twice.paths());
    }

    @Test
    public void listsASection() {
        assertEquals(Map.of("port", "many", "cache", "off"), settings.section("db"));
        assertEquals(Map.of(), settings.section("mail"));
    }
}
