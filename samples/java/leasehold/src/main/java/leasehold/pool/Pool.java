package leasehold.pool;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import leasehold.net.Block;
import leasehold.pool.PoolException.Reason;

/** A range of addresses of which blocks are leased to owners, one block to each. */
public final class Pool {

    /** A block and who has it. */
    public record Lease(String owner, Block block) {

        @Override
        public String toString() {
            return owner + " " + block;
        }
    }

    private final Block range;
    private final Placement placement;
    private final BlockSet free;
    private final BlockSet excluded = new BlockSet();
    private final Map<String, Lease> leases = new TreeMap<>();

    /** A pool that leases by first fit. */
    public Pool(Block range) {
        this(range, StandardPlacement.FIRST_FIT);
    }

    public Pool(Block range, Placement placement) {
        this.range = range;
        this.placement = placement;
        this.free = new BlockSet(range);
    }

    /** Leases a number of addresses, wherever the placement puts them. */
    public Lease lease(String owner, long size) {
        if (size < 1) {
            throw new IllegalArgumentException("a lease has at least one address, not " + size);
        }
        requireNoLease(owner);
        Block block = placement
                .choose(free.blocks(), size)
                .orElseThrow(() -> new PoolException(
                        Reason.EXHAUSTED,
                        "no room for " + size + ": " + free.size() + " free, at most " + free.largest()
                                + " side by side"));
        return grant(owner, block);
    }

    /** Leases exactly these addresses. */
    public Lease lease(String owner, Block block) {
        requireNoLease(owner);
        requireInside(block);
        if (!free.contains(block)) {
            throw new PoolException(Reason.TAKEN, block + " is not free");
        }
        return grant(owner, block);
    }

    private Lease grant(String owner, Block block) {
        Lease lease = new Lease(owner, block);
        free.remove(block);
        leases.put(owner, lease);
        return lease;
    }

    /** Takes the lease of an owner back. */
    public Block release(String owner) {
        Lease lease = leases.remove(owner);
        if (lease == null) {
            throw new PoolException(Reason.NO_LEASE, owner + " has no lease");
        }
        free.add(lease.block());
        return lease.block();
    }

    /** Keeps addresses from being leased; those of a lease cannot be excluded. */
    public void exclude(Block block) {
        requireInside(block);
        for (Lease lease : leases.values()) {
            if (lease.block().overlaps(block)) {
                throw new PoolException(Reason.TAKEN, block + " is in use by " + lease.owner());
            }
        }
        excluded.add(block);
        free.remove(block);
    }

    private void requireNoLease(String owner) {
        if (leases.containsKey(owner)) {
            throw new PoolException(Reason.SECOND_LEASE, owner + " has a lease already");
        }
    }

    private void requireInside(Block block) {
        if (!range.contains(block)) {
            throw new PoolException(Reason.OUTSIDE, block + " is not in " + range);
        }
    }

    public Block range() {
        return range;
    }

    /** The lease of an owner, if there is one. */
    public Optional<Lease> leaseOf(String owner) {
        return Optional.ofNullable(leases.get(owner));
    }

    /** All leases, by owner. */
    public Collection<Lease> leases() {
        return Collections.unmodifiableCollection(leases.values());
    }

    /** The free blocks, from the lowest to the highest. */
    public Collection<Block> freeBlocks() {
        return free.blocks();
    }

    public long freeSize() {
        return free.size();
    }

    /** The most addresses that can be leased together. */
    public long largestFree() {
        return free.largest();
    }

    public long excludedSize() {
        return excluded.size();
    }

    public long leasedSize() {
        return leases.values().stream().mapToLong(lease -> lease.block().size()).sum();
    }
}
