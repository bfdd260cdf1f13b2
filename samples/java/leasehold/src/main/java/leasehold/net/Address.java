package leasehold.net;

/**
 * An IPv4 address.
 *
 * @param value its 32 bits as a number, 0 to 2^32 - 1
 */
public record Address(long value) implements Comparable<Address> {

    /** 255.255.255.255. */
    public static final Address HIGHEST = new Address(0xFFFF_FFFFL);

    private static final int OCTETS = 4;

    public Address {
        if (value < 0 || value > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException("no such address: " + value);
        }
    }

    /** Reads an address such as 10.20.0.1. */
    public static Address parse(String text) {
        String[] octets = text.split("\\.", -1);
        if (octets.length != OCTETS) {
            throw new IllegalArgumentException("not an address: " + text);
        }
        long value = 0;
        for (String octet : octets) {
            if (!octet.matches("0|[1-9]\\d{0,2}") || Integer.parseInt(octet) > 0xFF) {
                throw new IllegalArgumentException("not an address: " + text);
            }
            value = value << Byte.SIZE | Integer.parseInt(octet);
        }
        return new Address(value);
    }

    /** The address so many places above this one. */
    public Address plus(long distance) {
        return new Address(value + distance);
    }

    @Override
    public int compareTo(Address other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return (value >> 24) + "." + (value >> 16 & 0xFF) + "." + (value >> 8 & 0xFF) + "." + (value & 0xFF);
    }
}
