"""Reading amounts: '1,250.00', '€420', 'EUR 420', '-$3.50'."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Optional

from .currency import Currency, currency
from .errors import MoneyFormatError, UnknownCurrency
from .money import Money

_AMOUNT = re.compile(
    r"""
    (?P<sign>-?)
    (?P<name>[A-Za-z]{3}\s+|[^\w\s.,-])?
    (?P<whole>\d{1,3}(?:,\d{3})+|\d+)
    (?:\.(?P<fraction>\d+))?
    (?:\s+(?P<code>[A-Za-z]{3}))?
    """,
    re.VERBOSE,
)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def parse_money(text: str, default: Optional[Currency] = None) -> Money:
    """Read an amount; one that names no currency is in `default`."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        raise MoneyFormatError(f"not an amount: {text.strip()!r}")
    unit = _currency_of(match, text, default)
    whole = match.group("whole").replace(",", "")
    fraction = match.group("fraction") or ""
    if len(fraction) > 2:
        raise MoneyFormatError(f"too many decimals for {unit}: {text.strip()!r}")
    minor = int(whole) * 100 + int(fraction.ljust(2, "0"))
    return Money(-minor if match.group("sign") else minor, unit)


def _currency_of(match: "re.Match[str]", text: str, default: Optional[Currency]) -> Currency:
    before, after = match.group("name"), match.group("code")
    if before and after:
        raise MoneyFormatError(f"two currencies in one amount: {text.strip()!r}")
    name = before or after
    if name is None:
        if default is None:
            raise MoneyFormatError(f"no currency given: {text.strip()!r}")
        return default
    try:
        return currency(name)
    except UnknownCurrency as error:
        raise MoneyFormatError(str(error)) from None


def parse_percent(text: str) -> Decimal:
    """Read '19%' or '7.5 %' as the number before the sign."""
    match = _PERCENT.fullmatch(text.strip())
    if match is None:
        raise MoneyFormatError(f"not a percentage: {text.strip()!r}")
    return Decimal(match.group(1))
