package leasehold.pool;

import java.util.Collection;
import java.util.Optional;
import leasehold.net.Block;

/** Decides where in the free space a lease goes. */
public interface Placement {

    /**
     * Chooses a block of the given size.
     *
     * @param free the free blocks, from the lowest to the highest
     * @param size how many addresses are wanted, at least 1
     * @return a part of one of the free blocks, or nothing if none is large enough
     */
    Optional<Block> choose(Collection<Block> free, long size);
}
