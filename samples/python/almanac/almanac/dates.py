"""Arithmetic on calendar dates that the standard library leaves to us."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import Optional

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAY_NAMES = (
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
)
MONTHS_IN_YEAR = 12
LAST = -1


def parse_date(text: str) -> date:
    """Read an ISO date such as 2024-02-29; ValueError if it is none."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"not a date (expected YYYY-MM-DD): {text.strip()!r}") from None


def weekday_number(name: str) -> int:
    """Monday is 0. Accepts 'mon' and 'monday' in any case."""
    lowered = name.strip().lower()
    for names in (WEEKDAYS, WEEKDAY_NAMES):
        if lowered in names:
            return names.index(lowered)
    raise ValueError(f"not a day of the week: {name.strip()!r}")


def days_in_month(year: int, month: int) -> int:
    """28 to 31."""
    return calendar.monthrange(year, month)[1]


def add_months(day: date, months: int) -> date:
    """The same day of the month, `months` months on.

    A day that the month does not have becomes the last day of that month.
    """
    index = day.year * MONTHS_IN_YEAR + (day.month - 1) + months
    year, month = divmod(index, MONTHS_IN_YEAR)
    month += 1
    return date(year, month, min(day.day, days_in_month(year, month)))


def start_of_week(day: date) -> date:
    """The Monday of the week that `day` lies in."""
    return day - timedelta(days=day.weekday())


def nth_weekday(year: int, month: int, nth: int, weekday: int) -> Optional[date]:
    """The nth (1 to 5, or LAST) given weekday of a month.

    None where the month has no fifth one.
    """
    length = days_in_month(year, month)
    if nth == LAST:
        last = date(year, month, length)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    first = date(year, month, 1)
    number = 1 + (weekday - first.weekday()) % 7 + 7 * (nth - 1)
    if number > length:
        return None
    return date(year, month, number)


def off_weekend(day: date, direction: int) -> date:
    """Move a Saturday or Sunday to Friday (direction -1) or Monday (+1)."""
    while day.weekday() >= 5:
        day += timedelta(days=direction)
    return day
