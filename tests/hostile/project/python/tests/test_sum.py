import unittest

from till.sum import add


class SumTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(2, 3), 5)

    def test_adds_nothing(self):
        self.assertEqual(add(2, 0), 2)
