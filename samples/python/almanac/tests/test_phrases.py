import unittest
from datetime import date

from almanac.dates import LAST
from almanac.phrases import PhraseError, parse_phrase
from almanac.rules import Daily, Monthly, MonthlyByWeekday, Once, Weekly, Yearly


class PhraseTest(unittest.TestCase):
    def check(self, text, kind, **expected):
        timing = parse_phrase(text)
        self.assertIs(type(timing.rule), kind)
        found = {name: getattr(timing.rule, name) for name in expected}
        self.assertEqual(found, expected)

    def test_every_day(self):
        self.check("every day from 2024-01-01", Daily, every=1, start=date(2024, 1, 1))

    def test_interval_and_plural(self):
        self.check("Every 3 days from 2024-04-02", Daily, every=3)

    def test_weekdays(self):
        self.check("every 2 weeks on thu, mon from 2024-01-01", Weekly, every=2, weekdays=[0, 3])

    def test_month(self):
        self.check("every month from 2024-01-15", Monthly, every=1)

    def test_nth_weekday_of_the_month(self):
        self.check(
            "every 2 months on the last friday from 2024-01-01",
            MonthlyByWeekday,
            every=2,
            nth=LAST,
            weekday=4,
        )

    def test_year(self):
        self.check("every year from 1990-07-04", Yearly, start=date(1990, 7, 4))

    def test_once(self):
        self.check("once from 2024-05-17", Once, start=date(2024, 5, 17))

    def test_until_and_times(self):
        self.check(
            "every week from 2024-01-01 until 2024-06-30, 10 times",
            Weekly,
            until=date(2024, 6, 30),
            times=10,
        )

    def test_moved(self):
        self.assertEqual(parse_phrase("every month from 2024-01-25").shift, 0)
        self.assertEqual(parse_phrase("every month from 2024-01-25, moved earlier").shift, -1)
        self.assertEqual(parse_phrase("every month from 2024-01-25, moved later").shift, 1)


class BadPhraseTest(unittest.TestCase):
    def check(self, text, reason):
        with self.assertRaisesRegex(PhraseError, reason):
            parse_phrase(text)

    def test_no_start(self):
        self.check("every day", "cannot read")

    def test_bad_date(self):
        self.check("every day from 2024-13-01", "not a date")

    def test_unknown_unit(self):
        self.check("every fortnight from 2024-01-01", "fortnight")

    def test_on_with_days(self):
        self.check("every day on mon from 2024-01-01", "does not go with")

    def test_bad_weekday(self):
        self.check("every week on mon, funday from 2024-01-01", "funday")

    def test_bad_ordinal(self):
        self.check("every month on the sixth friday from 2024-01-01", "last friday")

    def test_once_has_no_end(self):
        self.check("once from 2024-01-01, 3 times", "once")

    def test_moved_nowhere(self):
        self.check("every day from 2024-01-01, moved sideways", "sideways")


if __name__ == "__main__":
    unittest.main()
