import unittest
from datetime import date

from almanac.agenda import Agenda, Item
from almanac.book import BookError, read_book
from almanac.report import NOTHING, render

HOUSEHOLD = """\
# What comes back.
Rent: every month from 2024-01-25, moved earlier
Chess club: every month on the first friday from 2024-01-05

Band practice: every week on mon, thu from 2024-02-12 until 2024-06-30
  except 2024-03-04
"""


def agenda_of(text):
    return Agenda(read_book(text.splitlines()))


class BookTest(unittest.TestCase):
    def test_entries_in_their_order(self):
        titles = [entry.title for entry in read_book(HOUSEHOLD.splitlines())]
        self.assertEqual(titles, ["Rent", "Chess club", "Band practice"])

    def test_exceptions_belong_to_the_entry_above(self):
        entries = read_book(HOUSEHOLD.splitlines())
        self.assertEqual(entries[2].exceptions, {date(2024, 3, 4)})
        self.assertEqual(entries[1].exceptions, set())

    def test_bad_line_is_named(self):
        with self.assertRaisesRegex(BookError, "line 2: .*sometimes"):
            read_book(["# comment", "Rent: sometimes"])

    def test_missing_title(self):
        with self.assertRaisesRegex(BookError, "line 1"):
            read_book(["every day from 2024-01-01"])

    def test_exception_without_entry(self):
        with self.assertRaisesRegex(BookError, "no entry above"):
            read_book(["  except 2024-01-01"])

    def test_exception_with_a_bad_date(self):
        with self.assertRaisesRegex(BookError, "line 2: not a date"):
            read_book(["A: every day from 2024-01-01", "  except tomorrow"])


class AgendaTest(unittest.TestCase):
    def test_sorted_by_day_then_title(self):
        agenda = agenda_of("B: once from 2024-01-02\nA: once from 2024-01-02\nC: once from 2024-01-01")
        self.assertEqual(
            agenda.between(date(2024, 1, 1), date(2024, 1, 2)),
            [
                Item(date(2024, 1, 1), "C"),
                Item(date(2024, 1, 2), "A"),
                Item(date(2024, 1, 2), "B"),
            ],
        )

    def test_exceptions_are_left_out(self):
        days = [item.day for item in agenda_of(HOUSEHOLD).between(date(2024, 3, 2), date(2024, 3, 11))]
        self.assertEqual(days, [date(2024, 3, 7), date(2024, 3, 11)])

    def test_weekend_is_moved(self):
        items = agenda_of(HOUSEHOLD).between(date(2024, 2, 20), date(2024, 2, 25))
        self.assertIn(Item(date(2024, 2, 23), "Rent"), items)

    def test_moved_into_the_range(self):
        agenda = agenda_of("Bill: once from 2024-03-02, moved earlier")
        self.assertEqual(
            agenda.between(date(2024, 3, 1), date(2024, 3, 1)), [Item(date(2024, 3, 1), "Bill")]
        )

    def test_moved_out_of_the_range(self):
        agenda = agenda_of("Bill: once from 2024-03-02, moved later")
        self.assertEqual(agenda.between(date(2024, 3, 1), date(2024, 3, 3)), [])

    def test_end_of_month_in_a_leap_year(self):
        agenda = agenda_of("Salaries: every month from 2023-12-31, moved earlier")
        days = [item.day for item in agenda.between(date(2024, 1, 1), date(2024, 4, 30))]
        self.assertEqual(
            days, [date(2024, 1, 31), date(2024, 2, 29), date(2024, 3, 29), date(2024, 4, 30)]
        )

    def test_clashes(self):
        agenda = agenda_of("A: every 2 days from 2024-01-01\nB: every 3 days from 2024-01-01")
        self.assertEqual(
            agenda.clashes(date(2024, 1, 1), date(2024, 1, 7)),
            [(date(2024, 1, 1), ["A", "B"]), (date(2024, 1, 7), ["A", "B"])],
        )

    def test_range_must_not_be_reversed(self):
        with self.assertRaises(ValueError):
            agenda_of(HOUSEHOLD).between(date(2024, 1, 2), date(2024, 1, 1))


class ReportTest(unittest.TestCase):
    def test_a_block_for_each_month(self):
        text = render(agenda_of(HOUSEHOLD), date(2024, 1, 20), date(2024, 2, 14))
        self.assertEqual(
            text,
            "January 2024\n"
            "  Thu 25  Rent\n"
            "\n"
            "February 2024\n"
            "  Fri  2  Chess club\n"
            "  Mon 12  Band practice",
        )

    def test_empty_range(self):
        self.assertEqual(render(agenda_of(""), date(2024, 1, 1), date(2024, 1, 31)), NOTHING)


if __name__ == "__main__":
    unittest.main()
