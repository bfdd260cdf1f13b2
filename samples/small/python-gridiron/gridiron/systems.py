"""Systems of linear equations, and what belongs to them."""

from __future__ import annotations

from fractions import Fraction
from typing import List, Sequence

from .elimination import SingularError, make_diagonal, make_triangle
from .matrix import Matrix, Number, ShapeError


def determinant(matrix: Matrix) -> Fraction:
    """The determinant of a square matrix."""
    _check_square(matrix)
    rows = matrix.rows()
    try:
        make_triangle(rows)
    except SingularError:
        return Fraction(0)
    product = Fraction(1)
    for index, row in enumerate(rows):
        product *= row[index]
    return product


def solve(matrix: Matrix, right: Sequence[Number]) -> List[Fraction]:
    """The x for which matrix times x is the right side.

    Raises SingularError if there is none or more than one.
    """
    _check_square(matrix)
    size = matrix.shape[0]
    if len(right) != size:
        raise ShapeError(f"{size} equations, but {len(right)} right sides")
    rows = [row + [Fraction(value)] for row, value in zip(matrix.rows(), right)]
    make_triangle(rows)
    solution = [Fraction(0)] * size
    for index in reversed(range(size)):
        known = sum(rows[index][k] * solution[k] for k in range(index + 1, size))
        solution[index] = (rows[index][size] - known) / rows[index][index]
    return solution


def inverse(matrix: Matrix) -> Matrix:
    """The inverse of a square matrix; raises SingularError if there is none."""
    _check_square(matrix)
    size = matrix.shape[0]
    rows = [left + right for left, right in zip(matrix.rows(), Matrix.identity(size).rows())]
    make_diagonal(rows)
    return Matrix(row[size:] for row in rows)


def power(matrix: Matrix, exponent: int) -> Matrix:
    """A power of a square matrix; a negative one is a power of the inverse."""
    _check_square(matrix)
    if exponent < 0:
        return power(inverse(matrix), -exponent)
    result = Matrix.identity(matrix.shape[0])
    while exponent:
        if exponent % 2:
            result = result @ matrix
        matrix = matrix @ matrix
        exponent //= 2
    return result


def _check_square(matrix: Matrix) -> None:
    if not matrix.is_square:
        raise ShapeError(f"a matrix of shape {matrix.shape} is not square")
