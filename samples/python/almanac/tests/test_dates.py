import unittest
from datetime import date

from almanac.dates import (
    LAST,
    add_months,
    days_in_month,
    nth_weekday,
    off_weekend,
    parse_date,
    start_of_week,
    weekday_number,
)


class ParseDateTest(unittest.TestCase):
    def test_iso_date(self):
        self.assertEqual(parse_date(" 2024-02-29 "), date(2024, 2, 29))

    def test_impossible_date(self):
        with self.assertRaisesRegex(ValueError, "2023-02-29"):
            parse_date("2023-02-29")

    def test_weekday_names(self):
        self.assertEqual(weekday_number("Mon"), 0)
        self.assertEqual(weekday_number("sunday"), 6)
        with self.assertRaises(ValueError):
            weekday_number("someday")


class AddMonthsTest(unittest.TestCase):
    def test_within_a_year(self):
        self.assertEqual(add_months(date(2024, 3, 15), 4), date(2024, 7, 15))

    def test_into_the_next_year(self):
        self.assertEqual(add_months(date(2024, 11, 5), 2), date(2025, 1, 5))

    def test_december(self):
        self.assertEqual(add_months(date(2024, 11, 5), 1), date(2024, 12, 5))

    def test_shorter_month(self):
        self.assertEqual(add_months(date(2023, 1, 31), 1), date(2023, 2, 28))
        self.assertEqual(add_months(date(2024, 1, 31), 1), date(2024, 2, 29))

    def test_last_day_of_a_short_month_keeps_its_number(self):
        self.assertEqual(add_months(date(2023, 2, 28), 1), date(2023, 3, 28))

    def test_backwards(self):
        self.assertEqual(add_months(date(2024, 1, 10), -1), date(2023, 12, 10))


class WeekTest(unittest.TestCase):
    def test_start_of_week(self):
        self.assertEqual(start_of_week(date(2024, 3, 3)), date(2024, 2, 26))
        self.assertEqual(start_of_week(date(2024, 3, 4)), date(2024, 3, 4))

    def test_nth_weekday(self):
        self.assertEqual(nth_weekday(2024, 3, 1, 4), date(2024, 3, 1))
        self.assertEqual(nth_weekday(2024, 3, 2, 1), date(2024, 3, 12))
        self.assertEqual(nth_weekday(2024, 3, LAST, 4), date(2024, 3, 29))

    def test_no_fifth_weekday(self):
        self.assertIsNone(nth_weekday(2024, 2, 5, 0))
        self.assertEqual(nth_weekday(2024, 2, 5, 3), date(2024, 2, 29))

    def test_off_weekend(self):
        self.assertEqual(off_weekend(date(2024, 3, 9), -1), date(2024, 3, 8))
        self.assertEqual(off_weekend(date(2024, 3, 9), 1), date(2024, 3, 11))
        self.assertEqual(off_weekend(date(2024, 3, 8), 1), date(2024, 3, 8))

    def test_days_in_month(self):
        self.assertEqual(days_in_month(2024, 2), 29)
        self.assertEqual(days_in_month(2100, 2), 28)


if __name__ == "__main__":
    unittest.main()
