"""The shortest walk between two places."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Dict, List, Optional, Set, Tuple

from .pathmap import PathMap
from .walks import Walk


def shortest_walk(path_map: PathMap, start: str, end: str) -> Optional[Walk]:
    """The shortest walk; None if there is no way to get there."""
    path_map.neighbours(end)
    queue: List[Tuple[float, str]] = [(0.0, start)]
    distances: Dict[str, float] = {start: 0.0}
    before: Dict[str, str] = {}
    done: Set[str] = set()
    while queue:
        distance, place = heappop(queue)
        if place == end:
            return Walk(_way_back(before, end), distance)
        if place in done:
            continue
        done.add(place)
        for neighbour in path_map.neighbours(place):
            longer = distance + path_map.length(place, neighbour)
            if longer < distances.get(neighbour, float("inf")):
                distances[neighbour] = longer
                before[neighbour] = place
                heappush(queue, (longer, neighbour))
    return None


def _way_back(before: Dict[str, str], end: str) -> Tuple[str, ...]:
    places = [end]
    while places[-1] in before:
        places.append(before[places[-1]])
    return tuple(reversed(places))
