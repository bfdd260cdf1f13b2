"""Exact matrices."""

from .elimination import SingularError
from .matrix import Matrix, ShapeError
from .notation import format_matrix, parse_matrix
from .systems import determinant, inverse, power, solve

__all__ = [
    "Matrix",
    "ShapeError",
    "SingularError",
    "determinant",
    "format_matrix",
    "inverse",
    "parse_matrix",
    "power",
    "solve",
]
