import unittest

from shop.cart import Cart
from shop.pricing import price_with_tax


class CartTest(unittest.TestCase):
    def setUp(self):
        self.cart = Cart()

    def test_total_of_one(self):
        self.cart.add("tea", 250)
        self.assertEqual(self.cart.total(), 250)

    def test_total_counts_items(self):
        self.cart.add("tea", 250, 2)
        self.cart.add("cup", 100)
        self.assertEqual(self.cart.total(), 600)

    def test_tax_of_several(self):
        self.cart.add("cup", 100, 3)
        self.assertEqual(self.cart.total_with_tax(), 360)

    def test_tax(self):
        self.assertEqual(price_with_tax(100), 120)

    def test_empty(self):
        self.assertEqual(self.cart.total(), 0)
