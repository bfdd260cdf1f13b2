"""From paths to what handles them."""

from .pattern import Pattern, PatternError
from .paths import join, normalise, relative_to
from .router import Match, NotFound, Router

__all__ = [
    "Match",
    "NotFound",
    "Pattern",
    "PatternError",
    "Router",
    "join",
    "normalise",
    "relative_to",
]
