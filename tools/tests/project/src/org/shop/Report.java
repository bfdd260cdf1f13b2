package org.shop;

/** Prints a ledger. */
interface Report {
    default String of(Ledger ledger) {
        ledger.book("fee", 3);
        return String.valueOf(ledger.sum());
    }
}
