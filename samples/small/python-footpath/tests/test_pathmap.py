import unittest

from footpath import PathMap, UnknownPlace
from tests.valley import valley


class PathMapTest(unittest.TestCase):
    def test_places(self):
        self.assertEqual(
            valley().places(), ["chapel", "island", "jetty", "lake", "mill", "station"]
        )

    def test_paths_lead_both_ways(self):
        self.assertEqual(valley().length("mill", "lake"), 3)
        self.assertEqual(valley().length("lake", "mill"), 3)

    def test_neighbours(self):
        self.assertEqual(valley().neighbours("chapel"), ["lake", "mill", "station"])

    def test_shorter_path_counts(self):
        path_map = PathMap()
        for length in (4, 2, 3):
            path_map.add("a", "b", length)
        self.assertEqual(path_map.length("b", "a"), 2)

    def test_no_path(self):
        with self.assertRaisesRegex(ValueError, "station to lake"):
            valley().length("station", "lake")

    def test_unknown_place(self):
        with self.assertRaises(UnknownPlace):
            valley().neighbours("moon")

    def test_impossible_paths(self):
        with self.assertRaises(ValueError):
            PathMap().add("a", "a", 1)
        with self.assertRaises(ValueError):
            PathMap().add("a", "b", 0)

    def test_bad_line_is_named(self):
        for line in ("mill lake 3", "mill - lake far"):
            with self.assertRaisesRegex(ValueError, "line 2"):
                PathMap.parse(["# map", line])


if __name__ == "__main__":
    unittest.main()
