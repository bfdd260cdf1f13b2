"""Spans of time within a day."""

from __future__ import annotations

import re
from dataclasses import dataclass

MINUTES_IN_DAY = 24 * 60
_SPAN = re.compile(r"(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)")


class SpanError(ValueError):
    """A span that cannot be."""


def clock(minutes: int) -> str:
    """A minute of the day as people write it."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


@dataclass(frozen=True, order=True)
class Span:
    """From one minute of the day up to another, which is not included."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end <= MINUTES_IN_DAY:
            raise SpanError(f"no such span: {self}")

    @classmethod
    def parse(cls, text: str) -> Span:
        """Reads '9:00-10:30'."""
        match = _SPAN.fullmatch(text.strip())
        if match is None:
            raise SpanError(f"cannot read {text!r}")
        from_hour, from_minute, to_hour, to_minute = map(int, match.groups())
        if from_minute > 59 or to_minute > 59:
            raise SpanError(f"cannot read {text!r}")
        return cls(from_hour * 60 + from_minute, to_hour * 60 + to_minute)

    @property
    def minutes(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Span) -> bool:
        """Whether they have a minute in common; neighbours have none."""
        return self.start < other.end and other.start < self.end

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def __str__(self) -> str:
        return f"{clock(self.start)}-{clock(self.end)}"
