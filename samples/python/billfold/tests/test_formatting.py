from decimal import Decimal

import pytest

from billfold import Money, currency, format_money, parse_money
from billfold.formatting import format_percent


@pytest.mark.parametrize(
    ("minor", "text"),
    [
        (0, "€0.00"),
        (5, "€0.05"),
        (99, "€0.99"),
        (42050, "€420.50"),
        (125000, "€1,250.00"),
        (123456789, "€1,234,567.89"),
        (-350, "-€3.50"),
        (-5, "-€0.05"),
    ],
)
def test_euros(euro, minor, text):
    assert format_money(Money(minor, euro)) == text


def test_without_symbol(euro):
    assert format_money(Money(-125000, euro), symbol=False) == "-1,250.00"


def test_code_instead_of_a_symbol():
    assert format_money(Money(4205, currency("CHF"))) == "CHF 42.05"


@pytest.mark.parametrize(
    ("entered", "shown"),
    [
        pytest.param("EUR 1500", "€1,500.00", id="euro"),
        pytest.param("JPY 1500", "¥1,500", id="yen"),
        pytest.param("KWD 4.5", "KWD 4.500", id="dinar"),
    ],
)
def test_decimals_of_the_currency(entered, shown):
    assert format_money(parse_money(entered)) == shown


@pytest.mark.parametrize("minor", [0, 7, 1234567, -1234567])
@pytest.mark.parametrize("code", ["EUR", "JPY", "KWD"])
def test_what_is_written_can_be_read_back(code, minor):
    amount = Money(minor, currency(code))
    assert parse_money(format_money(amount)) == amount


@pytest.mark.parametrize(
    ("rate", "text"), [("19", "19%"), ("7.50", "7.5%"), ("20.0", "20%"), ("100", "100%")]
)
def test_percent(rate, text):
    assert format_percent(Decimal(rate)) == text
