"""Amounts of money, as whole numbers of the smallest unit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Iterable, List, Sequence, Union

from .currency import Currency
from .errors import CurrencyMismatch

Factor = Union[int, Decimal]


def round_half_up(value: Decimal) -> int:
    """To the nearest whole number, halves away from zero."""
    return int(value.quantize(Decimal(1), rounding=ROUND_HALF_UP))


@dataclass(frozen=True)
class Money:
    """An amount: `minor` counts the smallest unit of `currency`."""

    minor: int
    currency: Currency

    @classmethod
    def zero(cls, currency: Currency) -> "Money":
        """Nothing, in a currency."""
        return cls(0, currency)

    def _same_currency(self, other: "Money") -> None:
        if self.currency != other.currency:
            raise CurrencyMismatch(f"{self.currency} and {other.currency} do not mix")

    def __add__(self, other: "Money") -> "Money":
        self._same_currency(other)
        return Money(self.minor + other.minor, self.currency)

    def __sub__(self, other: "Money") -> "Money":
        return self + -other

    def __neg__(self) -> "Money":
        return Money(-self.minor, self.currency)

    def __mul__(self, factor: Factor) -> "Money":
        if isinstance(factor, int):
            return Money(self.minor * factor, self.currency)
        return Money(round_half_up(self.minor * factor), self.currency)

    def __lt__(self, other: "Money") -> bool:
        self._same_currency(other)
        return self.minor < other.minor

    def __le__(self, other: "Money") -> bool:
        self._same_currency(other)
        return self.minor <= other.minor

    def percent(self, rate: Decimal) -> "Money":
        """That many per cent of the amount, rounded to the smallest unit."""
        return self * (rate / 100)

    def allocate(self, weights: Sequence[int]) -> List["Money"]:
        """Divide the amount by weight so that the parts add up to it.

        What does not divide evenly goes to the first parts, one unit each.
        """
        total = sum(weights)
        if total <= 0 or min(weights) < 0:
            raise ValueError("weights must not be negative, and not all zero")
        sign = -1 if self.minor < 0 else 1
        amount = abs(self.minor)
        shares = [amount * weight // total for weight in weights]
        left = amount - sum(shares)
        for index, weight in enumerate(weights):
            if left and weight:
                shares[index] += 1
                left -= 1
        return [Money(sign * share, self.currency) for share in shares]

    def split(self, parts: int) -> List["Money"]:
        """Divide the amount into equal parts, as far as that goes."""
        return self.allocate([1] * parts)


def total(amounts: Iterable[Money], currency: Currency) -> Money:
    """The sum of amounts that are all in `currency`."""
    result = Money.zero(currency)
    for amount in amounts:
        result = result + amount
    return result
