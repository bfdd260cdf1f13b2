"""The sign on the door."""

from __future__ import annotations

from typing import List, Tuple

from .notation import CLOSED
from .week import DAYS, Week


def sign(week: Week) -> str:
    """A line for each day or run of days with the same hours."""
    runs: List[Tuple[int, int, str]] = []
    for day in range(len(DAYS)):
        hours = ", ".join(str(span) for span in week.spans(day)) or CLOSED
        if runs and runs[-1][2] == hours:
            runs[-1] = (runs[-1][0], day, hours)
        else:
            runs.append((day, day, hours))
    return "\n".join(f"{_days(first, last):<6} {hours}" for first, last, hours in runs)


def _days(first: int, last: int) -> str:
    return DAYS[first] if first == last else f"{DAYS[first]}-{DAYS[last]}"
