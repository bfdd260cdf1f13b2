"""Walks on a map of footpaths."""

from .pathmap import PathMap, UnknownPlace
from .reach import reachable, within
from .shortest import shortest_walk
from .walks import Walk, all_walks, longest_round, round_walks

__all__ = [
    "PathMap",
    "UnknownPlace",
    "Walk",
    "all_walks",
    "longest_round",
    "reachable",
    "round_walks",
    "shortest_walk",
    "within",
]
