package bytepack;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes numbers and texts as few bytes: seven bits to the byte, low bits first, the eighth says that more follow. */
public final class ByteWriter {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** A number that is not negative. */
    public ByteWriter unsigned(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("negative: " + value);
        }
        return bits(value);
    }

    /** Any number; those near zero take few bytes. */
    public ByteWriter signed(long value) {
        return bits((value << 1) ^ (value >> 63));
    }

    public ByteWriter flag(boolean value) {
        bytes.write(value ? 1 : 0);
        return this;
    }

    /** A text, after the number of its bytes. */
    public ByteWriter text(String value) {
        byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        bits(encoded.length);
        bytes.write(encoded, 0, encoded.length);
        return this;
    }

    public byte[] toByteArray() {
        return bytes.toByteArray();
    }

    private ByteWriter bits(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes.write((int) (rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        bytes.write((int) rest);
        return this;
    }
}
