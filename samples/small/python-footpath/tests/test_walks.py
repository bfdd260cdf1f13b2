import unittest

from footpath import UnknownPlace, Walk, all_walks, longest_round, round_walks
from footpath.walks import measure
from tests.valley import valley


class AllWalksTest(unittest.TestCase):
    def test_shortest_first(self):
        self.assertEqual(
            all_walks(valley(), "station", "lake"),
            [
                Walk(("station", "mill", "chapel", "lake"), 3.5),
                Walk(("station", "chapel", "lake"), 4.0),
                Walk(("station", "mill", "lake"), 4.0),
                Walk(("station", "chapel", "mill", "lake"), 6.5),
            ],
        )

    def test_number_of_walks(self):
        self.assertEqual(len(all_walks(valley(), "station", "lake")), 4)
        self.assertEqual(len(all_walks(valley(), "island", "jetty")), 1)

    def test_limit(self):
        walks = all_walks(valley(), "station", "lake", limit=4)
        self.assertEqual([walk.length for walk in walks], [3.5, 4.0, 4.0])

    def test_stays_where_it_is(self):
        self.assertEqual(len(all_walks(valley(), "mill", "mill")), 1)

    def test_no_way(self):
        self.assertEqual(all_walks(valley(), "station", "island"), [])

    def test_unknown_start(self):
        with self.assertRaises(UnknownPlace):
            all_walks(valley(), "moon", "lake")

    def test_measure(self):
        walk = measure(valley(), ["lake", "chapel", "mill"])
        self.assertEqual(str(walk), "lake - chapel - mill (2.5 km)")
        with self.assertRaises(ValueError):
            measure(valley(), ["lake", "station"])


class RoundWalksTest(unittest.TestCase):
    def test_each_in_one_direction(self):
        self.assertEqual(
            [walk.places for walk in round_walks(valley(), "lake")],
            [
                ("lake", "chapel", "mill", "lake"),
                ("lake", "chapel", "station", "mill", "lake"),
            ],
        )

    def test_longest(self):
        walk = longest_round(valley(), "lake")
        self.assertEqual(str(walk), "lake - chapel - station - mill - lake (8 km)")

    def test_none_on_a_dead_end(self):
        self.assertEqual(round_walks(valley(), "island"), [])
        self.assertIsNone(longest_round(valley(), "island"))


if __name__ == "__main__":
    unittest.main()
