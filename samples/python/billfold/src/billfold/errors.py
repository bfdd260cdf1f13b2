"""What can go wrong."""

from __future__ import annotations


class BillfoldError(Exception):
    """The base of all errors of this package."""


class MoneyFormatError(BillfoldError, ValueError):
    """A text that is no amount of money."""


class UnknownCurrency(BillfoldError, LookupError):
    """A currency code or symbol that is not in the table."""


class CurrencyMismatch(BillfoldError, TypeError):
    """Arithmetic on amounts of two currencies."""


class InvoiceFormatError(BillfoldError, ValueError):
    """A line of an invoice file that cannot be read."""

    def __init__(self, line_number: int, reason: str) -> None:
        super().__init__(f"line {line_number}: {reason}")
        self.line_number = line_number
