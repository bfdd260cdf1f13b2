"""A small cache in memory, with a lifetime and a limit of its size."""

from .cache import Larder
from .entry import Entry
from .loading import Loader
from .statistics import Statistics

__all__ = ["Entry", "Larder", "Loader", "Statistics"]
