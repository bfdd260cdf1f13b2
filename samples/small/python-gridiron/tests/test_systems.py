from fractions import Fraction

import pytest

from gridiron import (
    Matrix,
    ShapeError,
    SingularError,
    determinant,
    inverse,
    parse_matrix,
    power,
    solve,
)

SINGULAR = ["0 0; 0 0", "1 2; 2 4", "1 2 3; 4 5 6; 7 8 9", "0 1; 0 2", "1 0; 0 0"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5", 5),
        ("2 1; 1 3", 5),
        ("1 2; 3 4", -2),
        ("1/2 0; 0 1/3", Fraction(1, 6)),
        ("2 -1 0; -1 2 -1; 0 -1 2", 4),
    ],
)
def test_determinant(text, expected):
    assert determinant(parse_matrix(text)) == expected


def test_determinant_with_zeros_on_the_way():
    assert determinant(parse_matrix("0 1; 1 0")) == -1
    assert determinant(parse_matrix("1 2 3; 2 4 5; 1 0 1")) == -2
    assert determinant(parse_matrix("0 0 2; 3 0 0; 0 4 0")) == 24


@pytest.mark.parametrize("text", SINGULAR)
def test_singular(text):
    matrix = parse_matrix(text)
    assert determinant(matrix) == 0
    with pytest.raises(SingularError):
        solve(matrix, [1] * matrix.shape[0])
    with pytest.raises(SingularError):
        inverse(matrix)


def test_solve():
    assert solve(parse_matrix("2 1; 1 3"), [5, 10]) == [1, 3]
    assert solve(parse_matrix("3"), [1]) == [Fraction(1, 3)]
    assert solve(parse_matrix("1 1 1; 1 2 4; 1 3 9"), [6, 17, 34]) == [1, 2, 3]


def test_solve_with_zeros_on_the_way():
    assert solve(parse_matrix("0 1; 1 0"), [3, 4]) == [4, 3]
    assert solve(parse_matrix("1 2 3; 2 4 5; 1 0 1"), [14, 25, 4]) == [1, 2, 3]


def test_solve_needs_a_right_side_for_each_equation():
    with pytest.raises(ShapeError, match="2 equations"):
        solve(parse_matrix("1 2; 3 4"), [1, 2, 3])


@pytest.mark.parametrize("text", ["2", "2 1; 1 3", "1 2; 3 4", "2 -1 0; -1 2 -1; 0 -1 2"])
def test_inverse(text):
    matrix = parse_matrix(text)
    size = matrix.shape[0]
    assert matrix @ inverse(matrix) == Matrix.identity(size)
    assert inverse(matrix) @ matrix == Matrix.identity(size)


def test_inverse_with_zeros_on_the_way():
    assert inverse(parse_matrix("0 2; 1 0")) == parse_matrix("0 1; 1/2 0")
    matrix = parse_matrix("1 2 3; 2 4 5; 1 0 1")
    assert matrix @ inverse(matrix) == Matrix.identity(3)


def test_power():
    fibonacci = parse_matrix("1 1; 1 0")
    assert power(fibonacci, 10)[0, 1] == 55
    assert power(fibonacci, 0) == Matrix.identity(2)
    assert power(parse_matrix("2 0; 0 4"), -2) == parse_matrix("1/4 0; 0 1/16")


@pytest.mark.parametrize("function", [determinant, inverse])
def test_only_square_matrices(function):
    with pytest.raises(ShapeError, match="not square"):
        function(parse_matrix("1 2 3; 4 5 6"))
