"""Articles and those who deliver them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Supplier:
    """Someone who delivers, `lead_days` days after an order."""

    name: str
    lead_days: int
    pack_size: int = 1

    def packs(self, quantity: int) -> int:
        """How many packs are needed for that quantity."""
        return -(-quantity // self.pack_size)


@dataclass(frozen=True)
class Article:
    """Something that is kept in stock.

    `daily_demand` is how many are sold on an average day; `safety_stock` is
    what should always be left. Things that we make ourselves have no
    supplier.
    """

    code: str
    name: str
    daily_demand: int = 0
    safety_stock: int = 0
    supplier: Optional[Supplier] = None

    def reorder_level(self, review_days: int = 1) -> int:
        """The quantity at which the article has to be ordered.

        It lasts until the delivery, and until the next review of the stock.
        """
        lead_days = self.supplier.lead_days
        return self.daily_demand * (lead_days + review_days) + self.safety_stock
