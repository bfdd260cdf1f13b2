"""The quantities, and how they change."""

from __future__ import annotations

from typing import Dict, Iterator, List, Tuple

from .articles import Article


class StockError(Exception):
    """What cannot be done with the stock."""


class Stock:
    """Quantities in stock and on order, for each article."""

    def __init__(self) -> None:
        self._articles: Dict[str, Article] = {}
        self._in_stock: Dict[str, int] = {}
        self._reserved: Dict[str, int] = {}
        self._on_order: Dict[str, int] = {}

    def add(self, article: Article, quantity: int = 0) -> None:
        """Takes up a new article."""
        if article.code in self._articles:
            raise StockError(f"{article.code} is known already")
        if quantity < 0:
            raise StockError("a quantity cannot be negative")
        self._articles[article.code] = article
        self._in_stock[article.code] = quantity
        self._reserved[article.code] = 0
        self._on_order[article.code] = 0

    def article(self, code: str) -> Article:
        if code not in self._articles:
            raise StockError(f"no such article: {code}")
        return self._articles[code]

    def in_stock(self, code: str) -> int:
        return self._in_stock[self.article(code).code]

    def available(self, code: str) -> int:
        """What is in stock and not reserved."""
        return self.in_stock(code) - self._reserved[code]

    def on_order(self, code: str) -> int:
        return self._on_order[self.article(code).code]

    def reserve(self, code: str, quantity: int) -> None:
        """Keeps some for a customer."""
        if quantity > self.available(code):
            raise StockError(f"only {self.available(code)} of {code} are available")
        self._reserved[code] += quantity

    def ship(self, code: str, quantity: int) -> None:
        """Sends off what was reserved."""
        if quantity > self._reserved[self.article(code).code]:
            raise StockError(f"only {self._reserved[code]} of {code} are reserved")
        self._reserved[code] -= quantity
        self._in_stock[code] -= quantity

    def order(self, code: str, quantity: int) -> None:
        """Notes that some were ordered."""
        self._on_order[self.article(code).code] += quantity

    def receive(self, code: str, quantity: int) -> None:
        """Puts a delivery on the shelf; it may be more than was ordered."""
        self._in_stock[self.article(code).code] += quantity
        self._on_order[code] = max(0, self._on_order[code] - quantity)

    def projected(self, code: str) -> int:
        """What will be available when all orders have come."""
        return self.available(code) + self.on_order(code)

    def articles(self) -> List[Article]:
        """All articles, by code."""
        return [self._articles[code] for code in sorted(self._articles)]

    def __iter__(self) -> Iterator[Tuple[Article, int]]:
        for article in self.articles():
            yield article, self._in_stock[article.code]
