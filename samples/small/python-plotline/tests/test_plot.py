import pytest

from plotline import Plot, Point


@pytest.fixture
def field():
    """A rectangle of 40 by 30 metres."""
    return Plot([Point(0, 0), Point(40, 0), Point(40, 30), Point(0, 30)])


@pytest.fixture
def corner_plot():
    """An L, clockwise."""
    return Plot(
        [Point(0, 0), Point(0, 20), Point(10, 20), Point(10, 10), Point(30, 10), Point(30, 0)]
    )


def test_area_and_perimeter(field, corner_plot):
    assert (field.area(), field.perimeter()) == (1200, 140)
    assert (corner_plot.area(), corner_plot.perimeter()) == (400, 100)


def test_convex(field, corner_plot):
    assert field.is_convex()
    assert not corner_plot.is_convex()


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (Point(5, 15), True),
        (Point(20, 5), True),
        (Point(20, 15), False),
        (Point(-1, 10), False),
        (Point(35, 10), False),
        (Point(10, 15), True),
        (Point(0, 0), True),
    ],
)
def test_contains(corner_plot, place, expected):
    assert corner_plot.contains(place) is expected


@pytest.mark.parametrize(
    ("place", "expected"),
    [(Point(20, 10), 10), (Point(38, 15), 2), (Point(20, 34), 4), (Point(0, 7), 0)],
)
def test_distance_to_a_fence(field, place, expected):
    assert field.boundary_distance(place) == expected


def test_distance_to_a_corner_post(field):
    outside = [Point(43, 34), Point(-3, 34), Point(43, -4), Point(-3, -4)]
    assert [field.boundary_distance(place) for place in outside] == [5, 5, 5, 5]


def test_centre(field, corner_plot):
    assert field.centre() == Point(20, 15)
    assert corner_plot.centre().x == pytest.approx(12.5)
    assert corner_plot.centre().y == pytest.approx(7.5)


def test_too_few_corners():
    with pytest.raises(ValueError, match="three"):
        Plot([Point(0, 0), Point(1, 1)])


def test_crossing_fences():
    with pytest.raises(ValueError, match="cross"):
        Plot([Point(0, 0), Point(10, 10), Point(10, 0), Point(0, 10)])
