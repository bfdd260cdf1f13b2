"""The stock on paper."""

from __future__ import annotations

from .stock import Stock


def stock_report(stock: Stock) -> str:
    """A line for each article: code, name, quantities, supplier."""
    lines = [f"{'code':<6}{'name':<16}{'stock':>6}{'free':>6}{'order':>6}  supplier"]
    for article, quantity in stock:
        supplier = article.supplier.name if article.supplier is not None else "-"
        free = stock.available(article.code)
        ordered = stock.on_order(article.code)
        lines.append(
            f"{article.code:<6}{article.name:<16}{quantity:>6}{free:>6}{ordered:>6}  {supplier}"
        )
    return "\n".join(lines)
