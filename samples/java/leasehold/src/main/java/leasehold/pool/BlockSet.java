package leasehold.pool;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import leasehold.net.Address;
import leasehold.net.Block;

/** A set of addresses, kept as the blocks that it consists of. */
public final class BlockSet {

    /** Blocks by the number of their first address; no two of them overlap. */
    private final NavigableMap<Long, Block> blocks = new TreeMap<>();

    public BlockSet(Block... initial) {
        for (Block block : initial) {
            add(block);
        }
    }

    /** Adds addresses, of which some may be in the set. */
    public void add(Block block) {
        Block merged = block;
        for (Block other : overlapping(block)) {
            blocks.remove(other.first().value());
            merged = merged.span(other);
        }
        Block above = blocks.remove(merged.last().value() + 1);
        if (above != null) {
            merged = merged.span(above);
        }
        put(merged);
    }

    /** Takes addresses out, of which some may not be in the set. */
    public void remove(Block hole) {
        for (Block block : overlapping(hole)) {
            blocks.remove(block.first().value());
            if (block.first().compareTo(hole.first()) < 0) {
                put(new Block(block.first(), hole.first().plus(-1)));
            }
            if (block.last().compareTo(hole.last()) > 0) {
                put(new Block(hole.last().plus(1), block.last()));
            }
        }
    }

    private void put(Block block) {
        blocks.put(block.first().value(), block);
    }

    public boolean contains(Address address) {
        return contains(new Block(address, address));
    }

    /** Whether all addresses of a block are in the set. */
    public boolean contains(Block block) {
        Map.Entry<Long, Block> candidate = blocks.floorEntry(block.first().value());
        return candidate != null && candidate.getValue().contains(block);
    }

    /** The blocks of the set, from the lowest to the highest. */
    public Collection<Block> blocks() {
        return Collections.unmodifiableCollection(blocks.values());
    }

    /** How many addresses are in the set. */
    public long size() {
        return blocks.values().stream().mapToLong(Block::size).sum();
    }

    /** How many addresses its largest block has. */
    public long largest() {
        return blocks.values().stream().mapToLong(Block::size).max().orElse(0);
    }

    private List<Block> overlapping(Block block) {
        List<Block> found = new ArrayList<>();
        Long below = blocks.floorKey(block.first().value());
        long start = below == null ? block.first().value() : below;
        for (Block other : blocks.subMap(start, true, block.last().value(), true).values()) {
            if (other.overlaps(block)) {
                found.add(other);
            }
        }
        return found;
    }

    @Override
    public String toString() {
        return blocks.values().toString();
    }
}
