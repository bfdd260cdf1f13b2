package bytepack;

import java.nio.charset.StandardCharsets;

/** Reads what {@link ByteWriter} has written. */
public final class ByteReader {

    private static final int LONGEST = 9;

    private final byte[] bytes;
    private int position;

    public ByteReader(byte[] bytes) {
        this.bytes = bytes.clone();
    }

    public boolean atEnd() {
        return position == bytes.length;
    }

    public long unsigned() {
        int start = position;
        long value = bits();
        if (value < 0) {
            throw new FormatException("too large", start);
        }
        return value;
    }

    public long signed() {
        long value = bits();
        return (value >>> 1) ^ -(value & 1);
    }

    public boolean flag() {
        int value = next();
        if (value > 1) {
            throw new FormatException("not a flag", position - 1);
        }
        return value == 1;
    }

    public String text() {
        int start = position;
        long length = unsigned();
        if (length > bytes.length - position) {
            throw new FormatException("text goes beyond the end", start);
        }
        String value = new String(bytes, position, (int) length, StandardCharsets.UTF_8);
        position += (int) length;
        return value;
    }

    private long bits() {
        int start = position;
        long value = 0;
        for (int i = 0; i < LONGEST; i++) {
            int next = next();
            value |= (long) (next & 0x7F) << (7 * i);
            if ((next & 0x80) == 0) {
                return value;
            }
        }
        throw new FormatException("number does not end", start);
    }

    private int next() {
        if (atEnd()) {
            throw new FormatException("unexpected end", position);
        }
        return bytes[position++] & 0xFF;
    }
}
