import unittest

from stockroom import Article, Stock, Supplier, orders_by_supplier, reorder_list

HOLM = Supplier("Holm", 5, pack_size=12)
LIND = Supplier("Lind", 2)


class ReorderTest(unittest.TestCase):
    def setUp(self):
        self.stock = Stock()
        self.stock.add(Article("C1", "candle", 4, 10, HOLM), 34)
        self.stock.add(Article("V1", "vase", 1, 2, LIND), 2)

    def listed(self, **options):
        return [(order.article.code, order.quantity) for order in reorder_list(self.stock, **options)]

    def test_most_urgent_first(self):
        self.assertEqual(self.listed(), [("V1", 17), ("C1", 56)])

    def test_above_the_level_nothing_is_ordered(self):
        self.stock.receive("C1", 1)
        self.assertEqual(self.listed(), [("V1", 17)])

    def test_what_is_on_order_counts(self):
        self.stock.order("V1", 20)
        self.assertEqual(self.listed(), [("C1", 56)])

    def test_what_is_reserved_does_not_count(self):
        self.stock.receive("C1", 3)
        self.stock.reserve("C1", 5)
        self.assertIn(("C1", 58), self.listed())

    def test_less_cover(self):
        self.assertEqual(self.listed(cover_days=0), [("V1", 3), ("C1", 1)])

    def test_nothing_that_nobody_wants(self):
        self.stock.add(Article("O1", "oddment", 0, 0, LIND), 0)
        self.assertNotIn("O1", [code for code, _ in self.listed()])

    def test_packs_for_each_supplier(self):
        self.assertEqual(
            orders_by_supplier(self.stock), {"Lind": {"V1": 17}, "Holm": {"C1": 5}}
        )

    def test_own_products_are_listed(self):
        self.stock.add(Article("M1", "mobile", 2, 3), 5)
        self.assertIn(("M1", 28), self.listed())

    def test_nobody_is_asked_for_own_products(self):
        self.stock.add(Article("M1", "mobile", 2, 3), 5)
        self.assertEqual(sorted(orders_by_supplier(self.stock)), ["Holm", "Lind"])


if __name__ == "__main__":
    unittest.main()
