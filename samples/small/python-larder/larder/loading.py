"""Values that are made when they are asked for."""

from __future__ import annotations

from typing import Any, Callable, Dict, Hashable, Iterable

from .cache import Larder

_MISSING = object()


class Loader:
    """A larder that knows where its values come from."""

    def __init__(self, larder: Larder, load: Callable[[Hashable], Any]) -> None:
        self.larder = larder
        self.loads = 0
        self._load = load

    def get(self, key: Hashable) -> Any:
        """The value of the larder, or a new one, which is then kept."""
        value = self.larder.get(key, _MISSING)
        if value is _MISSING:
            value = self._load(key)
            self.loads += 1
            self.larder.put(key, value)
        return value

    def get_all(self, keys: Iterable[Hashable]) -> Dict[Hashable, Any]:
        return {key: self.get(key) for key in keys}

    def refresh(self, key: Hashable) -> Any:
        """A new value in any case."""
        self.larder.remove(key)
        return self.get(key)
