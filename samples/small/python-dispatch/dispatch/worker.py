"""Doing the jobs."""

from __future__ import annotations

from typing import Dict, List

from .job import Job, State
from .queue import JobQueue


class Worker:
    """Takes jobs from a queue until it is empty."""

    def __init__(self, queue: JobQueue) -> None:
        self.queue = queue
        self.log: List[str] = []

    def step(self) -> Job:
        """Does the next job; if it fails and has attempts left, it waits again."""
        job = self.queue.take()
        job.attempts_left -= 1
        try:
            job.result = job.action()
        except Exception as error:
            job.error = error
            if job.attempts_left > 0:
                self.log.append(f"{job.name}: again")
                self.queue.retry(job)
            else:
                self.log.append(f"{job.name}: failed")
                job.enter(State.FAILED)
        else:
            job.error = None
            self.log.append(f"{job.name}: done")
            job.enter(State.DONE)
        return job

    def run(self) -> int:
        """Does all jobs; says how many steps that took."""
        steps = 0
        while self.queue:
            self.step()
            steps += 1
        return steps


def summary(queue: JobQueue) -> Dict[str, int]:
    """How many jobs are in which state; states without jobs are left out."""
    counts: Dict[str, int] = {}
    for job in queue.jobs():
        counts[job.state.value] = counts.get(job.state.value, 0) + 1
    return counts
