from fractions import Fraction

from gridiron import parse_matrix
from gridiron.elimination import make_diagonal, make_triangle, subtract


def test_subtract():
    row = [Fraction(5), Fraction(7)]
    assert subtract(row, Fraction(2), [Fraction(1), Fraction(3)]) == [3, 1]
    assert row == [5, 7]


def test_triangle():
    rows = parse_matrix("2 1 3; 4 3 1").rows()
    make_triangle(rows)
    assert rows == [[2, 1, 3], [0, 1, -5]]


def test_diagonal():
    rows = parse_matrix("2 1 3; 4 3 1").rows()
    make_diagonal(rows)
    assert rows == [[1, 0, 4], [0, 1, -5]]
