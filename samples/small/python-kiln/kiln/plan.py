"""Plans: tasks, and what each of them needs."""

from __future__ import annotations

from typing import Dict, Iterable, List, Set


class PlanError(ValueError):
    """A plan that cannot be carried out."""


class Plan:
    """Tasks with the tasks that have to be done before them, and their minutes."""

    def __init__(self) -> None:
        self._needs: Dict[str, List[str]] = {}
        self._minutes: Dict[str, int] = {}

    @classmethod
    def parse(cls, lines: Iterable[str]) -> Plan:
        """Reads lines such as 'glaze 20: fire, mix'; '#' begins a comment."""
        plan = cls()
        for number, line in enumerate(lines, start=1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            head, colon, needs = line.partition(":")
            words = head.split()
            if not colon or len(words) not in (1, 2):
                raise PlanError(f"line {number}: cannot read {line!r}")
            if len(words) == 2 and not words[1].isdigit():
                raise PlanError(f"line {number}: {words[1]} is no number of minutes")
            minutes = int(words[1]) if len(words) == 2 else 0
            plan.add(words[0], [need.strip() for need in needs.split(",") if need.strip()], minutes)
        plan.check()
        return plan

    def add(self, task: str, needs: Iterable[str] = (), minutes: int = 0) -> None:
        """Adds a task; what it needs may be added later."""
        if task in self._needs:
            raise PlanError(f"{task} is planned twice")
        self._needs[task] = list(dict.fromkeys(needs))
        self._minutes[task] = minutes

    def check(self) -> None:
        """Raises PlanError if a task needs something that is not planned."""
        for task, needs in self._needs.items():
            for need in needs:
                if need not in self._needs:
                    raise PlanError(f"{task} needs {need}, which is not planned")

    def tasks(self) -> List[str]:
        """All tasks, as they were added."""
        return list(self._needs)

    def needs(self, task: str) -> List[str]:
        """What a task needs directly."""
        if task not in self._needs:
            raise PlanError(f"{task} is not planned")
        return self._needs[task]

    def minutes(self, task: str) -> int:
        return self._minutes[task]

    def needed_by(self, task: str) -> List[str]:
        """The tasks that need this one directly."""
        return [other for other, needs in self._needs.items() if task in needs]

    def closure(self, goals: Iterable[str]) -> Set[str]:
        """The goals and all that they need, directly or not."""
        found: Set[str] = set()
        pending = list(goals)
        while pending:
            task = pending.pop()
            if task not in found:
                found.add(task)
                pending.extend(self.needs(task))
        return found
