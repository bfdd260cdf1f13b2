from decimal import Decimal

import pytest

from billfold import Invoice, Item, Money, RateTable, currency


@pytest.fixture
def euro():
    return currency("EUR")


@pytest.fixture
def yen():
    return currency("JPY")


@pytest.fixture
def dinar():
    return currency("KWD")


@pytest.fixture
def rates(euro):
    return RateTable(euro, {"USD": "1.25", "JPY": "160", "KWD": "0.32"})


@pytest.fixture
def studio(euro):
    """An invoice of 864.90 euros before discount and tax."""
    invoice = Invoice("2024-017", "Lindqvist Books", euro, Decimal(5), Decimal(19))
    invoice.add(Item(2, Money(42000, euro), "Cover illustration"))
    invoice.add(Item(1, Money(2490, euro), "Courier"))
    return invoice
