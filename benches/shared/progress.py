"""What is told on stderr while the work goes on."""

from __future__ import annotations

import sys
import time


class Progress:
    """Numbers the steps of some work and tells how much time is likely left."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._done = 0
        self._started = time.monotonic()

    def step(self, name: str, outcome: str) -> None:
        """Tells what became of a step that has just ended."""
        self._done += 1
        each = (time.monotonic() - self._started) / self._done
        left = round(each * (self._count - self._done))
        say(f"[{self._done}/{self._count}] {name}: {outcome} ({left // 60}:{left % 60:02} left)")


def say(text: str) -> None:
    """Tells something that is no step."""
    print(text, file=sys.stderr, flush=True)
