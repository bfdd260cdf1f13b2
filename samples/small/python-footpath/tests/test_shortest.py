import unittest

from footpath import UnknownPlace, Walk, reachable, shortest_walk, within
from tests.valley import valley


class ShortestWalkTest(unittest.TestCase):
    def test_more_places_may_be_shorter(self):
        self.assertEqual(
            shortest_walk(valley(), "station", "lake"),
            Walk(("station", "mill", "chapel", "lake"), 3.5),
        )

    def test_neighbours(self):
        self.assertEqual(shortest_walk(valley(), "lake", "chapel").length, 1.5)

    def test_already_there(self):
        self.assertEqual(shortest_walk(valley(), "mill", "mill"), Walk(("mill",), 0.0))

    def test_no_way(self):
        self.assertIsNone(shortest_walk(valley(), "jetty", "mill"))

    def test_unknown_end(self):
        with self.assertRaises(UnknownPlace):
            shortest_walk(valley(), "mill", "moon")


class ReachTest(unittest.TestCase):
    def test_reachable(self):
        self.assertEqual(reachable(valley(), "lake"), ["chapel", "lake", "mill", "station"])
        self.assertEqual(reachable(valley(), "jetty"), ["island", "jetty"])

    def test_within(self):
        self.assertEqual(within(valley(), "station", 2), ["chapel", "mill", "station"])
        self.assertEqual(within(valley(), "station", 1.5), ["mill", "station"])


if __name__ == "__main__":
    unittest.main()
