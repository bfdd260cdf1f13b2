import unittest

from larder import Larder, Loader
from tests.clock import ManualClock


class LoaderTest(unittest.TestCase):
    def setUp(self):
        self.clock = ManualClock()
        self.loader = Loader(Larder(2, self.clock, lifetime=30), str.upper)

    def test_loads_once(self):
        self.assertEqual(self.loader.get("a"), "A")
        self.assertEqual(self.loader.get("a"), "A")
        self.assertEqual(self.loader.loads, 1)

    def test_loads_again_when_stale(self):
        self.loader.get("a")
        self.clock.advance(31)
        self.loader.get("a")
        self.assertEqual(self.loader.loads, 2)

    def test_several_keys(self):
        self.assertEqual(self.loader.get_all(["a", "b", "a"]), {"a": "A", "b": "B"})
        self.assertEqual(self.loader.loads, 2)

    def test_refresh(self):
        self.loader.get("a")
        self.assertEqual(self.loader.refresh("a"), "A")
        self.assertEqual(self.loader.loads, 2)


if __name__ == "__main__":
    unittest.main()
