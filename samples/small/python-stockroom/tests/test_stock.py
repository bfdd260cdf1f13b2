import unittest

from stockroom import Article, Stock, StockError, Supplier, stock_report


class StockTest(unittest.TestCase):
    def setUp(self):
        self.stock = Stock()
        self.stock.add(Article("C1", "candle", supplier=Supplier("Holm", 5)), 20)

    def test_reserved_is_not_available(self):
        self.stock.reserve("C1", 8)
        self.assertEqual(self.stock.in_stock("C1"), 20)
        self.assertEqual(self.stock.available("C1"), 12)

    def test_no_more_than_available_can_be_reserved(self):
        self.stock.reserve("C1", 20)
        with self.assertRaisesRegex(StockError, "only 0"):
            self.stock.reserve("C1", 1)

    def test_shipping(self):
        self.stock.reserve("C1", 8)
        self.stock.ship("C1", 5)
        self.assertEqual(self.stock.in_stock("C1"), 15)
        self.assertEqual(self.stock.available("C1"), 12)

    def test_only_what_is_reserved_is_shipped(self):
        self.stock.reserve("C1", 2)
        with self.assertRaisesRegex(StockError, "only 2"):
            self.stock.ship("C1", 3)

    def test_orders_and_deliveries(self):
        self.stock.order("C1", 30)
        self.assertEqual(self.stock.projected("C1"), 50)
        self.stock.receive("C1", 10)
        self.assertEqual(self.stock.on_order("C1"), 20)
        self.assertEqual(self.stock.in_stock("C1"), 30)

    def test_more_comes_than_was_ordered(self):
        self.stock.order("C1", 5)
        self.stock.receive("C1", 6)
        self.assertEqual(self.stock.on_order("C1"), 0)

    def test_unknown_article(self):
        for action in (self.stock.in_stock, self.stock.on_order, self.stock.available):
            with self.assertRaisesRegex(StockError, "X9"):
                action("X9")

    def test_known_already(self):
        with self.assertRaises(StockError):
            self.stock.add(Article("C1", "candle"))

    def test_report(self):
        self.stock.add(Article("B2", "bowl"), 4)
        self.stock.reserve("C1", 8)
        self.stock.order("C1", 100)
        self.assertEqual(
            stock_report(self.stock).splitlines(),
            [
                "code  name             stock  free order  supplier",
                "B2    bowl                 4     4     0  -",
                "C1    candle              20    12   100  Holm",
            ],
        )


if __name__ == "__main__":
    unittest.main()
