"""A queue of jobs with priorities and retries."""

from .job import HIGH, LOW, NORMAL, Job, State, StateError
from .queue import EmptyQueue, JobQueue
from .worker import Worker, summary

__all__ = [
    "HIGH",
    "LOW",
    "NORMAL",
    "EmptyQueue",
    "Job",
    "JobQueue",
    "State",
    "StateError",
    "Worker",
    "summary",
]
