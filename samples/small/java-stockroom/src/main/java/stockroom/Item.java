package stockroom;

/** What can be kept in stock. */
public final class Item {

    private final String code;
    private final String title;
    private final int reorderAt;

    /** {@code reorderAt} is the number of pieces at which more should be ordered. */
    public Item(String code, String title, int reorderAt) {
        if (code.isBlank() || reorderAt < 0) {
            throw new IllegalArgumentException("not an item: '" + code + "', " + reorderAt);
        }
        this.code = code;
        this.title = title;
        this.reorderAt = reorderAt;
    }

    public String code() {
        return code;
    }

    public String title() {
        return title;
    }

    public int reorderAt() {
        return reorderAt;
    }
}
