package fairshare;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who paid for what on a trip, and who owes. */
public final class Trip {

    private final Map<String, Money> balances = new LinkedHashMap<>();

    public Trip(String... people) {
        for (String person : people) {
            balances.put(person, Money.ZERO);
        }
    }

    /** Somebody paid for all, in equal shares. */
    public Trip paid(String payer, Money amount) {
        List<Money> shares = Split.evenly(amount, balances.size());
        change(payer, amount);
        int next = 0;
        for (String person : List.copyOf(balances.keySet())) {
            change(person, Money.ZERO.minus(shares.get(next++)));
        }
        return this;
    }

    /** Somebody paid something back. */
    public Trip settled(String from, String to, Money amount) {
        change(from, amount);
        change(to, Money.ZERO.minus(amount));
        return this;
    }

    /** What somebody gets back, or owes if it is negative. */
    public Money balance(String person) {
        Money balance = balances.get(person);
        if (balance == null) {
            throw new IllegalArgumentException("not on the trip: " + person);
        }
        return balance;
    }

    /** The sum of all balances. */
    public Money sum() {
        return balances.values().stream().reduce(Money.ZERO, Money::plus);
    }

    private void change(String person, Money by) {
        balances.put(person, balance(person).plus(by));
    }
}
