"""Who meets where, on one day."""

from .diary import Booking, Clash, Diary
from .finder import free_rooms, free_spans, next_free
from .span import Span, SpanError

__all__ = [
    "Booking",
    "Clash",
    "Diary",
    "Span",
    "SpanError",
    "free_rooms",
    "free_spans",
    "next_free",
]
