import unittest

from shutters import HoursError, Span, parse_week
from shutters.hours import format_time, parse_time
from shutters.notation import parse_days


class TimeTest(unittest.TestCase):
    def test_times(self):
        self.assertEqual([parse_time(text) for text in ("0:00", "9:05", " 24:00")], [0, 545, 1440])

    def test_what_is_no_time(self):
        for text in ("", "9", "9:5", "9:60", "24:01", "25:00", "-1:00"):
            with self.assertRaises(HoursError):
                parse_time(text)

    def test_written_times(self):
        self.assertEqual([format_time(minute) for minute in (0, 545, 1440)], ["00:00", "09:05", "24:00"])


class SpanTest(unittest.TestCase):
    def test_span(self):
        self.assertEqual(Span.parse("9:30-18:00"), Span(570, 1080))
        self.assertEqual(Span.parse("9:30-18:00").minutes, 510)

    def test_ends_are_not_included(self):
        span = Span(570, 1080)
        self.assertEqual([span.contains(minute) for minute in (569, 570, 1079, 1080)], [False, True, True, False])

    def test_not_open_at_all(self):
        with self.assertRaisesRegex(HoursError, "not open at all"):
            Span.parse("9:00-9:00")

    def test_what_is_no_span(self):
        for text in ("", "9:00", "9:00-soon"):
            with self.assertRaises(HoursError):
                Span.parse(text)


class WeekNotationTest(unittest.TestCase):
    def test_days(self):
        self.assertEqual(parse_days("Tu"), [1])
        self.assertEqual(parse_days("Mo,We-Fr"), [0, 2, 3, 4])
        self.assertEqual(parse_days("Sa-Mo"), [5, 6, 0])

    def test_bad_days(self):
        for text in ("Mon", "Mo-", "Mo-We,Tu"):
            with self.assertRaises(HoursError):
                parse_days(text)

    def test_several_spans(self):
        week = parse_week("Mo-Tu 14:00-18:00, 9:00-12:30")
        self.assertEqual(week.spans(1), [Span(540, 750), Span(840, 1080)])
        self.assertEqual(week.spans(2), [])

    def test_closed(self):
        week = parse_week("Mo-Su 9:00-12:00; We closed")
        self.assertEqual(week.spans(2), [])
        self.assertEqual(week.minutes_per_week(), 6 * 180)

    def test_overlap(self):
        with self.assertRaisesRegex(HoursError, "09:00-12:00 on Mo overlap"):
            parse_week("Mo 9:00-12:00, 11:00-14:00")

    def test_no_hours(self):
        with self.assertRaises(HoursError):
            parse_week("Mo")


if __name__ == "__main__":
    unittest.main()
