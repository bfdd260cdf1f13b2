"""Jobs, and the states that they pass through."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Callable, Dict, FrozenSet, Optional

HIGH = 0
NORMAL = 5
LOW = 9


class State(Enum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


_NEXT: Dict[State, FrozenSet[State]] = {
    State.WAITING: frozenset({State.RUNNING, State.CANCELLED}),
    State.RUNNING: frozenset({State.DONE, State.FAILED, State.WAITING}),
    State.DONE: frozenset(),
    State.FAILED: frozenset(),
    State.CANCELLED: frozenset(),
}


class StateError(Exception):
    """A change of state that is not possible."""


@dataclass(eq=False)
class Job:
    """Something to do; a lower number of `priority` is more urgent."""

    name: str
    action: Callable[[], Any]
    priority: int = NORMAL
    attempts_left: int = 1
    state: State = State.WAITING
    result: Any = None
    error: Optional[Exception] = field(default=None, repr=False)

    def enter(self, state: State) -> None:
        """Changes the state, if that is possible from the present one."""
        if state not in _NEXT[self.state]:
            raise StateError(f"{self.name} is {self.state.value}, it cannot be {state.value}")
        self.state = state

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it."""
        return not _NEXT[self.state]
