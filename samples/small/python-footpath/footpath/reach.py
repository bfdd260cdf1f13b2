"""How far one can get."""

from __future__ import annotations

from collections import deque
from typing import List

from .pathmap import PathMap
from .shortest import shortest_walk


def reachable(path_map: PathMap, start: str) -> List[str]:
    """All places that can be reached, the start included."""
    seen = {start}
    queue = deque([start])
    while queue:
        for neighbour in path_map.neighbours(queue.popleft()):
            if neighbour not in seen:
                seen.add(neighbour)
                queue.append(neighbour)
    return sorted(seen)


def within(path_map: PathMap, start: str, limit: float) -> List[str]:
    """The places whose shortest walk from the start is not longer than the limit."""
    found = []
    for place in reachable(path_map, start):
        walk = shortest_walk(path_map, start, place)
        if walk is not None and walk.length <= limit:
            found.append(place)
    return found
