import pytest

from plotline import Point, closest_point, distance_to_segment, segments_cross
from plotline.point import clamp, turn

START, END = Point(0, 0), Point(10, 0)


@pytest.mark.parametrize(
    ("value", "expected"), [(-1, 2), (2, 2), (3.5, 3.5), (5, 5), (9, 5)]
)
def test_clamp(value, expected):
    assert clamp(value, 2, 5) == expected


@pytest.mark.parametrize(
    ("place", "expected"), [(Point(2, 1), 1), (Point(2, -1), -1), (Point(2, 0), 0)]
)
def test_turn(place, expected):
    assert turn(Point(0, 0), Point(1, 0), place) == expected


def test_distance_beside_the_segment():
    assert distance_to_segment(START, END, Point(5, 3)) == 3
    assert distance_to_segment(START, END, Point(5, -3)) == 3


def test_distance_before_the_start():
    assert distance_to_segment(START, END, Point(-3, 4)) == 5


def test_distance_beyond_the_end():
    assert distance_to_segment(START, END, Point(13, 4)) == 5


def test_on_the_segment():
    assert distance_to_segment(START, END, Point(7, 0)) == 0


def test_closest_point_of_a_slope():
    assert closest_point(Point(0, 0), Point(4, 4), Point(0, 4)) == Point(2, 2)


def test_closest_points_beyond_both_ends():
    places = [Point(-2, 1), Point(12, 1)]
    assert [closest_point(START, END, place) for place in places] == [START, END]


def test_segment_without_length():
    assert closest_point(START, START, Point(3, 4)) == START
    assert distance_to_segment(START, START, Point(3, 4)) == 5


@pytest.mark.parametrize(
    ("c", "d", "expected"),
    [
        (Point(5, -1), Point(5, 1), True),
        (Point(5, 1), Point(5, 3), False),
        (Point(10, 0), Point(12, 5), True),
        (Point(5, 0), Point(5, 3), True),
        (Point(8, 0), Point(14, 0), True),
        (Point(11, 0), Point(14, 0), False),
        (Point(0, 1), Point(10, 1), False),
    ],
)
def test_segments_cross(c, d, expected):
    assert segments_cross(START, END, c, d) is expected
    assert segments_cross(d, c, START, END) is expected
