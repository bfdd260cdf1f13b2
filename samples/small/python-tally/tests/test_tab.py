import pytest

from tally import Expense, Tab, Transfer


def tab_of(*expenses):
    tab = Tab()
    for expense in expenses:
        tab.add(expense)
    return tab


DINNER = Expense("dinner", 9000, "ann", {"ann": 1, "bob": 1, "cem": 1})
TAXI = Expense("taxi", 2000, "bob", {"ann": 1, "cem": 3})


def test_shares():
    assert DINNER.shares() == {"ann": 3000, "bob": 3000, "cem": 3000}
    assert TAXI.shares() == {"ann": 500, "cem": 1500}


def test_balances():
    assert tab_of(DINNER, TAXI).balances() == {"ann": 5500, "bob": -1000, "cem": -4500}


def test_total():
    assert tab_of(DINNER, TAXI).total() == 11000
    assert tab_of().total() == 0


def test_largest_debt_first():
    assert [str(transfer) for transfer in tab_of(DINNER, TAXI).settle()] == [
        "cem pays ann 45.00",
        "bob pays ann 10.00",
    ]


def test_debt_to_several():
    tab = tab_of(
        Expense("a", 300, "ann", {"cem": 1}),
        Expense("b", 500, "bob", {"cem": 1}),
    )
    assert tab.settle() == [Transfer("cem", "bob", 500), Transfer("cem", "ann", 300)]


def test_what_was_paid_counts():
    tab = tab_of(DINNER)
    tab.pay(Transfer("bob", "ann", 3000))
    assert tab.balances() == {"ann": 3000, "bob": 0, "cem": -3000}
    assert tab.settle() == [Transfer("cem", "ann", 3000)]


def test_nobody_owes_anything_after_settling():
    tab = tab_of(
        Expense("supper", 10000, "bob", {"ann": 1, "bob": 1, "cem": 1}),
        Expense("tea", 1001, "cem", {"ann": 1, "bob": 1, "cem": 2}),
    )
    for transfer in tab.settle():
        tab.pay(transfer)
    assert tab.balances() == {"ann": 0, "bob": 0, "cem": 0}


def test_empty_tab():
    assert tab_of().settle() == []


def test_expenses_are_positive():
    with pytest.raises(ValueError):
        Tab().add(Expense("gift", 0, "ann", {"bob": 1}))
