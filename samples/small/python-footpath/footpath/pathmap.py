"""Places, and the footpaths between them."""

from __future__ import annotations

from typing import Dict, Iterable, List


class UnknownPlace(LookupError):
    """A place that is not on the map."""


class PathMap:
    """Footpaths with their lengths in kilometres; they lead both ways."""

    def __init__(self) -> None:
        self._paths: Dict[str, Dict[str, float]] = {}

    @classmethod
    def parse(cls, lines: Iterable[str]) -> PathMap:
        """Reads lines such as 'mill - bridge 2.5'; '#' begins a comment."""
        path_map = cls()
        for number, line in enumerate(lines, start=1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            ends, _, length = line.rpartition(" ")
            start, dash, end = ends.partition(" - ")
            try:
                if not dash:
                    raise ValueError("no ' - ' between two places")
                path_map.add(start.strip(), end.strip(), float(length))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
        return path_map

    def add(self, start: str, end: str, length: float) -> None:
        """Adds a path; of two between the same places the shorter one counts."""
        if start == end:
            raise ValueError(f"a path from {start} to itself")
        if length <= 0:
            raise ValueError("a path must have a length")
        for here, there in ((start, end), (end, start)):
            paths = self._paths.setdefault(here, {})
            paths[there] = min(length, paths.get(there, length))

    def places(self) -> List[str]:
        return sorted(self._paths)

    def neighbours(self, place: str) -> List[str]:
        """The places at the other ends of its paths, by name."""
        return sorted(self._paths_of(place))

    def length(self, start: str, end: str) -> float:
        """The length of the path between two neighbours."""
        paths = self._paths_of(start)
        if end not in paths:
            raise ValueError(f"there is no path from {start} to {end}")
        return paths[end]

    def _paths_of(self, place: str) -> Dict[str, float]:
        if place not in self._paths:
            raise UnknownPlace(place)
        return self._paths[place]
