"""Plain text in columns, like a newspaper."""

from .alignment import ALIGNMENTS, align
from .columns import Sheet, set_columns
from .wrapping import paragraphs, wrap

__all__ = ["ALIGNMENTS", "Sheet", "align", "paragraphs", "set_columns", "wrap"]
