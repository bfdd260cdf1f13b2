"""The queue of the jobs that wait."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Dict, List, Tuple

from .job import Job, State


class EmptyQueue(Exception):
    """No job waits."""


class JobQueue:
    """Hands out the most urgent job first.

    Of equally urgent jobs the one that waits longest comes first.
    """

    def __init__(self) -> None:
        self._heap: List[Tuple[int, str, Job]] = []
        self._jobs: Dict[str, Job] = {}

    def submit(self, job: Job) -> None:
        """Takes up a new job."""
        known = self._jobs.get(job.name)
        if known is not None and not known.is_over:
            raise ValueError(f"there is a job called {job.name} already")
        self._jobs[job.name] = job
        heappush(self._heap, (job.priority, job.name, job))

    def take(self) -> Job:
        """Hands out the next job, which is running from now on."""
        if not self._heap:
            raise EmptyQueue()
        _, _, job = heappop(self._heap)
        job.enter(State.RUNNING)
        return job

    def retry(self, job: Job) -> None:
        """Puts a running job back into the queue, as if it had come just now."""
        job.enter(State.WAITING)
        heappush(self._heap, (job.priority, job.name, job))

    def cancel(self, name: str) -> Job:
        """Takes a job that waits out of the queue."""
        job = self._jobs[name]
        job.enter(State.CANCELLED)
        self._heap = [entry for entry in self._heap if entry[-1] is not job]
        heapify(self._heap)
        return job

    def change_priority(self, name: str, priority: int) -> None:
        """Makes a job more or less urgent; it keeps its turn among its equals."""
        job = self._jobs[name]
        job.priority = priority
        self._heap = [
            (entry.priority, entry.name, entry) for _, _, entry in self._heap
        ]
        heapify(self._heap)

    def waiting(self) -> List[Job]:
        """The jobs that wait, in the order in which they will be handed out."""
        return [entry[-1] for entry in sorted(self._heap)]

    def jobs(self) -> List[Job]:
        """All jobs that were ever submitted, by name."""
        return [self._jobs[name] for name in sorted(self._jobs)]

    def __len__(self) -> int:
        return len(self._heap)
