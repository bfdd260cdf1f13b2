import pytest

from broadsheet import Sheet, set_columns
from broadsheet.columns import column_height

NEWS = """\
The ferry to the island will not sail on Monday.
Passengers are taken by bus.

The market opens at nine.
"""


def test_width_of_a_sheet():
    assert Sheet(columns=3, column_width=20, gap=2).width == 64
    assert Sheet(columns=1, column_width=20, gap=2).width == 20


@pytest.mark.parametrize(("lines", "height"), [(0, 0), (1, 1), (3, 1), (4, 2), (6, 2), (7, 3)])
def test_height_of_three_columns(lines, height):
    assert column_height(lines, 3) == height


def test_two_columns():
    sheet = Sheet(columns=2, column_width=22, gap=3)
    assert set_columns(NEWS, sheet).splitlines() == [
        "The ferry to the         are taken by bus.",
        "island will not sail     The market opens at",
        "on Monday. Passengers    nine.",
    ]


def test_columns_with_a_rule():
    sheet = Sheet(columns=2, column_width=4, gap=3, rule="|")
    assert set_columns("aaaa bbbb cccc", sheet).splitlines() == ["aaaa | cccc", "bbbb |"]


def test_indented_and_justified():
    sheet = Sheet(columns=1, column_width=12, indent=2, alignment="justify")
    assert set_columns("to be or not to be, that is it", sheet).splitlines() == [
        "  to  be  or",
        "not  to  be,",
        "that is it",
    ]


def test_nothing_to_set():
    assert set_columns("", Sheet()) == ""


def test_impossible_sheets():
    with pytest.raises(ValueError):
        Sheet(columns=0)
    with pytest.raises(ValueError):
        Sheet(gap=1, rule="||")
