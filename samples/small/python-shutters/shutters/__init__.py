"""Opening hours: when is it open, and until when?"""

from .hours import HoursError, Span
from .notation import parse_week
from .sign import sign
from .week import Week

__all__ = ["HoursError", "Span", "Week", "parse_week", "sign"]
