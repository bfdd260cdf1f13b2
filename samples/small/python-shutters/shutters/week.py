"""The opening hours of a week."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Dict, Iterator, List, Optional, Tuple

from .hours import MINUTES_IN_HOUR, HoursError, Span

DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")


def minute_of(moment: datetime) -> int:
    """The minute of the day of a moment."""
    return moment.hour * MINUTES_IN_HOUR + moment.minute


class Week:
    """The spans of each weekday; Monday is 0, as in the datetime module."""

    def __init__(self) -> None:
        self._spans: Dict[int, List[Span]] = {day: [] for day in range(len(DAYS))}

    def add(self, day: int, span: Span) -> None:
        """Adds a span to a day, whose other spans it must not overlap."""
        for other in self._spans[day]:
            if span.opens < other.closes and other.opens < span.closes:
                raise HoursError(f"{span} and {other} on {DAYS[day]} overlap")
        self._spans[day].append(span)
        self._spans[day].sort()

    def close(self, day: int) -> None:
        """Closes the whole day."""
        self._spans[day].clear()

    def spans(self, day: int) -> List[Span]:
        """The spans of a day, in their order."""
        return list(self._spans[day])

    def is_open(self, moment: datetime) -> bool:
        return self._current(moment) is not None

    def next_change(self, moment: datetime) -> Optional[datetime]:
        """When it closes or, if it is closed, opens; None if it is always closed.

        The answer is always later than the moment.
        """
        current = self._current(moment)
        if current is not None:
            midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
            return midnight + timedelta(minutes=current.closes)
        for midnight, span in self._upcoming(moment):
            opening = midnight + timedelta(minutes=span.opens)
            if opening > moment:
                return opening
        return None

    def minutes_per_week(self) -> int:
        """How long it is open in a week."""
        return sum(span.minutes for spans in self._spans.values() for span in spans)

    def _current(self, moment: datetime) -> Optional[Span]:
        """The span in which a moment lies."""
        minute = minute_of(moment)
        for span in self._spans[moment.weekday()]:
            if span.contains(minute):
                return span
        return None

    def _upcoming(self, moment: datetime) -> Iterator[Tuple[datetime, Span]]:
        """The spans of today and of a week from now, each with the midnight of its day."""
        today = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        for ahead in range(len(DAYS) + 1):
            midnight = today + timedelta(days=ahead)
            for span in self._spans[midnight.weekday()]:
                yield midnight, span
