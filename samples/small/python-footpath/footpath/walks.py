"""Walks that visit no place twice."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple

from .pathmap import PathMap


class Walk(NamedTuple):
    """The places of a walk in their order, and its length."""

    places: Tuple[str, ...]
    length: float

    def __str__(self) -> str:
        return f"{' - '.join(self.places)} ({self.length:g} km)"


def measure(path_map: PathMap, places: Sequence[str]) -> Walk:
    """The walk through these places."""
    steps = zip(places, places[1:])
    return Walk(tuple(places), sum(path_map.length(start, end) for start, end in steps))


def all_walks(
    path_map: PathMap, start: str, end: str, limit: Optional[float] = None
) -> List[Walk]:
    """All walks from one place to another, the shortest first.

    With a limit, walks that are longer are left out.
    """
    found = _search(path_map, [start], end)
    return _sorted(path_map, found, limit)


def round_walks(path_map: PathMap, start: str, limit: Optional[float] = None) -> List[Walk]:
    """All walks that come back to their start, each in one direction only."""
    found: List[List[str]] = []
    for last in path_map.neighbours(start):
        for places in _search(path_map, [start], last):
            if len(places) > 2 and places[1] < places[-1]:
                found.append(places + [start])
    return _sorted(path_map, found, limit)


def longest_round(path_map: PathMap, start: str) -> Optional[Walk]:
    """The longest round walk; None where there is none."""
    rounds = round_walks(path_map, start)
    return rounds[-1] if rounds else None


def _search(path_map: PathMap, places: List[str], end: str) -> List[List[str]]:
    """All ways to go on from the last of the places to the end."""
    found: List[List[str]] = []
    _extend(path_map, places, end, found)
    return found


def _extend(path_map: PathMap, places: List[str], end: str, found: List[List[str]]) -> None:
    if places[-1] == end:
        found.append(places)
        return
    for neighbour in path_map.neighbours(places[-1]):
        if neighbour in places:
            continue
        places.append(neighbour)
        _extend(path_map, places, end, found)
        places.pop()


def _sorted(path_map: PathMap, found: List[List[str]], limit: Optional[float]) -> List[Walk]:
    walks = [measure(path_map, places) for places in found]
    if limit is not None:
        walks = [walk for walk in walks if walk.length <= limit]
    return sorted(walks, key=lambda walk: (walk.length, walk.places))
