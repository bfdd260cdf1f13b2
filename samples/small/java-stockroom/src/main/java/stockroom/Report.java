package stockroom;

import java.util.List;

/** Texts about a stock. */
public final class Report {

    private final Stock stock;

    public Report(Stock stock) {
        this.stock = stock;
    }

    /** One line for each item of which more should be ordered. */
    public String orders() {
        List<Item> low = stock.toReorder();
        if (low.isEmpty()) {
            return "nothing to order\n";
        }
        StringBuilder text = new StringBuilder();
        for (Item item : low) {
            text.append(item.code()).append("  ").append(item.title());
            text.append(" (").append(stock.available(item.code())).append(" left)\n");
        }
        return text.toString();
    }
}
