"""Reading an invoice file."""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, Tuple

from .currency import currency
from .errors import BillfoldError, InvoiceFormatError
from .invoice import Invoice, Item
from .parsing import parse_money, parse_percent

_ITEM = re.compile(r"(?P<quantity>\d+)\s*x\s+(?P<price>(?:[A-Z]{3}\s+)?\S+)\s+(?P<title>\S.*)")
_HEADER = re.compile(r"(?P<key>invoice|to|currency|discount|tax)\s+(?P<value>\S.*)")
_REQUIRED = ("invoice", "to", "currency")

_Numbered = Tuple[int, str]


def read_invoice(lines: Iterable[str]) -> Invoice:
    """Read an invoice: header lines, then items, in any order."""
    header: Dict[str, _Numbered] = {}
    items: List[Tuple[int, "re.Match[str]"]] = []
    last = 0
    for last, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        item = _ITEM.fullmatch(text)
        if item is not None:
            items.append((last, item))
            continue
        entry = _HEADER.fullmatch(text)
        if entry is None:
            raise InvoiceFormatError(last, f"neither header nor item: {text!r}")
        if entry.group("key") in header:
            raise InvoiceFormatError(last, f"a second {entry.group('key')!r}")
        header[entry.group("key")] = (last, entry.group("value"))
    for key in _REQUIRED:
        if key not in header:
            raise InvoiceFormatError(last, f"the line {key!r} is missing")
    invoice = _empty_invoice(header)
    for number, match in items:
        try:
            price = parse_money(match.group("price"), default=invoice.currency)
            invoice.add(Item(int(match.group("quantity")), price, match.group("title")))
        except (BillfoldError, ValueError) as error:
            raise InvoiceFormatError(number, str(error)) from None
    return invoice


def _empty_invoice(header: Dict[str, _Numbered]) -> Invoice:
    number, name = header["currency"]
    try:
        invoice = Invoice(header["invoice"][1], header["to"][1], currency(name))
        if "discount" in header:
            number, text = header["discount"]
            invoice.discount_rate = parse_percent(text)
        if "tax" in header:
            number, text = header["tax"]
            invoice.tax_rate = parse_percent(text)
    except BillfoldError as error:
        raise InvoiceFormatError(number, str(error)) from None
    return invoice
