package fairshare;

import java.util.Objects;

/** An amount in cents. */
public final class Money implements Comparable<Money> {

    public static final Money ZERO = new Money(0);

    private final long cents;

    private Money(long cents) {
        this.cents = cents;
    }

    public static Money ofCents(long cents) {
        return new Money(cents);
    }

    /** Reads "12.50" or "-3.05"; the cents are always two digits. */
    public static Money parse(String text) {
        if (!text.matches("-?\\d+\\.\\d{2}")) {
            throw new IllegalArgumentException("not an amount: " + text);
        }
        return new Money(Long.parseLong(text.replace(".", "")));
    }

    public long cents() {
        return cents;
    }

    public Money plus(Money other) {
        return new Money(cents + other.cents);
    }

    public Money minus(Money other) {
        return new Money(cents - other.cents);
    }

    /** That part of the amount, rounded to the nearest cent. */
    public Money fraction(long part, long whole) {
        return new Money(Math.round((double) cents * part / whole));
    }

    @Override
    public int compareTo(Money other) {
        return Long.compare(cents, other.cents);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof Money && ((Money) object).cents == cents;
    }

    @Override
    public int hashCode() {
        return Objects.hash(cents);
    }

    @Override
    public String toString() {
        long size = Math.abs(cents);
        return (cents < 0 ? "-" : "") + size / 100 + String.format(".%02d", size % 100);
    }
}
