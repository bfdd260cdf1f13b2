package bytepack;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import org.junit.Test;

public class ByteReaderTest {

    private static ByteReader reader(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return new ByteReader(bytes);
    }

    private static void checkSigned(long value) {
        assertEquals(value, new ByteReader(new ByteWriter().signed(value).toByteArray()).signed());
    }

    private static int offsetOf(Runnable reading) {
        return assertThrows(FormatException.class, reading::run).offset();
    }

    @Test
    public void readsNumbersOfOneByte() {
        ByteReader reader = reader(0, 127);
        assertEquals(0, reader.unsigned());
        assertEquals(127, reader.unsigned());
        assertTrue(reader.atEnd());
    }

    @Test
    public void readsLowBitsFirst() {
        assertEquals(300, reader(0xAC, 0x02).unsigned());
    }

    @Test
    public void readsBackUnsignedNumbers() {
        for (long value : new long[] {128, 16_383, 16_384, 1L << 35, Long.MAX_VALUE}) {
            assertEquals(value, new ByteReader(new ByteWriter().unsigned(value).toByteArray()).unsigned());
        }
    }

    @Test
    public void readsBackSignedNumbers() {
        for (long value : new long[] {-1, 1, -65, 64, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            checkSigned(value);
        }
    }

    @Test
    public void readsBackTheLargestAndTheSmallestSignedNumber() {
        checkSigned(Long.MAX_VALUE);
        checkSigned(Long.MIN_VALUE);
    }

    @Test
    public void readsBackSignedNumbersOfSixtyThreeBits() {
        checkSigned(1L << 62);
        checkSigned(-(1L << 62) - 1);
    }

    @Test
    public void readsBackARow() {
        byte[] bytes = new ByteWriter().text("caf\u00e9").flag(true).signed(-5000).text("").toByteArray();
        ByteReader reader = new ByteReader(bytes);
        assertEquals("caf\u00e9", reader.text());
        assertTrue(reader.flag());
        assertEquals(-5000, reader.signed());
        assertFalse(reader.atEnd());
        assertEquals("", reader.text());
        assertTrue(reader.atEnd());
    }

    @Test
    public void refusesNumbersThatEndEarly() {
        assertEquals(2, offsetOf(() -> reader(0x80, 0x80).unsigned()));
        assertEquals(0, offsetOf(() -> reader().signed()));
    }

    @Test
    public void refusesNumbersThatDoNotEnd() {
        int[] endless = new int[20];
        Arrays.fill(endless, 0x80);
        FormatException refusal = assertThrows(FormatException.class, () -> reader(endless).signed());
        assertEquals("number does not end at byte 0", refusal.getMessage());
    }

    @Test
    public void refusesNumbersOfElevenBytes() {
        int[] tooLong = new int[11];
        Arrays.fill(tooLong, 0, 10, 0x80);
        assertEquals(0, offsetOf(() -> reader(tooLong).signed()));
    }

    @Test
    public void refusesUnsignedNumbersThatAreTooLarge() {
        int[] allBits = new int[10];
        Arrays.fill(allBits, 0, 9, 0xFF);
        allBits[9] = 0x01;
        FormatException refusal = assertThrows(FormatException.class, () -> reader(allBits).unsigned());
        assertEquals("too large at byte 0", refusal.getMessage());
    }

    @Test
    public void refusesTextsThatGoBeyondTheEnd() {
        assertEquals(0, offsetOf(() -> reader(3, 'a', 'b').text()));
    }

    @Test
    public void refusesOtherFlags() {
        assertEquals(0, offsetOf(() -> reader(2).flag()));
    }
}
