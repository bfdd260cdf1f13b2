import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.Charset;

/** Takes what a program prints: the first and the last part of it. */
final class PatchwrightOutput extends OutputStream {
    /** Bytes that are kept of the beginning, and of the end. */
    private static final int HALF = 128 << 10;

    private final byte[] head = new byte[HALF];
    private final byte[] tail = new byte[HALF];
    private long written;

    /** A stream that prints into this, in the encoding of the machine as System.out has it. */
    PrintStream printer() {
        try {
            return new PrintStream(this, true, Charset.defaultCharset().name());
        } catch (UnsupportedEncodingException problem) {
            throw new IllegalStateException(problem);
        }
    }

    @Override
    public synchronized void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) {
        int place = from;
        int left = length;
        while (left > 0) {
            boolean first = written < HALF;
            int start = first ? (int) written : (int) ((written - HALF) % HALF);
            int count = Math.min(left, HALF - start);
            System.arraycopy(bytes, place, first ? head : tail, start, count);
            written += count;
            place += count;
            left -= count;
        }
    }

    /** Forgets what was printed. */
    synchronized void clear() {
        written = 0;
    }

    /** What was printed since it was forgotten. */
    synchronized String text() {
        Charset charset = Charset.defaultCharset();
        StringBuilder text = new StringBuilder(new String(head, 0, (int) Math.min(written, HALF), charset));
        long after = Math.max(0, written - HALF);
        if (after > HALF) {
            text.append("\n[… ").append(after - HALF).append(" bytes left out …]\n");
            int start = (int) (after % HALF);
            text.append(new String(tail, start, HALF - start, charset)).append(new String(tail, 0, start, charset));
        } else {
            text.append(new String(tail, 0, (int) after, charset));
        }
        return text.toString();
    }
}
