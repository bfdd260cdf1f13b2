import unittest

from shutters import parse_week, sign


class SignTest(unittest.TestCase):
    def check(self, text, *lines):
        self.assertEqual(sign(parse_week(text)).splitlines(), list(lines))

    def test_runs_of_days(self):
        self.check(
            "Mo-Fr 9:00-12:30, 14:00-18:00; Sa 10:00-13:00",
            "Mo-Fr  09:00-12:30, 14:00-18:00",
            "Sa     10:00-13:00",
            "Su     closed",
        )

    def test_day_off_in_the_middle(self):
        self.check(
            "Mo-Su 8:00-24:00; We closed",
            "Mo-Tu  08:00-24:00",
            "We     closed",
            "Th-Su  08:00-24:00",
        )

    def test_always_closed(self):
        self.check("", "Mo-Su  closed")

    def test_hours_after_midnight(self):
        self.check("Sa-Su 18:00-2:30", "Mo-Fr  closed", "Sa-Su  18:00-02:30")


if __name__ == "__main__":
    unittest.main()
