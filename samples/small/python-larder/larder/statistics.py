"""How well a cache does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Statistics:
    """Counts since the cache was made or `reset` was called."""

    hits: int = 0
    misses: int = 0
    evictions: int = 0
    expirations: int = 0

    @property
    def lookups(self) -> int:
        return self.hits + self.misses

    @property
    def hit_rate(self) -> float:
        """Between 0 and 1; 0 before the first lookup."""
        if self.lookups == 0:
            return 0.0
        return self.hits / self.lookups

    def reset(self) -> None:
        self.hits = self.misses = self.evictions = self.expirations = 0

    def __str__(self) -> str:
        return (
            f"{self.hits} of {self.lookups} found ({self.hit_rate:.0%}), "
            f"{self.evictions} evicted, {self.expirations} expired"
        )
