"""The agenda as text."""

from __future__ import annotations

from datetime import date
from typing import List

from .agenda import Agenda, Item
from .dates import WEEKDAYS

MONTH_NAMES = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
NOTHING = "Nothing in this time."


def month_heading(month: date) -> str:
    """'March 2024'."""
    return f"{MONTH_NAMES[month.month - 1]} {month.year}"


def item_line(item: Item) -> str:
    """'  Fri  1  Chess club'."""
    weekday = WEEKDAYS[item.day.weekday()].capitalize()
    return f"  {weekday} {item.day.day:2}  {item.title}"


def render(agenda: Agenda, first: date, last: date) -> str:
    """The agenda of a range, a block for each month."""
    blocks: List[str] = []
    for month, items in agenda.by_month(first, last):
        lines = [month_heading(month)]
        lines.extend(item_line(item) for item in items)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) if blocks else NOTHING
