"""All entries of a book together, in the order of their dates."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import groupby
from typing import Iterable, List, NamedTuple, Tuple

from .book import Entry
from .dates import off_weekend

# A date moved off a weekend travels two days at most.
_MARGIN = timedelta(days=2)


class Item(NamedTuple):
    """Something that happens on a day. Items sort by day, then title."""

    day: date
    title: str


class Agenda:
    """What happens when, over any number of entries."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = list(entries)

    def between(self, first: date, last: date) -> List[Item]:
        """What happens from `first` to `last`, both included."""
        if last < first:
            raise ValueError("the range ends before it begins")
        items = []
        for entry in self.entries:
            for day in entry.dates_between(first - _MARGIN, last + _MARGIN):
                moved = off_weekend(day, entry.shift) if entry.shift else day
                if first <= moved <= last:
                    items.append(Item(moved, entry.title))
        return sorted(items)

    def by_month(self, first: date, last: date) -> List[Tuple[date, List[Item]]]:
        """The same, in one group for each month; a month is its first day."""
        items = self.between(first, last)
        return [
            (month, list(group))
            for month, group in groupby(items, key=lambda item: item.day.replace(day=1))
        ]

    def clashes(self, first: date, last: date) -> List[Tuple[date, List[str]]]:
        """Days with more than one thing on them."""
        found = []
        for day, group in groupby(self.between(first, last), key=lambda item: item.day):
            titles = [item.title for item in group]
            if len(titles) > 1:
                found.append((day, titles))
        return found
