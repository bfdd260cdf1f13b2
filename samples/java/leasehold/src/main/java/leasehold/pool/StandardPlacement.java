package leasehold.pool;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import leasehold.net.Block;

/** The placements that every pool offers. */
public enum StandardPlacement implements Placement {

    /** The lower end of the lowest block that is large enough. */
    FIRST_FIT {
        @Override
        public Optional<Block> choose(Collection<Block> free, long size) {
            return fitting(free, size).findFirst().map(block -> lowerEnd(block, size));
        }
    },

    /** The lower end of the smallest block that is large enough; the lowest of several. */
    BEST_FIT {
        @Override
        public Optional<Block> choose(Collection<Block> free, long size) {
            return fitting(free, size)
                    .min(Comparator.comparingLong(Block::size))
                    .map(block -> lowerEnd(block, size));
        }
    },

    /** The upper end of the highest block that is large enough. */
    LAST_FIT {
        @Override
        public Optional<Block> choose(Collection<Block> free, long size) {
            return fitting(free, size)
                    .reduce((lower, higher) -> higher)
                    .map(block -> new Block(block.last().plus(1 - size), block.last()));
        }
    };

    /** Finds a placement by a name such as first-fit. */
    public static StandardPlacement parse(String name) {
        for (StandardPlacement placement : values()) {
            if (placement.label().equals(name)) {
                return placement;
            }
        }
        throw new IllegalArgumentException("no such placement: " + name);
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Stream<Block> fitting(Collection<Block> free, long size) {
        return free.stream().filter(block -> block.size() >= size);
    }

    private static Block lowerEnd(Block block, long size) {
        return Block.of(block.first(), size);
    }
}
