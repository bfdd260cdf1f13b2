"""The cache itself."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Callable, Hashable, Iterator, List, Optional

from .entry import Entry
from .statistics import Statistics

Clock = Callable[[], float]


class Larder:
    """Keeps values for a while, and not more than `capacity` of them.

    An entry lives for `lifetime` seconds and is stale from then on. Without
    a lifetime it stays until it is evicted. When the larder is full, stale
    entries go first, then the one that was not asked for the longest time.
    """

    def __init__(self, capacity: int, clock: Clock, lifetime: Optional[float] = None) -> None:
        if capacity < 1:
            raise ValueError("a larder must have room for one entry at least")
        if lifetime is not None and lifetime <= 0:
            raise ValueError("a lifetime must be positive")
        self.capacity = capacity
        self.lifetime = lifetime
        self.statistics = Statistics()
        self._clock = clock
        self._entries: "OrderedDict[Hashable, Entry]" = OrderedDict()

    def put(self, key: Hashable, value: Any, lifetime: Optional[float] = None) -> None:
        """Keeps a value; `lifetime` takes the place of that of the larder."""
        now = self._clock()
        entry = Entry(value)
        entry.extend(now, self.lifetime if lifetime is None else lifetime)
        self._entries.pop(key, None)
        if len(self._entries) >= self.capacity:
            self._make_room(now)
        self._entries[key] = entry

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The value, or the default if there is none or it is stale."""
        entry = self._live(key)
        if entry is None:
            self.statistics.misses += 1
            return default
        self.statistics.hits += 1
        entry.uses += 1
        self._entries.move_to_end(key)
        return entry.value

    def touch(self, key: Hashable) -> bool:
        """Begins the lifetime of an entry anew; whether there is one."""
        entry = self._live(key)
        if entry is None:
            return False
        entry.extend(self._clock(), self.lifetime)
        self._entries.move_to_end(key)
        return True

    def remove(self, key: Hashable) -> bool:
        """Forgets an entry; whether there was one."""
        return self._entries.pop(key, None) is not None

    def remaining(self, key: Hashable) -> Optional[float]:
        """The seconds that an entry has left; None if it lives for ever."""
        return self._entries[key].remaining(self._clock())

    def keys(self) -> List[Hashable]:
        """The keys of what is not stale, least recently used first."""
        now = self._clock()
        return [key for key, entry in self._entries.items() if not entry.is_stale(now)]

    def most_used(self, count: int) -> List[Hashable]:
        """The keys that were asked for most often, in descending order."""
        ranked = sorted(self.keys(), key=lambda key: -self._entries[key].uses)
        return ranked[:count]

    def sweep(self) -> int:
        """Drops what is stale, and says how many entries that were."""
        return self._drop_stale(self._clock())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, key: Hashable) -> bool:
        return key in self.keys()

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.keys())

    def _live(self, key: Hashable) -> Optional[Entry]:
        entry = self._entries.get(key)
        if entry is not None and entry.is_stale(self._clock()):
            del self._entries[key]
            self.statistics.expirations += 1
            return None
        return entry

    def _make_room(self, now: float) -> None:
        if self._drop_stale(now) == 0:
            self._entries.popitem(last=False)
            self.statistics.evictions += 1

    def _drop_stale(self, now: float) -> int:
        stale = [key for key, entry in self._entries.items() if entry.is_stale(now)]
        for key in stale:
            del self._entries[key]
        self.statistics.expirations += len(stale)
        return len(stale)
