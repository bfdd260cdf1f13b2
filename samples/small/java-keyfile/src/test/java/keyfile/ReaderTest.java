package keyfile;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import org.junit.Test;

public class ReaderTest {

    private static void checkEntry(String line, String key, String value) {
        assertEquals(List.of(new Entry("", key, value, 1)), Reader.read(line));
    }

    private static void checkRefused(String text, String message) {
        KeyFileException refusal = assertThrows(text, KeyFileException.class, () -> Reader.read(text));
        assertEquals(message, refusal.getMessage());
    }

    @Test
    public void readsKeyAndValue() {
        checkEntry("port = 80", "port", "80");
        checkEntry("  port=80  ", "port", "80");
        checkEntry("full name = Ada Byron", "full name", "Ada Byron");
    }

    @Test
    public void readsEmptyValues() {
        checkEntry("port =", "port", "");
    }

    @Test
    public void readsValuesWithASign() {
        checkEntry("url = http://host/?a=1", "url", "http://host/?a=1");
        checkEntry("sum = 1 + 1 = 2", "sum", "1 + 1 = 2");
    }

    @Test
    public void readsValuesThatEndWithASign() {
        checkEntry("token = YWJjZA==", "token", "YWJjZA==");
    }

    @Test
    public void takesQuotesOff() {
        checkEntry("motto = \" as is \"", "motto", " as is ");
        checkEntry("mark = \"", "mark", "\"");
    }

    @Test
    public void skipsCommentsAndEmptyLines() {
        assertEquals(List.of(new Entry("", "a", "1", 4)), Reader.read("# a = 0\n\n   \na = 1\n"));
    }

    @Test
    public void knowsTheSection() {
        List<Entry> entries = Reader.read("a = 1\n[ web ]\na = 2\n[db]\na = 3");
        assertEquals(
                List.of(new Entry("", "a", "1", 1), new Entry("web", "a", "2", 3), new Entry("db", "a", "3", 5)),
                entries);
    }

    @Test
    public void refusesLinesWithoutASign() {
        checkRefused("a = 1\nport 80", "line 2: expected key = value");
    }

    @Test
    public void refusesLinesWithoutAKey() {
        checkRefused("= 80", "line 1: value without a key");
        checkRefused("= a = b", "line 1: value without a key");
    }

    @Test
    public void refusesWrongSections() {
        checkRefused("[web", "line 1: section does not end");
        checkRefused("\n[ ]", "line 2: section without a name");
    }
}
