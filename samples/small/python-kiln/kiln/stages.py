"""Tasks that can be done at the same time."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from .order import build_order
from .plan import Plan


def stages(plan: Plan, goals: Sequence[str]) -> List[List[str]]:
    """The tasks in stages; those of one stage do not need each other.

    Each task is in the earliest stage that is possible; within a stage they
    are sorted by name.
    """
    number: Dict[str, int] = {}
    found: List[List[str]] = []
    for task in build_order(plan, goals):
        number[task] = max((number[need] + 1 for need in plan.needs(task)), default=0)
        if number[task] == len(found):
            found.append([])
        found[number[task]].append(task)
    return [sorted(stage) for stage in found]


def critical_path(plan: Plan, goal: str) -> Tuple[List[str], int]:
    """The tasks that decide how long a goal takes, and how many minutes that is."""
    best: Dict[str, Tuple[int, List[str]]] = {}
    for task in build_order(plan, [goal]):
        before: Tuple[int, List[str]] = (0, [])
        for need in plan.needs(task):
            if best[need][0] > before[0]:
                before = best[need]
        best[task] = (before[0] + plan.minutes(task), before[1] + [task])
    minutes, path = best[goal]
    return path, minutes
