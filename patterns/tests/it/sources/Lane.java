package halls;

/** A lane of a hall. */
public class Lane {
    private final String name;
    private final int length;
    private final Lane owner;
    private boolean closed;

    Lane(String name, int length, Lane owner) {
        this.name = name;
        this.length = length;
        this.owner = owner;
    }

    public String getName() {
        return name;
    }

    public int getLength() {
        return length;
    }

    public Lane getOwner() {
        return owner;
    }

    public boolean isClosed() {
        return closed;
    }

    public void close() {
        closed = true;
    }
}
