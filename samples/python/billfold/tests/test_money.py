from decimal import Decimal

import pytest

from billfold import CurrencyMismatch, Money, currency
from billfold.money import round_half_up, total


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0.5", 1), ("1.5", 2), ("2.4", 2), ("-0.5", -1), ("-2.4", -2)],
)
def test_halves_go_away_from_zero(value, expected):
    assert round_half_up(Decimal(value)) == expected


def test_sum_and_difference(euro):
    assert Money(150, euro) + Money(75, euro) == Money(225, euro)
    assert Money(150, euro) - Money(175, euro) == Money(-25, euro)


def test_currencies_do_not_mix(euro, yen):
    with pytest.raises(CurrencyMismatch, match="EUR and JPY"):
        Money(1, euro) + Money(1, yen)
    with pytest.raises(CurrencyMismatch):
        assert Money(1, euro) < Money(1, yen)


def test_order(euro):
    assert Money(1, euro) < Money(2, euro)
    assert Money(2, euro) <= Money(2, euro)


def test_percent_is_rounded(euro):
    assert Money(86490, euro).percent(Decimal("5")) == Money(4325, euro)


def test_percent_of_yen_is_whole_yen(yen):
    assert Money(12505, yen).percent(Decimal("10")) == Money(1251, yen)


@pytest.mark.parametrize(
    ("minor", "weights", "expected"),
    [
        (100, [1, 1, 1], [34, 33, 33]),
        (100, [3, 1], [75, 25]),
        (5, [0, 1, 1], [0, 3, 2]),
        (-100, [1, 1, 1], [-34, -33, -33]),
    ],
)
def test_allocation_adds_up(euro, minor, weights, expected):
    parts = Money(minor, euro).allocate(weights)
    assert [part.minor for part in parts] == expected
    assert total(parts, euro) == Money(minor, euro)


@pytest.mark.parametrize("weights", [[], [0, 0], [2, -1]])
def test_impossible_weights(euro, weights):
    with pytest.raises(ValueError):
        Money(100, euro).allocate(weights)


def test_split_yen(yen):
    assert [part.minor for part in Money(100, yen).split(3)] == [34, 33, 33]


@pytest.mark.parametrize("name", ["usd", "USD", "$"])
def test_currency_by_code_or_symbol(name):
    assert currency(name).code == "USD"


def test_unknown_currency():
    with pytest.raises(LookupError, match="XYZ"):
        currency("XYZ")


@pytest.mark.parametrize(("code", "units"), [("EUR", 100), ("JPY", 1), ("KWD", 1000)])
def test_minor_units(code, units):
    assert currency(code).minor_per_major == units
