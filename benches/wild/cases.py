"""Making cases: a mutant of a project that its tests catch, chosen by seed, with the patch that takes it back."""

from __future__ import annotations

import difflib
import random
import shutil
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from prepare import LANGUAGES, Prepared, Unusable, executed_lines
from suite import MUTANT_EXTRA_SECONDS, MUTANT_FACTOR, Executed, Language, Mutation, SuiteResult, apply, generator
from table import Project
from workplace import CASE_FILE, GOLDEN_PATCH, MUTANT, Workplace, copy_project, new_folder, read_json, write_json

ATTEMPTS = 40
# After this time, or that of a few runs of the tests, a project has no case.
SEARCH_SECONDS = 240.0
SEARCH_RUNS = 5.0
MOST_FAILING = 20
# A mutant that keeps more of the tests from being collected than this is no bug that anybody would commit.
LEAST_COLLECTED = 0.9
# In suites that are longer, tests that execute the changed line are tried first.
LONG_SUITE_SECONDS = 12.0
TESTS_TRIED_FIRST = 12
DOUBLE_SHARE = 0.25


@dataclass(frozen=True)
class Case:
    """A bug of a real project with its ground truth."""

    id: str
    project: str
    name: str
    language: str
    path: str
    lines: list[int]
    operators: list[str]
    failing: list[str]
    tests: int
    suite_seconds: float
    longest_lines: int


def read_case(file: Path) -> Case:
    """A case that was kept."""
    return Case(**read_json(file))


def make_case(project: Project, known: Prepared, place: Workplace, seed: int, index: int) -> tuple[Case, bool]:
    """The case of this number, and whether it was made just now."""
    name = f"{project.key}-{seed}-{index}"
    folder = place.cases / name
    if (folder / CASE_FILE).exists():
        return read_case(folder / CASE_FILE), False
    with tempfile.TemporaryDirectory(dir=_made(place.runs)) as temporary:
        root = Path(temporary, project.name)
        copy_project(place.sources(project), root)
        language = LANGUAGES[project.language]
        language.relocate(root, place.sources(project))
        search = _Search(root, language, known, executed_lines(project, place), generator(seed, project.key, index))
        path, mutations, result = search.run()
    original = (place.sources(project) / path).read_bytes()
    case = Case(
        id=name,
        project=project.key,
        name=project.name,
        language=project.language,
        path=path,
        lines=[mutation.line for mutation in mutations],
        operators=[mutation.operator for mutation in mutations],
        failing=list(result.failing),
        tests=known.tests,
        suite_seconds=known.suite_seconds,
        longest_lines=known.longest_lines,
    )
    _keep(folder, case, original, apply(original, mutations))
    return case, True


def lay_out(case: Case, file: Path, sources: Path, root: Path) -> None:
    """Makes a fresh copy of a case's project, with the bug and nothing that tells of it."""
    copy_project(sources, root)
    shutil.copyfile(file.parent / MUTANT / case.path, root / case.path)
    LANGUAGES[case.language].relocate(root, sources)


class _Search:
    """Tries one mutant after the other."""

    def __init__(
        self, root: Path, language: Language, known: Prepared, executed: Executed, chance: random.Random
    ) -> None:
        self.root = root
        self.language = language
        self.known = known
        self.executed = executed
        self.chance = chance
        self.seconds = known.suite_seconds * MUTANT_FACTOR + MUTANT_EXTRA_SECONDS

    def run(self) -> tuple[str, list[Mutation], SuiteResult]:
        """The first mutant that some tests catch, but not too many."""
        last = time.monotonic() + max(SEARCH_SECONDS, SEARCH_RUNS * self.known.suite_seconds)
        outcomes: dict[str, int] = defaultdict(int)
        for _ in range(ATTEMPTS):
            if time.monotonic() > last:
                break
            path = self._choose_file()
            source = (self.root / path).read_bytes()
            mutations = self._choose_mutations(path, source)
            mutant = apply(source, mutations)
            if mutant == source or not self.language.valid(mutant):
                continue
            (self.root / path).write_bytes(mutant)
            try:
                result, outcome = self._judge(path, mutations)
            finally:
                (self.root / path).write_bytes(source)
            if result is not None:
                return path, mutations, result
            outcomes[outcome] += 1
        tried = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
        raise Unusable(f"no mutant is caught by 1 to {MOST_FAILING} tests ({tried}); another --seed may help")

    def _choose_file(self) -> str:
        """Files with more tested lines have more bugs."""
        weights = {path: sum(map(bool, lines.values())) for path, lines in self.executed.lines.items()}
        return self.chance.choices(list(weights), list(weights.values()))[0]

    def _choose_mutations(self, path: str, source: bytes) -> list[Mutation]:
        """One change, or two in the same function. Operators are equally likely, however many places they fit."""
        lines = {line for line, tests in self.executed.lines[path].items() if tests}
        by_operator: dict[str, list[Mutation]] = defaultdict(list)
        for mutation in self.language.mutations(source, lines):
            by_operator[mutation.operator].append(mutation)
        if not by_operator:
            return []
        first = self.chance.choice(by_operator[self.chance.choice(list(by_operator))])
        if self.chance.random() >= DOUBLE_SHARE:
            return [first]
        near = [
            mutation
            for mutations in by_operator.values()
            for mutation in mutations
            if mutation.scope == first.scope and not mutation.overlaps(first)
        ]
        return [first, *([self.chance.choice(near)] if near else [])]

    def _judge(self, path: str, mutations: list[Mutation]) -> tuple[SuiteResult | None, str]:
        """The result of all tests on the mutant in place if it makes a case; else why it does not."""
        first = self.executed.tests_of(path, [mutation.line for mutation in mutations])[:TESTS_TRIED_FIRST]
        if first and self.known.suite_seconds > LONG_SUITE_SECONDS:
            result = self.language.run_tests(self.root, self.seconds, first, stop_after=1)
            if not result.failing:
                return None, "not caught at first sight"
        result = self.language.run_tests(self.root, self.seconds, stop_after=MOST_FAILING + 1)
        if result.trouble:
            return None, "without a result"
        if not result.failing:
            return None, "not caught"
        if len(result.failing) > MOST_FAILING or result.ran < LEAST_COLLECTED * self.known.tests:
            return None, "break too much"
        return result, ""


def _keep(folder: Path, case: Case, original: bytes, mutant: bytes) -> None:
    with new_folder(folder) as partial:
        file = partial / MUTANT / case.path
        file.parent.mkdir(parents=True)
        file.write_bytes(mutant)
        (partial / GOLDEN_PATCH).write_bytes(_diff(case.path, mutant, original))
        write_json(partial / CASE_FILE, asdict(case))


def _diff(path: str, before: bytes, after: bytes) -> bytes:
    """The unified diff that git would make, whatever the encoding."""
    names = (f"a/{path}".encode(), f"b/{path}".encode())
    lines = difflib.diff_bytes(
        difflib.unified_diff, before.splitlines(keepends=True), after.splitlines(keepends=True), *names
    )
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
