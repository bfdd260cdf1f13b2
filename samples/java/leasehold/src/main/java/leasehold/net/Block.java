package leasehold.net;

/**
 * Addresses that lie side by side, at least one.
 *
 * @param first the lowest of them
 * @param last the highest of them
 */
public record Block(Address first, Address last) implements Comparable<Block> {

    private static final int BITS = 32;

    public Block {
        if (first.compareTo(last) > 0) {
            throw new IllegalArgumentException(first + " lies above " + last);
        }
    }

    /** Reads a block: ADDRESS, FIRST-LAST or ADDRESS/PREFIX. */
    public static Block parse(String text) {
        int dash = text.indexOf('-');
        if (dash >= 0) {
            return new Block(Address.parse(text.substring(0, dash)), Address.parse(text.substring(dash + 1)));
        }
        int slash = text.indexOf('/');
        if (slash >= 0) {
            return ofPrefix(Address.parse(text.substring(0, slash)), text.substring(slash + 1));
        }
        Address only = Address.parse(text);
        return new Block(only, only);
    }

    private static Block ofPrefix(Address first, String length) {
        if (!length.matches("\\d{1,2}") || Integer.parseInt(length) > BITS) {
            throw new IllegalArgumentException("not the length of a prefix: " + length);
        }
        long size = 1L << BITS - Integer.parseInt(length);
        if (first.value() % size != 0) {
            throw new IllegalArgumentException(first + " does not start a block of /" + length);
        }
        return of(first, size);
    }

    /** The block of so many addresses that starts at the given one. */
    public static Block of(Address first, long size) {
        return new Block(first, first.plus(size - 1));
    }

    public long size() {
        return last.value() - first.value() + 1;
    }

    public boolean contains(Address address) {
        return first.compareTo(address) <= 0 && address.compareTo(last) <= 0;
    }

    public boolean contains(Block other) {
        return contains(other.first) && contains(other.last);
    }

    /** Whether the two have an address in common. */
    public boolean overlaps(Block other) {
        return first.compareTo(other.last) <= 0 && other.first.compareTo(last) <= 0;
    }

    /** The smallest block that contains both. */
    public Block span(Block other) {
        return new Block(
                first.compareTo(other.first) <= 0 ? first : other.first,
                last.compareTo(other.last) >= 0 ? last : other.last);
    }

    /** By the first address, then by the last one. */
    @Override
    public int compareTo(Block other) {
        int byFirst = first.compareTo(other.first);
        return byFirst != 0 ? byFirst : last.compareTo(other.last);
    }

    /** In the shortest form that {@link #parse} reads. */
    @Override
    public String toString() {
        long size = size();
        if (size == 1) {
            return first.toString();
        }
        if (Long.bitCount(size) == 1 && first.value() % size == 0) {
            return first + "/" + (BITS - Long.numberOfTrailingZeros(size));
        }
        return first + "-" + last;
    }
}
