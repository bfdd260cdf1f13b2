import unittest

from larder import Larder
from tests.clock import ManualClock


class LarderTest(unittest.TestCase):
    def setUp(self):
        self.clock = ManualClock()
        self.larder = Larder(3, self.clock, lifetime=60)

    def test_gives_back_what_was_put(self):
        self.larder.put("oslo", 4)
        self.assertEqual(self.larder.get("oslo"), 4)

    def test_default_for_an_unknown_key(self):
        self.assertIsNone(self.larder.get("oslo"))
        self.assertEqual(self.larder.get("oslo", 0), 0)

    def test_put_replaces_and_starts_anew(self):
        self.larder.put("oslo", 4)
        self.clock.advance(50)
        self.larder.put("oslo", 5)
        self.clock.advance(50)
        self.assertEqual(self.larder.get("oslo"), 5)

    def test_evicts_the_least_recently_used(self):
        for city in ("oslo", "bergen", "bodo"):
            self.larder.put(city, 1)
        self.larder.get("oslo")
        self.larder.put("moss", 1)
        self.assertEqual(self.larder.keys(), ["bodo", "oslo", "moss"])
        self.assertEqual(self.larder.statistics.evictions, 1)

    def test_replacing_does_not_evict(self):
        for city in ("oslo", "bergen", "bodo"):
            self.larder.put(city, 1)
        self.larder.put("oslo", 2)
        self.assertEqual(len(self.larder), 3)
        self.assertEqual(self.larder.statistics.evictions, 0)

    def test_stale_entries_make_room_first(self):
        self.larder.put("bergen", 1)
        self.larder.put("oslo", 1, lifetime=10)
        self.larder.put("bodo", 1)
        self.clock.advance(11)
        self.larder.put("moss", 1)
        self.assertEqual(self.larder.keys(), ["bergen", "bodo", "moss"])
        self.assertEqual(self.larder.statistics.evictions, 0)

    def test_remove(self):
        self.larder.put("oslo", 4)
        self.assertTrue(self.larder.remove("oslo"))
        self.assertFalse(self.larder.remove("oslo"))
        self.assertNotIn("oslo", self.larder)

    def test_most_used(self):
        for city, times in (("oslo", 1), ("bergen", 3), ("bodo", 2)):
            self.larder.put(city, 1)
            for _ in range(times):
                self.larder.get(city)
        self.assertEqual(self.larder.most_used(2), ["bergen", "bodo"])

    def test_impossible_larders(self):
        with self.assertRaises(ValueError):
            Larder(0, self.clock)
        with self.assertRaises(ValueError):
            Larder(1, self.clock, lifetime=0)


class StatisticsTest(unittest.TestCase):
    def test_counts(self):
        larder = Larder(2, ManualClock())
        larder.put("a", 1)
        larder.get("a")
        larder.get("a")
        larder.get("a")
        larder.get("b")
        self.assertEqual(str(larder.statistics), "3 of 4 found (75%), 0 evicted, 0 expired")

    def test_rate_before_the_first_lookup(self):
        larder = Larder(2, ManualClock())
        self.assertEqual(larder.statistics.hit_rate, 0.0)

    def test_reset(self):
        larder = Larder(2, ManualClock())
        larder.get("a")
        larder.statistics.reset()
        self.assertEqual(larder.statistics.lookups, 0)


if __name__ == "__main__":
    unittest.main()
