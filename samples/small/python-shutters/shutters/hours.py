"""Times of the day and spans of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

MINUTES_IN_HOUR = 60
MINUTES_IN_DAY = 24 * MINUTES_IN_HOUR
_TIME = re.compile(r"(\d\d?):(\d\d)")


class HoursError(ValueError):
    """Opening hours that make no sense."""


def parse_time(text: str) -> int:
    """The minute of the day of a time such as 9:30; 24:00 is the end of the day."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise HoursError(f"not a time: {text.strip()!r}")
    hour, minute = int(match.group(1)), int(match.group(2))
    if minute >= MINUTES_IN_HOUR or hour * MINUTES_IN_HOUR + minute > MINUTES_IN_DAY:
        raise HoursError(f"not a time: {text.strip()!r}")
    return hour * MINUTES_IN_HOUR + minute


def format_time(minute: int) -> str:
    """A minute of the day as 09:30."""
    return f"{minute // MINUTES_IN_HOUR:02}:{minute % MINUTES_IN_HOUR:02}"


@dataclass(frozen=True, order=True)
class Span:
    """Open from one minute of a day up to another, which is not included."""

    opens: int
    closes: int

    @classmethod
    def parse(cls, text: str) -> Span:
        """Reads 9:30-18:00."""
        first, dash, second = text.partition("-")
        if not dash:
            raise HoursError(f"not a span: {text.strip()!r}")
        opens, closes = parse_time(first), parse_time(second)
        if opens == closes:
            raise HoursError(f"{text.strip()} is not open at all")
        if closes < opens:
            raise HoursError(f"{text.strip()} closes before it opens")
        return cls(opens, closes)

    def contains(self, minute: int) -> bool:
        return self.opens <= minute < self.closes

    @property
    def minutes(self) -> int:
        return self.closes - self.opens

    def __str__(self) -> str:
        return f"{format_time(self.opens)}-{format_time(self.closes)}"
