"""Invoices from short text files."""

from .currency import Currency, currency
from .errors import BillfoldError, CurrencyMismatch, InvoiceFormatError, MoneyFormatError
from .exchange import RateTable
from .formatting import format_money
from .invoice import Invoice, Item
from .money import Money
from .parsing import parse_money
from .reader import read_invoice
from .render import render_invoice

__all__ = [
    "BillfoldError",
    "Currency",
    "CurrencyMismatch",
    "Invoice",
    "InvoiceFormatError",
    "Item",
    "Money",
    "MoneyFormatError",
    "RateTable",
    "currency",
    "format_money",
    "parse_money",
    "read_invoice",
    "render_invoice",
]
