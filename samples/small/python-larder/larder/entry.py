"""What the cache keeps for a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional


@dataclass
class Entry:
    """A value with the moment at which it becomes stale.

    `deadline` is None for an entry that lives for ever.
    """

    value: Any
    deadline: Optional[float] = None
    uses: int = 0

    def is_stale(self, now: float) -> bool:
        """Whether the lifetime of the entry is over at `now`."""
        return self.deadline is not None and now > self.deadline

    def remaining(self, now: float) -> Optional[float]:
        """The seconds it has left, never less than 0; None for ever."""
        if self.deadline is None:
            return None
        return max(0.0, self.deadline - now)

    def extend(self, now: float, lifetime: Optional[float]) -> None:
        """Gives the entry a new lifetime that begins at `now`."""
        self.deadline = None if lifetime is None else now + lifetime
