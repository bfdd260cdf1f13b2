"""Points, which are vectors as well."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot


@dataclass(frozen=True)
class Point:
    """A place on the plane, in metres."""

    x: float
    y: float

    def __add__(self, other: Point) -> Point:
        return Point(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Point) -> Point:
        return Point(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: float) -> Point:
        return Point(self.x * factor, self.y * factor)

    def dot(self, other: Point) -> float:
        return self.x * other.x + self.y * other.y

    def cross(self, other: Point) -> float:
        """Twice the signed area between two vectors, positive to the left."""
        return self.x * other.y - self.y * other.x

    def distance(self, other: Point) -> float:
        return hypot(other.x - self.x, other.y - self.y)


def clamp(value: float, low: float, high: float) -> float:
    """The number nearest to `value` that is not outside the limits."""
    return max(low, min(value, high))


def turn(a: Point, b: Point, c: Point) -> int:
    """Which way the path a, b, c turns: 1 left, -1 right, 0 straight on."""
    area = (b - a).cross(c - b)
    return (area > 0) - (area < 0)
