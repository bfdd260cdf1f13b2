package columnist;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import org.junit.Test;

public class WrapperTest {

    private static void checkWrap(int width, String text, String... lines) {
        assertEquals(List.of(lines), new Wrapper(width).wrap(text));
    }

    @Test
    public void leavesShortTextAlone() {
        checkWrap(20, "one two three", "one two three");
        checkWrap(13, "one two three", "one two three");
    }

    @Test
    public void breaksBetweenWords() {
        checkWrap(12, "one two three", "one two", "three");
        checkWrap(7, "one two three", "one two", "three");
        checkWrap(6, "one two three", "one", "two", "three");
        checkWrap(3, "a bc d", "a", "bc", "d");
    }

    @Test
    public void takesWordsAsWideAsTheLine() {
        checkWrap(5, "three one seven", "three", "one", "seven");
    }

    @Test
    public void makesOneOfSeveralBlanks() {
        checkWrap(10, "  one   two ", "one two");
    }

    @Test
    public void keepsLineBreaks() {
        checkWrap(10, "one\ntwo\n\nthree", "one", "two", "", "three");
        checkWrap(10, "one\n", "one", "");
        checkWrap(10, "", "");
    }

    @Test
    public void splitsAWordThatIsWiderThanTheLine() {
        checkWrap(5, "extraordinary", "extra", "ordin", "ary");
        checkWrap(5, "abcdefghij", "abcde", "fghij");
        checkWrap(1, "abc", "a", "b", "c");
    }

    @Test
    public void beginsALongWordOnALineOfItsOwn() {
        checkWrap(6, "an extraordinary day", "an", "extrao", "rdinar", "y day");
    }

    @Test
    public void keepsBreakingAfterALongWord() {
        checkWrap(4, "abcdefgh ij kl", "abcd", "efgh", "ij", "kl");
        checkWrap(4, "abcdef g hi", "abcd", "ef g", "hi");
    }

    @Test
    public void refusesAWidthOfZero() {
        assertThrows(IllegalArgumentException.class, () -> new Wrapper(0));
    }
}
