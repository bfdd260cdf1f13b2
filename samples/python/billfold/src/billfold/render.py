"""An invoice as text, for a fixed-width font."""

from __future__ import annotations

from typing import List

from .formatting import format_money, format_percent
from .invoice import Invoice
from .money import Money

WIDTH = 52
RULE = "-" * 10


def render_invoice(invoice: Invoice) -> str:
    """The invoice, without a final newline."""
    lines = [f"INVOICE {invoice.number}", f"To: {invoice.customer}", ""]
    for item in invoice.items:
        lines.append(_line(f"  {item.quantity} x {item.title}", item.amount))
    lines.append(RULE.rjust(WIDTH))
    lines.append(_line("Subtotal", invoice.subtotal))
    if invoice.discount_rate:
        label = f"Discount {format_percent(invoice.discount_rate)}"
        lines.append(_line(label, -invoice.discount))
    if invoice.tax_rate:
        lines.append(_line(f"Tax {format_percent(invoice.tax_rate)}", invoice.tax))
    lines.append(RULE.rjust(WIDTH))
    lines.append(_line("Total", invoice.total))
    return "\n".join(lines)


def render_instalments(invoice: Invoice, count: int) -> str:
    """The payment plan: a numbered line for each payment."""
    lines: List[str] = []
    for index, amount in enumerate(invoice.instalments(count), start=1):
        lines.append(_line(f"Payment {index} of {count}", amount))
    return "\n".join(lines)


def _line(label: str, amount: Money) -> str:
    text = format_money(amount)
    room = WIDTH - len(text) - 1
    if len(label) > room:
        label = label[: room - 1] + "…"
    return f"{label.ljust(room)} {text}"
