"""Who paid, who owes: shared expenses."""

from .amounts import AmountError, format_amount, parse_amount
from .journal import read_journal
from .sharing import allocate
from .tab import Expense, Tab, Transfer

__all__ = [
    "AmountError",
    "Expense",
    "Tab",
    "Transfer",
    "allocate",
    "format_amount",
    "parse_amount",
    "read_journal",
]
