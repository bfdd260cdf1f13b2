package leasehold.text;

import leasehold.net.Block;
import leasehold.pool.Pool;

/** What is leased and what is free, as text. */
public final class PoolReport {

    private final Pool pool;

    public PoolReport(Pool pool) {
        this.pool = pool;
    }

    /** The report in lines, without a final line break. */
    public String render() {
        StringBuilder text = new StringBuilder(heading());
        int width = pool.leases().stream()
                .mapToInt(lease -> lease.owner().length())
                .max()
                .orElse(0);
        for (Pool.Lease lease : pool.leases()) {
            String owner = lease.owner() + " ".repeat(width - lease.owner().length());
            text.append("\n  ").append(owner).append("  ").append(lease.block());
        }
        text.append('\n').append(free());
        for (Block block : pool.freeBlocks()) {
            text.append("\n  ").append(block);
        }
        return text.toString();
    }

    private String heading() {
        return "pool " + pool.range() + ": " + count(pool.range().size(), "address", "addresses") + ", "
                + pool.excludedSize() + " excluded, " + pool.leasedSize() + " leased";
    }

    private String free() {
        int blocks = pool.freeBlocks().size();
        if (blocks == 0) {
            return "free: nothing";
        }
        return "free: " + count(pool.freeSize(), "address", "addresses") + " in "
                + count(blocks, "block", "blocks") + ", the largest " + pool.largestFree();
    }

    private static String count(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }
}
