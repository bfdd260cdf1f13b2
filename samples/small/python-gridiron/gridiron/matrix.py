"""Matrices of fractions, which are never rounded."""

from __future__ import annotations

from fractions import Fraction
from typing import Iterable, List, Tuple, Union

Number = Union[int, Fraction]
Row = List[Fraction]


class ShapeError(ValueError):
    """Numbers of rows and columns that do not go together."""


class Matrix:
    """A matrix that does not change."""

    def __init__(self, rows: Iterable[Iterable[Number]]) -> None:
        self._rows = tuple(tuple(Fraction(value) for value in row) for row in rows)
        if not self._rows or not self._rows[0]:
            raise ShapeError("a matrix has one row and one column at least")
        if any(len(row) != len(self._rows[0]) for row in self._rows):
            raise ShapeError("the rows are not of the same length")

    @classmethod
    def identity(cls, size: int) -> Matrix:
        return cls([[int(row == column) for column in range(size)] for row in range(size)])

    @property
    def shape(self) -> Tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self._rows), len(self._rows[0])

    @property
    def is_square(self) -> bool:
        rows, columns = self.shape
        return rows == columns

    def rows(self) -> List[Row]:
        """A copy of the rows."""
        return [list(row) for row in self._rows]

    def transposed(self) -> Matrix:
        return Matrix(zip(*self._rows))

    def __getitem__(self, place: Tuple[int, int]) -> Fraction:
        row, column = place
        return self._rows[row][column]

    def __add__(self, other: Matrix) -> Matrix:
        if self.shape != other.shape:
            raise ShapeError(f"cannot add {self.shape} and {other.shape}")
        return Matrix(
            [a + b for a, b in zip(left, right)] for left, right in zip(self._rows, other._rows)
        )

    def __sub__(self, other: Matrix) -> Matrix:
        return self + other.scaled(-1)

    def __matmul__(self, other: Matrix) -> Matrix:
        if self.shape[1] != other.shape[0]:
            raise ShapeError(f"cannot multiply {self.shape} and {other.shape}")
        columns = list(zip(*other._rows))
        return Matrix(
            [sum(a * b for a, b in zip(row, column)) for column in columns] for row in self._rows
        )

    def scaled(self, factor: Number) -> Matrix:
        return Matrix([value * factor for value in row] for row in self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(self._rows)

    def __repr__(self) -> str:
        return f"Matrix({[[str(value) for value in row] for row in self._rows]})"
