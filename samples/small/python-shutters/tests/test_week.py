import unittest
from datetime import datetime

from shutters import parse_week


def at(day, time):
    """A moment in the week from Monday, 3 June 2024 on."""
    hour, minute = time.split(":")
    return datetime(2024, 6, 3 + day, int(hour), int(minute))


class ShopTest(unittest.TestCase):
    def setUp(self):
        self.week = parse_week("Mo-Fr 9:00-12:30, 14:00-18:00; Sa 10:00-13:00")

    def test_open(self):
        for day, time in ((0, "9:00"), (4, "17:59"), (5, "11:30")):
            self.assertTrue(self.week.is_open(at(day, time)))

    def test_closed(self):
        for day, time in ((0, "8:59"), (1, "13:00"), (4, "18:00"), (5, "15:00"), (6, "11:00")):
            self.assertFalse(self.week.is_open(at(day, time)))

    def test_closes_next(self):
        self.assertEqual(self.week.next_change(at(1, "9:00")), at(1, "12:30"))
        self.assertEqual(self.week.next_change(at(5, "12:59")), at(5, "13:00"))

    def test_opens_next(self):
        self.assertEqual(self.week.next_change(at(1, "12:30")), at(1, "14:00"))
        self.assertEqual(self.week.next_change(at(1, "18:00")), at(2, "9:00"))

    def test_opens_next_week(self):
        self.assertEqual(self.week.next_change(at(5, "13:00")), at(7, "9:00"))

    def test_open_on_one_day_only(self):
        week = parse_week("Mo 9:00-10:00")
        self.assertEqual(week.next_change(at(0, "12:00")), at(7, "9:00"))

    def test_never_open(self):
        self.assertIsNone(parse_week("").next_change(at(0, "9:00")))

    def test_hours_of_the_week(self):
        self.assertEqual(self.week.minutes_per_week(), 5 * 450 + 180)


class BarTest(unittest.TestCase):
    def setUp(self):
        self.week = parse_week("Mo-Th 18:00-24:00; Fr-Su 18:00-02:00")

    def test_open_after_midnight(self):
        self.assertTrue(self.week.is_open(at(5, "1:59")))
        self.assertTrue(self.week.is_open(at(7, "0:00")))
        self.assertFalse(self.week.is_open(at(5, "2:00")))
        self.assertFalse(self.week.is_open(at(4, "1:00")))

    def test_closes_after_midnight(self):
        self.assertEqual(self.week.next_change(at(4, "23:00")), at(5, "2:00"))
        self.assertEqual(self.week.next_change(at(5, "1:00")), at(5, "2:00"))
        self.assertEqual(self.week.next_change(at(5, "2:00")), at(5, "18:00"))

    def test_hours_after_midnight_count(self):
        self.assertEqual(self.week.minutes_per_week(), (4 * 6 + 3 * 8) * 60)


if __name__ == "__main__":
    unittest.main()
