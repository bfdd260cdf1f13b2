from fractions import Fraction

import pytest

from gridiron import Matrix, ShapeError, format_matrix, parse_matrix

A = parse_matrix("1 2; 3 4")
B = parse_matrix("0 1/2; -1 1")


def test_sum_and_difference():
    assert A + B == parse_matrix("1 5/2; 2 5")
    assert A - A == parse_matrix("0 0; 0 0")


def test_product():
    assert A @ B == parse_matrix("-2 5/2; -4 11/2")
    assert A @ parse_matrix("1; 1") == parse_matrix("3; 7")
    assert A @ Matrix.identity(2) == A


def test_shapes():
    assert parse_matrix("1 2 3").shape == (1, 3)
    with pytest.raises(ShapeError):
        Matrix([[1, 2], [3]])
    with pytest.raises(ShapeError):
        Matrix([])
    with pytest.raises(ShapeError, match="multiply"):
        A @ parse_matrix("1 2 3")
    with pytest.raises(ShapeError, match="add"):
        A + parse_matrix("1 2")


def test_transposed():
    assert parse_matrix("1 2 3; 4 5 6").transposed() == parse_matrix("1 4; 2 5; 3 6")


def test_rows_are_a_copy():
    A.rows()[0][0] = Fraction(9)
    assert A[0, 0] == 1


def test_equal_matrices_have_the_same_hash():
    assert hash(A) == hash(parse_matrix("2/2 2\n3 4"))
    assert A != "1 2; 3 4"


def test_text():
    assert format_matrix(parse_matrix("1 -1/2; 10 3")) == " 1 -1/2\n10    3"
