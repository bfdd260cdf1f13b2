"""Plots of land on a plane: areas, fences, distances."""

from .plot import Plot
from .point import Point
from .segment import closest_point, distance_to_segment, segments_cross

__all__ = ["Plot", "Point", "closest_point", "distance_to_segment", "segments_cross"]
