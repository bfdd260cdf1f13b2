"""Straight pieces of fence between two points."""

from __future__ import annotations

from .point import Point, clamp, turn


def closest_point(start: Point, end: Point, place: Point) -> Point:
    """The point of the segment that is closest to `place`."""
    direction = end - start
    square = direction.dot(direction)
    if square == 0:
        return start
    along = (place - start).dot(direction) / square
    return start + direction * clamp(0.0, along, 1.0)


def distance_to_segment(start: Point, end: Point, place: Point) -> float:
    """How far it is from `place` to the segment."""
    return closest_point(start, end, place).distance(place)


def is_between(start: Point, end: Point, place: Point) -> bool:
    """Whether `place`, which lies on the line, lies on the segment, too."""
    return (
        min(start.x, end.x) <= place.x <= max(start.x, end.x)
        and min(start.y, end.y) <= place.y <= max(start.y, end.y)
    )


def segments_cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the segments a-b and c-d have a point in common."""
    first, second = turn(a, b, c), turn(a, b, d)
    third, fourth = turn(c, d, a), turn(c, d, b)
    if first != second and third != fourth:
        return True
    touching = [(first, a, b, c), (second, a, b, d), (third, c, d, a), (fourth, c, d, b)]
    return any(side == 0 and is_between(start, end, place) for side, start, end, place in touching)
