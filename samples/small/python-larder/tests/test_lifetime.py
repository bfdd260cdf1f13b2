import unittest

from larder import Entry, Larder
from tests.clock import ManualClock


class EntryTest(unittest.TestCase):
    def test_fresh_just_before_its_deadline(self):
        self.assertFalse(Entry("tea", deadline=50.0).is_stale(49.999))

    def test_stale_at_its_deadline(self):
        self.assertTrue(Entry("tea", deadline=50.0).is_stale(50.0))

    def test_stale_after_its_deadline(self):
        self.assertTrue(Entry("tea", deadline=50.0).is_stale(50.001))

    def test_without_a_deadline_it_is_never_stale(self):
        self.assertFalse(Entry("tea").is_stale(1e12))
        self.assertIsNone(Entry("tea").remaining(1e12))

    def test_remaining_is_never_negative(self):
        self.assertEqual(Entry("tea", deadline=50.0).remaining(20.0), 30.0)
        self.assertEqual(Entry("tea", deadline=50.0).remaining(80.0), 0.0)


class LifetimeTest(unittest.TestCase):
    def setUp(self):
        self.clock = ManualClock()
        self.larder = Larder(5, self.clock, lifetime=600)
        self.larder.put("forecast", "rain")

    def test_found_during_its_lifetime(self):
        self.clock.advance(599)
        self.assertEqual(self.larder.get("forecast"), "rain")

    def test_gone_when_its_lifetime_is_over(self):
        self.clock.advance(600)
        self.assertIsNone(self.larder.get("forecast"))
        self.assertEqual(self.larder.statistics.expirations, 1)

    def test_own_lifetime_of_an_entry(self):
        self.larder.put("warning", "storm", lifetime=60)
        self.clock.advance(61)
        self.assertEqual(self.larder.keys(), ["forecast"])

    def test_touch_begins_anew(self):
        self.clock.advance(400)
        self.assertTrue(self.larder.touch("forecast"))
        self.clock.advance(400)
        self.assertIn("forecast", self.larder)
        self.assertEqual(self.larder.remaining("forecast"), 200)

    def test_touch_does_not_wake_the_dead(self):
        self.clock.advance(700)
        self.assertFalse(self.larder.touch("forecast"))

    def test_sweep_counts_what_it_drops(self):
        self.larder.put("warning", "storm", lifetime=60)
        self.clock.advance(100)
        self.assertEqual(self.larder.sweep(), 1)
        self.assertEqual(self.larder.sweep(), 0)

    def test_no_lifetime_at_all(self):
        larder = Larder(1, self.clock)
        larder.put("map", "north")
        self.clock.advance(1e9)
        self.assertEqual(larder.get("map"), "north")


if __name__ == "__main__":
    unittest.main()
