"""One task after the other."""

from __future__ import annotations

from collections import deque
from typing import Dict, Iterable, List, Sequence

from .plan import Plan, PlanError


def build_order(plan: Plan, goals: Sequence[str]) -> List[str]:
    """The goals and all that they need, each after what it needs itself.

    Raises PlanError if tasks need each other in a circle.
    """
    depth: Dict[str, int] = {goal: 0 for goal in goals}
    queue = deque(depth)
    while queue:
        task = queue.popleft()
        for need in plan.needs(task):
            if need not in depth:
                depth[need] = depth[task] + 1
                queue.append(need)
    for task in depth:
        for need in plan.needs(task):
            if depth[need] <= depth[task]:
                raise PlanError(f"{need} goes round in circles")
    return sorted(depth, key=lambda task: -depth[task])


def outdated(plan: Plan, changed: Iterable[str]) -> List[str]:
    """What has to be made again after some tasks have changed, in order."""
    affected = set(changed)
    pending = list(affected)
    while pending:
        for task in plan.needed_by(pending.pop()):
            if task not in affected:
                affected.add(task)
                pending.append(task)
    ends = [task for task in plan.tasks() if not plan.needed_by(task)]
    return [task for task in build_order(plan, ends) if task in affected]


def check_order(plan: Plan, order: Sequence[str]) -> None:
    """Raises PlanError if a task comes before something that it needs."""
    place: Dict[str, int] = {task: index for index, task in enumerate(order)}
    for task in order:
        for need in plan.needs(task):
            if place.get(need, len(order)) >= place[task]:
                raise PlanError(f"{task} comes before {need}")
