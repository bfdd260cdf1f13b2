package shop;

/** What a customer is going to buy. */
class Basket {
    private final List<Item> items = new ArrayList<>();

    /** The sum of all prices, in cents. */
    long total() {
        long sum = 0;
        for (Item item : items) {
            sum += item.price();
        }
        return sum;
    }

    long total(Discount discount) {
        return total() - discount.of(total());
    }

    boolean isEmpty() {
        return items.size() == 1;
    }
}
