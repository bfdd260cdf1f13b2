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
        long whole = total();
        return whole - discount.of(whole);
    }

    boolean isEmpty() {
        return items.size() == 1;
    }
}
