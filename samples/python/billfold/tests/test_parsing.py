from decimal import Decimal

import pytest

from billfold import Money, MoneyFormatError, parse_money
from billfold.parsing import parse_percent


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("420", 42000),
        ("420.5", 42050),
        ("420.05", 42005),
        ("0.99", 99),
        ("1,250.00", 125000),
        ("1,234,567.89", 123456789),
        (" 7 ", 700),
        ("-3.50", -350),
    ],
)
def test_amounts_in_the_default_currency(euro, text, minor):
    assert parse_money(text, default=euro) == Money(minor, euro)


@pytest.mark.parametrize("text", ["€12.50", "EUR 12.50", "eur 12.50", "12.50 EUR"])
def test_currency_in_the_amount(euro, text):
    assert parse_money(text) == Money(1250, euro)


def test_named_currency_wins_over_the_default(euro, yen):
    assert parse_money("€1", default=yen).currency == euro


@pytest.mark.parametrize("text", ["-€3.50", "-EUR 3.50"])
def test_sign_comes_first(euro, text):
    assert parse_money(text) == Money(-350, euro)


@pytest.mark.parametrize(
    "text", ["", "abc", "1.", ".5", "1,25.00", "12 50", "€-3", "1.2.3", "€ €1"]
)
def test_not_an_amount(euro, text):
    with pytest.raises(MoneyFormatError, match="not an amount"):
        parse_money(text, default=euro)


def test_no_currency():
    with pytest.raises(MoneyFormatError, match="no currency"):
        parse_money("12.50")


def test_two_currencies():
    with pytest.raises(MoneyFormatError, match="two currencies"):
        parse_money("€12.50 EUR")


def test_unknown_currency():
    with pytest.raises(MoneyFormatError, match="XYZ"):
        parse_money("XYZ 12.50")


@pytest.mark.parametrize("text", ["EUR 1.005", "KWD 1.2345", "JPY 1.005"], ids=["euro", "dinar", "yen"])
def test_too_many_decimals(text):
    with pytest.raises(MoneyFormatError, match="too many decimals"):
        parse_money(text)


@pytest.mark.parametrize(("text", "rate"), [("19%", "19"), ("7.5 %", "7.5"), ("0%", "0")])
def test_percent(text, rate):
    assert parse_percent(text) == Decimal(rate)


@pytest.mark.parametrize("text", ["19", "%", "-5%", "a%"])
def test_not_a_percentage(text):
    with pytest.raises(MoneyFormatError):
        parse_percent(text)
