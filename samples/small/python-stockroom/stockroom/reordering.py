"""What has to be ordered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List

from .articles import Article
from .stock import Stock


@dataclass(frozen=True)
class Order:
    """A quantity of an article that should come into the house."""

    article: Article
    quantity: int


def reorder_list(stock: Stock, review_days: int = 1, cover_days: int = 14) -> List[Order]:
    """What has fallen to its reorder level, the most urgent first.

    The quantities fill the stock up to the level plus the demand of
    `cover_days`. What is on order already counts as if it were there.
    """
    orders = []
    for article in stock.articles():
        level = article.reorder_level(review_days)
        projected = stock.projected(article.code)
        if projected > level or level == 0:
            continue
        target = level + article.daily_demand * cover_days
        orders.append(Order(article, max(1, target - projected)))
    return sorted(orders, key=lambda order: days_left(stock, order.article))


def days_left(stock: Stock, article: Article) -> float:
    """How many days the available quantity lasts."""
    if article.daily_demand == 0:
        return float("inf")
    return stock.available(article.code) / article.daily_demand


def orders_by_supplier(stock: Stock, review_days: int = 1) -> Dict[str, Dict[str, int]]:
    """For each supplier the packs of each article that should be ordered."""
    found: Dict[str, Dict[str, int]] = {}
    for order in reorder_list(stock, review_days):
        supplier = order.article.supplier
        if supplier is None:
            continue
        packs = found.setdefault(supplier.name, {})
        packs[order.article.code] = supplier.packs(order.quantity)
    return found
