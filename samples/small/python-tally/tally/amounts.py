"""Amounts of money, which are whole numbers of cents."""

from __future__ import annotations

import re

_AMOUNT = re.compile(r"(-?)(\d+)(?:\.(\d\d))?")


class AmountError(ValueError):
    """What is no amount of money."""


def parse_amount(text: str) -> int:
    """Reads '12' or '12.50'; the answer is in cents."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        raise AmountError(f"not an amount: {text!r}")
    sign, whole, cents = match.groups()
    amount = int(whole) * 100 + int(cents or 0)
    return -amount if sign else amount


def format_amount(cents: int) -> str:
    """'12.50'."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02}"
