"""Changing amounts from one currency to another."""

from __future__ import annotations

from decimal import Decimal
from typing import Dict, Tuple

from .currency import Currency, currency
from .errors import BillfoldError
from .money import Money, round_half_up


class NoRate(BillfoldError, LookupError):
    """Two currencies that no known rate connects."""


class RateTable:
    """Rates against one base currency: how much of each one unit of it buys."""

    def __init__(self, base: Currency, rates: Dict[str, str]) -> None:
        self.base = base
        self._rates: Dict[Currency, Decimal] = {base: Decimal(1)}
        for code, rate in rates.items():
            value = Decimal(rate)
            if value <= 0:
                raise ValueError(f"the rate of {code} must be above zero")
            self._rates[currency(code)] = value

    def rate(self, source: Currency, target: Currency) -> Decimal:
        """How much of `target` one unit of `source` buys."""
        try:
            return self._rates[target] / self._rates[source]
        except KeyError as error:
            raise NoRate(f"no rate for {error.args[0]}") from None

    def convert(self, amount: Money, target: Currency) -> Money:
        """The amount in another currency, rounded to its smallest unit."""
        rate = self.rate(amount.currency, target)
        major = Decimal(amount.minor) / amount.currency.minor_per_major
        return Money(round_half_up(major * rate * target.minor_per_major), target)

    def convert_all(self, amounts: "list[Money]", target: Currency) -> Tuple[Money, int]:
        """The sum in another currency, and how many amounts were changed."""
        result = Money.zero(target)
        changed = 0
        for amount in amounts:
            if amount.currency != target:
                changed += 1
            result = result + self.convert(amount, target)
        return result, changed
