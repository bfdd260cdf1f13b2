package org.shop;

import java.util.ArrayList;
import java.util.List;

/** Entries and their sum. */
public class Ledger {
    private final List<Entry> entries = new ArrayList<>();

    /** An empty ledger. */
    public Ledger() {
    }

    /**
     * Books an amount.
     *
     * @param amount in cents
     */
    @Deprecated
    public void book(int amount) {
        entries.add(new Entry("", amount));
    }

    public void book(String text, int amount) {
        entries.add(new Entry(text, amount));
    }

    public int sum() {
        int sum = 0;
        for (Entry entry : entries) {
            sum += entry.amount();
        }
        return sum;
    }

    /** One entry. */
    public record Entry(String text, int amount) {
    }

    enum Side { DEBIT, CREDIT }
}
