package bytepack;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class ByteWriterTest {

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    @Test
    public void writesSmallNumbersAsOneByte() {
        assertArrayEquals(bytes(0, 1, 127), new ByteWriter().unsigned(0).unsigned(1).unsigned(127).toByteArray());
    }

    @Test
    public void writesLowBitsFirst() {
        assertArrayEquals(bytes(0x80, 0x01), new ByteWriter().unsigned(128).toByteArray());
        assertArrayEquals(bytes(0xAC, 0x02), new ByteWriter().unsigned(300).toByteArray());
    }

    @Test
    public void writesSignedNumbersNearZeroAsOneByte() {
        byte[] written = new ByteWriter().signed(0).signed(-1).signed(1).signed(-64).signed(63).toByteArray();
        assertArrayEquals(bytes(0, 1, 2, 127, 126), written);
    }

    @Test
    public void writesTheLengthOfATextInBytes() {
        assertArrayEquals(bytes(3, 'a', 0xC3, 0xA9), new ByteWriter().text("a\u00e9").toByteArray());
        assertArrayEquals(bytes(0), new ByteWriter().text("").toByteArray());
    }

    @Test
    public void writesFlags() {
        assertArrayEquals(bytes(1, 0), new ByteWriter().flag(true).flag(false).toByteArray());
    }

    @Test
    public void refusesNegativeNumbersAsUnsigned() {
        assertThrows(IllegalArgumentException.class, () -> new ByteWriter().unsigned(-1));
    }

    @Test
    public void writesTheSmallestNumber() {
        byte[] written = new ByteWriter().signed(Long.MIN_VALUE).toByteArray();
        assertArrayEquals(bytes(255, 255, 255, 255, 255, 255, 255, 255, 255, 1), written);
    }
}
