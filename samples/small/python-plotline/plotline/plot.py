"""A plot of land."""

from __future__ import annotations

from typing import Iterator, List, Sequence, Tuple

from .point import Point, turn
from .segment import distance_to_segment, is_between, segments_cross


class Plot:
    """A polygon whose fences do not cross each other.

    The corners may go around it in either direction; the last one is joined
    to the first.
    """

    def __init__(self, corners: Sequence[Point]) -> None:
        if len(corners) < 3:
            raise ValueError("a plot has three corners at least")
        self.corners: List[Point] = list(corners)
        if self._crosses_itself():
            raise ValueError("the fences of a plot must not cross")

    def fences(self) -> Iterator[Tuple[Point, Point]]:
        """Each fence with its two ends."""
        for number, corner in enumerate(self.corners):
            yield corner, self.corners[(number + 1) % len(self.corners)]

    def area(self) -> float:
        return abs(sum(start.cross(end) for start, end in self.fences())) / 2

    def perimeter(self) -> float:
        return sum(start.distance(end) for start, end in self.fences())

    def is_convex(self) -> bool:
        """Whether no corner points inwards."""
        count = len(self.corners)
        turns = {
            turn(self.corners[i], self.corners[(i + 1) % count], self.corners[(i + 2) % count])
            for i in range(count)
        }
        return not {1, -1} <= turns

    def contains(self, place: Point) -> bool:
        """Whether a place lies inside or on a fence."""
        inside = False
        for start, end in self.fences():
            if turn(start, end, place) == 0 and is_between(start, end, place):
                return True
            if (start.y > place.y) != (end.y > place.y):
                slope = (place.y - start.y) / (end.y - start.y)
                if place.x < start.x + slope * (end.x - start.x):
                    inside = not inside
        return inside

    def boundary_distance(self, place: Point) -> float:
        """How far it is to the nearest fence, from inside or outside."""
        return min(distance_to_segment(start, end, place) for start, end in self.fences())

    def centre(self) -> Point:
        """The centre of gravity."""
        doubled = sum(start.cross(end) for start, end in self.fences())
        total = Point(0.0, 0.0)
        for start, end in self.fences():
            total = total + (start + end) * start.cross(end)
        return total * (1 / (3 * doubled))

    def _crosses_itself(self) -> bool:
        fences = list(self.fences())
        last = len(fences) - 1
        for i, (a, b) in enumerate(fences):
            for j in range(i + 2, len(fences)):
                if (i, j) != (0, last) and segments_cross(a, b, *fences[j]):
                    return True
        return False
