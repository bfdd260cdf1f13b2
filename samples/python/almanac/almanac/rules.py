"""Rules: when something happens.

A rule has a start, a rhythm and, perhaps, an end. It produces its dates in
ascending order, one at a time, so that a rule without an end costs nothing
until somebody asks for a range of it.
"""

from __future__ import annotations

from datetime import date, timedelta
from itertools import islice
from typing import Iterator, List, Optional, Sequence

from .dates import MONTHS_IN_YEAR, add_months, nth_weekday, start_of_week


class Rule:
    """What all rules share: start, interval, end.

    `every` is the interval in the unit of the rule. `until` is the last day
    on which the rule may fall; `times` is how often it happens at most.
    """

    def __init__(
        self,
        start: date,
        every: int = 1,
        until: Optional[date] = None,
        times: Optional[int] = None,
    ) -> None:
        if every < 1:
            raise ValueError("the interval must be at least 1")
        if until is not None and until < start:
            raise ValueError("a rule cannot end before it starts")
        if times is not None and times < 1:
            raise ValueError("a rule must happen at least once")
        self.start = start
        self.every = every
        self.until = until
        self.times = times

    def _first(self) -> date:
        """The first date of the rule, not before its start."""
        return self.start

    def _following(self, current: date) -> date:
        """The date after `current`, which is one of the rule's own."""
        raise NotImplementedError

    def _all(self) -> Iterator[date]:
        current = self._first()
        while self.until is None or current <= self.until:
            yield current
            current = self._following(current)

    def __iter__(self) -> Iterator[date]:
        return islice(self._all(), self.times)

    def between(self, first: date, last: date) -> List[date]:
        """The dates from `first` to `last`, both included."""
        found = []
        for day in self:
            if day > last:
                break
            if day >= first:
                found.append(day)
        return found

    def next_after(self, day: date) -> Optional[date]:
        """The first date later than `day`; None when the rule has ended."""
        return next((found for found in self if found > day), None)


class Once(Rule):
    """A single date."""

    def __init__(self, start: date) -> None:
        super().__init__(start, times=1)

    def _following(self, current: date) -> date:
        return current + timedelta(days=1)


class Daily(Rule):
    """Every so many days."""

    def _following(self, current: date) -> date:
        return current + timedelta(days=self.every)


class Weekly(Rule):
    """Every so many weeks, on one or more days of the week.

    Without `weekdays`, the day of the week is that of the start. Weeks begin
    on Monday: with an interval of two, the week of the start counts, the
    next one does not.
    """

    def __init__(
        self,
        start: date,
        every: int = 1,
        weekdays: Sequence[int] = (),
        until: Optional[date] = None,
        times: Optional[int] = None,
    ) -> None:
        super().__init__(start, every, until, times)
        self.weekdays = sorted(set(weekdays)) or [start.weekday()]

    def _first(self) -> date:
        if self.start.weekday() in self.weekdays:
            return self.start
        return self._following(self.start)

    def _following(self, current: date) -> date:
        monday = start_of_week(current)
        for weekday in self.weekdays:
            if weekday > current.weekday():
                return monday + timedelta(days=weekday)
        return monday + timedelta(weeks=self.every, days=self.weekdays[0])


class Monthly(Rule):
    """Every so many months, on the day of the month of the start.

    Where a month does not have that day, its last day counts.
    """

    def _following(self, current: date) -> date:
        return add_months(current, self.every)


class Yearly(Monthly):
    """Every so many years, on the day of the start."""

    def __init__(
        self,
        start: date,
        every: int = 1,
        until: Optional[date] = None,
        times: Optional[int] = None,
    ) -> None:
        super().__init__(start, every * MONTHS_IN_YEAR, until, times)


class MonthlyByWeekday(Rule):
    """Every so many months, on the nth given day of the week.

    `nth` is 1 to 5 or dates.LAST. A month without a fifth one is left out.
    """

    def __init__(
        self,
        start: date,
        nth: int,
        weekday: int,
        every: int = 1,
        until: Optional[date] = None,
        times: Optional[int] = None,
    ) -> None:
        super().__init__(start, every, until, times)
        self.nth = nth
        self.weekday = weekday

    def _in_month_of(self, day: date) -> Optional[date]:
        return nth_weekday(day.year, day.month, self.nth, self.weekday)

    def _first(self) -> date:
        found = self._in_month_of(self.start)
        if found is not None and found >= self.start:
            return found
        return self._following(self.start)

    def _following(self, current: date) -> date:
        month = current.replace(day=1)
        while True:
            month = add_months(month, self.every)
            found = self._in_month_of(month)
            if found is not None:
                return found
