"""Reading opening hours such as 'Mo-Fr 9:00-12:30, 14:00-18:00; Sa 10:00-13:00'."""

from __future__ import annotations

from typing import List

from .hours import HoursError, Span
from .week import DAYS, Week

CLOSED = "closed"


def parse_week(text: str) -> Week:
    """Reads the opening hours of a week; days that are not named are closed.

    'closed' takes back what was said about a day before.
    """
    week = Week()
    for rule in text.split(";"):
        if not rule.strip():
            continue
        days, blank, hours = rule.strip().partition(" ")
        if not blank:
            raise HoursError(f"no hours in {rule.strip()!r}")
        for day in parse_days(days):
            if hours.strip() == CLOSED:
                week.close(day)
                continue
            for span in hours.split(","):
                week.add(day, Span.parse(span))
    return week


def parse_days(text: str) -> List[int]:
    """The numbers of days such as 'Mo,We-Fr' or 'Sa-Mo'."""
    days: List[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        start = _day(first)
        count = (_day(last) - start) % len(DAYS) + 1 if dash else 1
        for offset in range(count):
            day = (start + offset) % len(DAYS)
            if day in days:
                raise HoursError(f"{DAYS[day]} is named twice in {text!r}")
            days.append(day)
    return days


def _day(name: str) -> int:
    if name not in DAYS:
        raise HoursError(f"not a day: {name!r}")
    return DAYS.index(name)
