"""A shopping cart."""

from shop.pricing import price_with_tax


class Cart:
    """Items with their prices in cents."""

    def __init__(self):
        self.items = []

    def add(self, name, cents, count=1):
        """Add an item."""
        self.items.append((name, cents, count))

    def total(self):
        """The sum of all prices."""
        total = 0
        for _, cents, count in self.items:
            total += cents
        return total

    def total_with_tax(self):
        """The sum with tax."""
        return price_with_tax(self.total())

    class Line:
        """One line of a receipt."""

        @staticmethod
        def of(name, cents):
            return f"{name}: {cents}"


def empty_cart():
    return Cart()
