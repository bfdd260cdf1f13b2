from decimal import Decimal

import pytest

from billfold import Money, RateTable, currency
from billfold.exchange import NoRate


def test_rate_between_two_foreign_currencies(rates):
    assert rates.rate(currency("USD"), currency("JPY")) == Decimal(128)


def test_same_currency_is_unchanged(rates, euro):
    assert rates.convert(Money(1999, euro), euro) == Money(1999, euro)


def test_between_currencies_with_cents(rates, euro):
    assert rates.convert(Money(1000, euro), currency("USD")) == Money(1250, currency("USD"))


def test_into_a_currency_without_cents(rates, euro, yen):
    assert rates.convert(Money(1050, euro), yen) == Money(1680, yen)


def test_out_of_a_currency_without_cents(rates, euro, yen):
    assert rates.convert(Money(1680, yen), euro) == Money(1050, euro)


def test_into_a_currency_with_three_decimals(rates, euro, dinar):
    assert rates.convert(Money(1001, euro), dinar) == Money(3203, dinar)


def test_sum_of_several_currencies(rates, euro, yen):
    amounts = [Money(500, euro), Money(1600, yen)]
    assert rates.convert_all(amounts, euro) == (Money(1500, euro), 1)


def test_no_rate(rates, euro):
    with pytest.raises(NoRate, match="GBP"):
        rates.convert(Money(100, euro), currency("GBP"))


@pytest.mark.parametrize("rate", ["0", "-1"])
def test_rates_are_positive(euro, rate):
    with pytest.raises(ValueError, match="above zero"):
        RateTable(euro, {"USD": rate})
