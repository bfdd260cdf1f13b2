package books;

import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Accounts and what was booked on them. */
public class Ledger {
    private static final int DEFAULT_LIMIT = 100;
    private static final String SEPARATOR = ";";

    private final Map<String, Account> accounts = new HashMap<>();
    private final List<Entry> entries = new ArrayList<>();
    private int limit = DEFAULT_LIMIT;
    private boolean closed;
    private Listener listener;

    public Ledger() {
        this(DEFAULT_LIMIT);
    }

    public Ledger(int limit) {
        this.limit = limit;
    }

    public void setListener(Listener listener) {
        this.listener = listener;
    }

    /** Books an amount from one account to another. */
    public void transfer(String from, String to, long amount) {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        Account source = accounts.get(from);
        Account target = accounts.get(to);
        if (source == null || target == null) {
            throw new IllegalArgumentException("unknown account");
        }
        source.withdraw(amount);
        target.deposit(amount);
        Entry entry = new Entry(from, to, amount);
        entries.add(entry);
        if (listener != null) {
            listener.booked(entry);
        }
    }

    public Account open(String name) {
        Account account = accounts.get(name);
        if (account == null) {
            account = new Account(name);
            accounts.put(name, account);
        }
        return account;
    }

    public long total(int first, int last) {
        long sum = 0;
        for (int i = first; i <= last; i++) {
            sum += entries.get(i).amount;
        }
        return sum;
    }

    public double average() {
        if (entries.isEmpty()) {
            return 0.0;
        }
        long sum = 0;
        int count = 0;
        for (Entry entry : entries) {
            sum += entry.amount;
            count++;
        }
        return (double) sum / count;
    }

    public int find(String name, int start) {
        for (int i = start; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (entry.from.equals(name) || entry.to.equals(name)) {
                return i;
            }
        }
        return -1;
    }

    public List<Entry> largest(int count) {
        List<Entry> sorted = new ArrayList<>(entries);
        Collections.sort(sorted, new Comparator<Entry>() {
            @Override
            public int compare(Entry left, Entry right) {
                return Long.compare(right.amount, left.amount);
            }
        });
        int end = Math.min(count, sorted.size());
        return sorted.subList(0, end);
    }

    public void read(Reader reader) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = reader.read();
        while (next != -1) {
            char letter = (char) next;
            if (letter == '\n') {
                parse(line.toString().trim());
                line.setLength(0);
            } else {
                line.append(letter);
            }
            next = reader.read();
        }
    }

    private void parse(String line) {
        if (line.isEmpty() || line.startsWith("#")) {
            return;
        }
        String[] parts = line.split(SEPARATOR);
        if (parts.length < 3) {
            return;
        }
        String from = parts[0].trim();
        String to = parts[1].trim();
        long amount = Long.parseLong(parts[2]);
        open(from);
        open(to);
        transfer(from, to, amount);
    }

    public String describe(int code) {
        String text;
        switch (code) {
            case 0:
                text = "open";
                break;
            case 1:
                text = "closed";
                break;
            default:
                text = "unknown";
        }
        return closed ? text : text + " (" + limit + ")";
    }

    public int[] histogram(int width) {
        int[] counts = new int[limit + 1];
        for (Entry entry : entries) {
            int slot = (int) (entry.amount / width);
            if (slot >= 0 && slot < counts.length) {
                counts[slot] += 1;
            }
        }
        return counts;
    }

    public boolean isFull() {
        return entries.size() >= limit;
    }

    public void close() {
        closed = true;
        entries.clear();
        accounts.clear();
    }

    interface Listener {
        void booked(Entry entry);
    }

    static class Entry {
        final String from;
        final String to;
        final long amount;

        Entry(String from, String to, long amount) {
            this.from = from;
            this.to = to;
            this.amount = amount;
        }
    }

    static class Account {
        private final String name;
        private long balance;
        private long lowest = Long.MAX_VALUE;

        Account(String name) {
            this.name = name;
        }

        void deposit(long amount) {
            balance += amount;
        }

        void withdraw(long amount) {
            balance -= amount;
            if (balance < lowest) {
                lowest = balance;
            }
        }

        String getName() {
            return name;
        }

        long getBalance() {
            return balance;
        }
    }
}
