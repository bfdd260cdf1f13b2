"""Looking for time and room."""

from __future__ import annotations

from typing import List, Optional, Tuple

from .diary import Diary
from .span import Span


def free_spans(diary: Diary, room: str, day: Span) -> List[Span]:
    """When a room is free during the day."""
    free = []
    start = day.start
    for booking in diary.bookings(room):
        if not booking.span.overlaps(day):
            continue
        if start < booking.span.start:
            free.append(Span(start, booking.span.start))
        start = booking.span.end
    if start < day.end:
        free.append(Span(start, day.end))
    return free


def free_rooms(diary: Diary, span: Span, people: int = 1) -> List[str]:
    """The rooms that are large enough and free, the smallest first."""
    return [room for room in diary.rooms(people) if diary.taken_by(room, span) is None]


def next_free(diary: Diary, day: Span, minutes: int, people: int = 1) -> Optional[Tuple[str, Span]]:
    """The earliest time of the day at which some room is free for so long.

    Of several rooms the smallest is taken.
    """
    best: Optional[Tuple[str, Span]] = None
    for room in diary.rooms(people):
        for free in free_spans(diary, room, day):
            if free.minutes >= minutes:
                if best is None or free.start < best[1].start:
                    best = (room, Span(free.start, free.start + minutes))
                break
    return best
