"""Writing amounts, in a form that parsing.py reads back."""

from __future__ import annotations

from decimal import Decimal

from .money import Money


def format_money(amount: Money, symbol: bool = True) -> str:
    """'€1,250.00'; with symbol=False '1,250.00'."""
    sign = "-" if amount.minor < 0 else ""
    name = amount.currency.symbol if symbol else ""
    major, minor = divmod(abs(amount.minor), 100)
    return f"{sign}{name}{major:,}.{minor:02}"


def format_percent(rate: Decimal) -> str:
    """'19%', '7.5%': no more decimals than needed."""
    text = f"{rate:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text}%"
