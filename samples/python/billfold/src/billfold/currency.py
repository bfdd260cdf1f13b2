"""The currencies we know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Iterator

from .errors import UnknownCurrency


@dataclass(frozen=True)
class Currency:
    """A currency: ISO code, symbol, and how many decimals it has."""

    code: str
    symbol: str
    digits: int

    @property
    def minor_per_major(self) -> int:
        """How many of the smallest unit make one: 100 cents, 1 yen, 1000 fils."""
        return 10**self.digits

    def __str__(self) -> str:
        return self.code


_TABLE: Dict[str, Currency] = {
    entry.code: entry
    for entry in (
        Currency("CHF", "CHF ", 2),
        Currency("EUR", "€", 2),
        Currency("GBP", "£", 2),
        Currency("JPY", "¥", 0),
        Currency("KWD", "KWD ", 3),
        Currency("SEK", "SEK ", 2),
        Currency("TND", "TND ", 3),
        Currency("USD", "$", 2),
    )
}


def currency(name: str) -> Currency:
    """Look a currency up by code (any case) or symbol."""
    wanted = name.strip()
    found = _TABLE.get(wanted.upper())
    if found is not None:
        return found
    for entry in known_currencies():
        if wanted and entry.symbol.strip() == wanted:
            return entry
    raise UnknownCurrency(f"unknown currency: {name!r}")


def known_currencies() -> Iterator[Currency]:
    """All currencies, ordered by code."""
    return iter(_TABLE.values())
