package leasehold.pool;

/** A request that a pool cannot grant. The pool is as it was before. */
public final class PoolException extends RuntimeException {

    /** Why not. */
    public enum Reason {
        /** No free block is large enough. */
        EXHAUSTED,
        /** Some of the addresses are leased or excluded. */
        TAKEN,
        /** Some of the addresses do not belong to the pool. */
        OUTSIDE,
        /** The owner has a lease already. */
        SECOND_LEASE,
        /** The owner has no lease. */
        NO_LEASE
    }

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    public PoolException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
