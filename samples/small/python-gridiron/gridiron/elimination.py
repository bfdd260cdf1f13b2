"""Gaussian elimination."""

from __future__ import annotations

from fractions import Fraction
from typing import List

from .matrix import Row


class SingularError(ArithmeticError):
    """The matrix has no inverse."""


def subtract(row: Row, factor: Fraction, other: Row) -> Row:
    """The row without a multiple of the other one."""
    return [a - factor * b for a, b in zip(row, other)]


def make_triangle(rows: List[Row]) -> None:
    """Makes everything below the diagonal zero.

    The rows, which may have more columns than there are rows, are changed.
    """
    for step in range(len(rows)):
        pivot = rows[step][step]
        if pivot == 0:
            raise SingularError("there is no inverse")
        for below in range(step + 1, len(rows)):
            factor = rows[below][step] / pivot
            rows[below] = subtract(rows[below], factor, rows[step])


def make_diagonal(rows: List[Row]) -> None:
    """Makes the diagonal one and everything beside it zero.

    The rows, which may have more columns than there are rows, are changed.
    """
    for step in range(len(rows)):
        pivot = rows[step][step]
        if pivot == 0:
            raise SingularError("there is no inverse")
        rows[step] = [value / pivot for value in rows[step]]
        for other in range(len(rows)):
            if other != step:
                rows[other] = subtract(rows[other], rows[other][step], rows[step])
