"""What an invoice is, and what it adds up to."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import List

from .currency import Currency
from .errors import CurrencyMismatch
from .money import Money, total


@dataclass(frozen=True)
class Item:
    """So many of something, at a price each."""

    quantity: int
    price: Money
    title: str

    def __post_init__(self) -> None:
        if self.quantity < 1:
            raise ValueError("the quantity must be at least 1")

    @property
    def amount(self) -> Money:
        """Quantity times price."""
        return self.price * self.quantity


@dataclass
class Invoice:
    """Items to be paid, in one currency, with a discount and a tax in per cent."""

    number: str
    customer: str
    currency: Currency
    discount_rate: Decimal = Decimal(0)
    tax_rate: Decimal = Decimal(0)
    items: List[Item] = field(default_factory=list)

    def add(self, item: Item) -> None:
        """Append an item; its price must be in the currency of the invoice."""
        if item.price.currency != self.currency:
            raise CurrencyMismatch(
                f"{item.title!r} is in {item.price.currency}, the invoice in {self.currency}"
            )
        self.items.append(item)

    @property
    def subtotal(self) -> Money:
        """All items together."""
        return total((item.amount for item in self.items), self.currency)

    @property
    def discount(self) -> Money:
        """What is taken off the subtotal, as a positive amount."""
        return self.subtotal.percent(self.discount_rate)

    @property
    def tax(self) -> Money:
        """The tax on what is left after the discount."""
        return (self.subtotal - self.discount).percent(self.tax_rate)

    @property
    def total(self) -> Money:
        """What the customer pays."""
        return self.subtotal - self.discount + self.tax

    def instalments(self, count: int) -> List[Money]:
        """The total in so many payments that add up to it."""
        return self.total.split(count)
