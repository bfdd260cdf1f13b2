import unittest

from stockroom import Article, Supplier


class SupplierTest(unittest.TestCase):
    def test_packs_are_rounded_up(self):
        supplier = Supplier("Holm", 3, pack_size=12)
        self.assertEqual([supplier.packs(n) for n in (0, 1, 12, 13, 24)], [0, 1, 1, 2, 2])

    def test_single_pieces(self):
        self.assertEqual(Supplier("Holm", 3).packs(7), 7)


class ReorderLevelTest(unittest.TestCase):
    def test_lasts_until_the_delivery_and_the_next_review(self):
        article = Article("C1", "candle", 4, 10, Supplier("Holm", 5))
        self.assertEqual(article.reorder_level(), 34)
        self.assertEqual(article.reorder_level(review_days=7), 58)

    def test_safety_stock_alone(self):
        article = Article("C1", "candle", 0, 10, Supplier("Holm", 5))
        self.assertEqual(article.reorder_level(), 10)

    def test_delivery_on_the_same_day(self):
        self.assertEqual(Article("C1", "candle", 4, 0, Supplier("Holm", 0)).reorder_level(), 4)

    def test_without_a_supplier_there_is_no_delivery_to_wait_for(self):
        article = Article("M1", "mobile", 2, 3)
        self.assertEqual(article.reorder_level(), 5)
        self.assertEqual(article.reorder_level(review_days=4), 11)


if __name__ == "__main__":
    unittest.main()
