import unittest
from datetime import date
from itertools import islice

from almanac.dates import LAST
from almanac.rules import Daily, Monthly, MonthlyByWeekday, Once, Weekly, Yearly


def first(count, rule):
    """The first dates of a rule, as ISO text."""
    return [day.isoformat() for day in islice(rule, count)]


class EndTest(unittest.TestCase):
    def test_until_is_included(self):
        rule = Daily(date(2024, 2, 28), until=date(2024, 3, 1))
        self.assertEqual(first(9, rule), ["2024-02-28", "2024-02-29", "2024-03-01"])

    def test_times(self):
        rule = Daily(date(2024, 4, 2), every=3, times=3)
        self.assertEqual(first(9, rule), ["2024-04-02", "2024-04-05", "2024-04-08"])

    def test_whichever_end_comes_first(self):
        rule = Daily(date(2024, 4, 2), until=date(2024, 4, 3), times=5)
        self.assertEqual(first(9, rule), ["2024-04-02", "2024-04-03"])

    def test_once(self):
        self.assertEqual(first(9, Once(date(2024, 5, 17))), ["2024-05-17"])

    def test_impossible_rules(self):
        with self.assertRaises(ValueError):
            Daily(date(2024, 1, 1), every=0)
        with self.assertRaises(ValueError):
            Daily(date(2024, 1, 2), until=date(2024, 1, 1))
        with self.assertRaises(ValueError):
            Daily(date(2024, 1, 2), times=0)


class RangeTest(unittest.TestCase):
    def test_both_ends_are_included(self):
        rule = Daily(date(2024, 1, 1), every=10)
        self.assertEqual(
            rule.between(date(2024, 1, 11), date(2024, 1, 31)),
            [date(2024, 1, 11), date(2024, 1, 21), date(2024, 1, 31)],
        )

    def test_range_before_the_start(self):
        rule = Daily(date(2024, 1, 1))
        self.assertEqual(rule.between(date(2023, 1, 1), date(2023, 12, 31)), [])

    def test_next_after(self):
        rule = Monthly(date(2024, 1, 15), times=2)
        self.assertEqual(rule.next_after(date(2024, 1, 15)), date(2024, 2, 15))
        self.assertIsNone(rule.next_after(date(2024, 2, 15)))


class WeeklyTest(unittest.TestCase):
    def test_weekday_of_the_start(self):
        rule = Weekly(date(2024, 1, 9), every=2)
        self.assertEqual(first(3, rule), ["2024-01-09", "2024-01-23", "2024-02-06"])

    def test_several_weekdays(self):
        rule = Weekly(date(2024, 2, 12), weekdays=[3, 0])
        self.assertEqual(
            first(4, rule), ["2024-02-12", "2024-02-15", "2024-02-19", "2024-02-22"]
        )

    def test_start_between_two_weekdays(self):
        rule = Weekly(date(2024, 2, 13), weekdays=[0, 3])
        self.assertEqual(first(2, rule), ["2024-02-15", "2024-02-19"])

    def test_every_second_week_with_several_weekdays(self):
        rule = Weekly(date(2024, 2, 15), every=2, weekdays=[0, 3])
        self.assertEqual(first(3, rule), ["2024-02-15", "2024-02-26", "2024-02-29"])


class MonthlyTest(unittest.TestCase):
    def test_ordinary_day(self):
        rule = Monthly(date(2024, 11, 15))
        self.assertEqual(first(3, rule), ["2024-11-15", "2024-12-15", "2025-01-15"])

    def test_every_quarter(self):
        rule = Monthly(date(2024, 1, 15), every=3)
        self.assertEqual(first(3, rule), ["2024-01-15", "2024-04-15", "2024-07-15"])

    def test_short_month_takes_its_last_day(self):
        rule = Monthly(date(2023, 1, 31))
        self.assertEqual(first(2, rule), ["2023-01-31", "2023-02-28"])

    def test_the_31st_through_the_year(self):
        rule = Monthly(date(2024, 1, 31))
        self.assertEqual(
            first(6, rule),
            [
                "2024-01-31",
                "2024-02-29",
                "2024-03-31",
                "2024-04-30",
                "2024-05-31",
                "2024-06-30",
            ],
        )

    def test_the_30th_of_april_is_not_the_end_of_every_month(self):
        rule = Monthly(date(2024, 4, 30))
        self.assertEqual(first(4, rule), ["2024-04-30", "2024-05-30", "2024-06-30", "2024-07-30"])

    def test_the_28th_stays_the_28th(self):
        rule = Monthly(date(2023, 2, 28))
        self.assertEqual(first(3, rule), ["2023-02-28", "2023-03-28", "2023-04-28"])


class YearlyTest(unittest.TestCase):
    def test_birthday(self):
        rule = Yearly(date(1990, 7, 4))
        self.assertEqual(first(3, rule), ["1990-07-04", "1991-07-04", "1992-07-04"])

    def test_every_ten_years(self):
        rule = Yearly(date(2014, 5, 2), every=10)
        self.assertEqual(first(2, rule), ["2014-05-02", "2024-05-02"])

    def test_leap_day(self):
        rule = Yearly(date(2024, 2, 29))
        self.assertEqual(
            first(5, rule),
            ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"],
        )


class MonthlyByWeekdayTest(unittest.TestCase):
    def test_first_friday(self):
        rule = MonthlyByWeekday(date(2024, 1, 5), nth=1, weekday=4)
        self.assertEqual(first(3, rule), ["2024-01-05", "2024-02-02", "2024-03-01"])

    def test_last_friday(self):
        rule = MonthlyByWeekday(date(2024, 1, 1), nth=LAST, weekday=4)
        self.assertEqual(first(3, rule), ["2024-01-26", "2024-02-23", "2024-03-29"])

    def test_start_after_the_first_one(self):
        rule = MonthlyByWeekday(date(2024, 1, 6), nth=1, weekday=4)
        self.assertEqual(first(1, rule), ["2024-02-02"])

    def test_months_without_a_fifth_one_are_left_out(self):
        rule = MonthlyByWeekday(date(2024, 1, 1), nth=5, weekday=0)
        self.assertEqual(first(3, rule), ["2024-01-29", "2024-04-29", "2024-07-29"])


if __name__ == "__main__":
    unittest.main()
