import pytest

from tally import AmountError, format_amount, parse_amount, read_journal

JOURNAL = """\
# the weekend
ann 90 dinner at Rosa's: ann, bob, cem

bob 20.00 taxi: ann, cem*3
"""


def test_journal():
    tab = read_journal(JOURNAL.splitlines())
    assert [expense.title for expense in tab.expenses] == ["dinner at Rosa's", "taxi"]
    assert tab.expenses[1].weights == {"ann": 1, "cem": 3}
    assert tab.balances() == {"ann": 5500, "bob": -1000, "cem": -4500}


@pytest.mark.parametrize(
    "line",
    ["ann 90 dinner", "ann 90: bob", "ann x dinner: bob", "ann 90 dinner: bob,,", "ann 1 tea: bob*x"],
)
def test_bad_line_is_named(line):
    with pytest.raises(ValueError, match="line 2: "):
        read_journal(["# weekend", line])


@pytest.mark.parametrize(("text", "cents"), [("12", 1200), (" 12.50", 1250), ("-0.05", -5)])
def test_amounts(text, cents):
    assert parse_amount(text) == cents


@pytest.mark.parametrize("text", ["", "12.5", "1,50", "--1"])
def test_what_is_no_amount(text):
    with pytest.raises(AmountError):
        parse_amount(text)


def test_written_amounts():
    assert [format_amount(cents) for cents in (0, 5, 1250, -5, -1200)] == [
        "0.00", "0.05", "12.50", "-0.05", "-12.00",
    ]
