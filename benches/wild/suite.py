"""What preparing a project needs to know of a language, and what a run of tests has shown."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from table import Project

# A mutant that turns a loop into an endless one is found out by its time.
MUTANT_FACTOR = 3.0
MUTANT_EXTRA_SECONDS = 20.0
# By then a suite is of no use here.
SUITE_SECONDS = 900.0


@dataclass(frozen=True)
class SuiteResult:
    """One run of a project's tests."""

    ran: int
    failing: tuple[str, ...]
    seconds: float
    # Why there is no result that could be counted; empty where there is one.
    trouble: str = ""
    # What the first failing test says.
    message: str = ""


@dataclass
class Executed:
    """Which lines of production code the tests execute: path, line, and names of some of the tests."""

    lines: dict[str, dict[int, list[str]]] = field(default_factory=dict)

    def tests_of(self, path: str, lines: Iterable[int]) -> list[str]:
        """Some tests that execute these lines, each once."""
        of_file = self.lines.get(path, {})
        return list(dict.fromkeys(test for line in lines for test in of_file.get(line, [])))

    def as_json(self) -> dict:
        """For keeping."""
        return {path: {str(line): tests for line, tests in lines.items()} for path, lines in self.lines.items()}

    @classmethod
    def from_json(cls, data: dict) -> Executed:
        """What was kept."""
        return cls({path: {int(line): tests for line, tests in lines.items()} for path, lines in data.items()})


@dataclass(frozen=True)
class Mutation:
    """One change of a source, by byte offsets, so that nothing but the touched places changes."""

    operator: str
    start: int
    end: int
    replacement: bytes
    line: int
    # The function around it: two changes of one bug lie in the same.
    scope: tuple[int, int]

    def overlaps(self, other: Mutation) -> bool:
        """Whether both touch the same bytes or the same line."""
        return self.line == other.line or (self.start < other.end and other.start < self.end)


def apply(source: bytes, mutations: Iterable[Mutation]) -> bytes:
    """The source after some changes that do not overlap."""
    for mutation in sorted(mutations, key=lambda mutation: mutation.start, reverse=True):
        source = source[: mutation.start] + mutation.replacement + source[mutation.end :]
    return source


class Language(Protocol):
    """What differs between languages."""

    def set_up(self, project: Project, root: Path, work: Path) -> None:
        """Makes the surroundings in which the tests run, inside of the project."""

    def run_tests(self, root: Path, seconds: float, only: list[str] | None = None, stop_after: int = 0) -> SuiteResult:
        """Runs all tests, or some of those that an `Executed` names; ends early after so many failures."""

    def executed(self, root: Path, work: Path) -> Executed:
        """Which production lines the tests execute."""

    def mutations(self, source: bytes, lines: set[int]) -> list[Mutation]:
        """All changes that the operators propose on these lines."""

    def valid(self, source: bytes) -> bool:
        """Whether a changed source can be compiled at all, as far as that is cheap to say."""

    def relocate(self, root: Path, former: Path) -> None:
        """Mends what holds the absolute path of the folder that `root` is a copy of."""


def generator(*parts: object) -> random.Random:
    """A source of chance that depends on nothing but `parts`."""
    return random.Random(":".join(map(str, parts)))
