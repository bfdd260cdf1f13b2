"""A text in columns of the same height."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List

from .alignment import align
from .wrapping import paragraphs, wrap


@dataclass(frozen=True)
class Sheet:
    """The measures of a sheet, in characters."""

    columns: int = 2
    column_width: int = 30
    gap: int = 3
    indent: int = 0
    alignment: str = "left"
    rule: str = ""

    def __post_init__(self) -> None:
        if self.columns < 1:
            raise ValueError("a sheet has one column at least")
        if len(self.rule) > self.gap:
            raise ValueError("the rule does not fit between the columns")

    @property
    def width(self) -> int:
        return self.columns * self.column_width + (self.columns - 1) * self.gap

    @property
    def separator(self) -> str:
        """What stands between two columns."""
        return self.rule.center(self.gap)


def lines_of(text: str, sheet: Sheet) -> List[str]:
    """All lines of a text in one long column; paragraphs have no space between them."""
    lines: List[str] = []
    for paragraph in paragraphs(text):
        wrapped = wrap(paragraph, sheet.column_width, sheet.indent)
        lines.extend(align(wrapped, sheet.column_width, sheet.alignment))
    return lines


def column_height(lines: int, columns: int) -> int:
    """How high the columns are if none but the last are shorter."""
    return (lines + columns - 1) // columns


def set_columns(text: str, sheet: Sheet) -> str:
    """The text in columns, from top to bottom and from left to right."""
    lines = lines_of(text, sheet)
    height = column_height(len(lines), sheet.columns)
    blank = " " * sheet.column_width
    rows = []
    for row in range(height):
        cells = []
        for column in range(sheet.columns):
            index = column * height + row
            cells.append(lines[index] if index < len(lines) else blank)
        rows.append(sheet.separator.join(cells).rstrip())
    return "\n".join(rows)
