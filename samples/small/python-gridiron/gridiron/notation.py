"""Matrices as text: '1 1/2; 0 3'."""

from __future__ import annotations

from fractions import Fraction

from .matrix import Matrix


def parse_matrix(text: str) -> Matrix:
    """Reads a matrix; rows end with a semicolon or a line break."""
    rows = [row.split() for row in text.replace("\n", ";").split(";") if row.strip()]
    return Matrix([Fraction(value) for value in row] for row in rows)


def format_matrix(matrix: Matrix) -> str:
    """The rows of a matrix, with its columns aligned to the right."""
    texts = [[str(value) for value in row] for row in matrix.rows()]
    widths = [max(len(row[column]) for row in texts) for column in range(matrix.shape[1])]
    lines = (" ".join(text.rjust(width) for text, width in zip(row, widths)) for row in texts)
    return "\n".join(lines)
