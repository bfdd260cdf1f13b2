"""A fix that passes what the issue asks for and breaks something else: it must not be called plausible."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

import python_mutations
from fresh_cases import GOLDEN, TESTS, FreshCase
from functions import functions
from git import GitError
from prepare_cases import PREPARED, test_files
from repositories import row_for
from shown_code import definition
from suite import apply, generator
from test_runs import Outcomes, is_of, patched, run_tests
from workplace import read_json, write_json

BROKEN = "broken.json"
ATTEMPTS = 8


def broken_fix(case: FreshCase, seed: int = 1) -> dict | None:
    """The broken fix of a case: `patch`, `kind` and the existing tests that it breaks; none where none was found."""
    file = case.folder / BROKEN
    if not file.exists():
        write_json(file, _search(case, seed))
    found = read_json(file)
    return found if found.get("patch") else None


def _search(case: FreshCase, seed: int) -> dict:
    row, files = row_for(case.repository), test_files(case)
    known = read_json(case.folder / PREPARED)
    hidden = {test["id"] for test in case.known["tests"]}
    with patched(case, case.text(TESTS), case.text(GOLDEN)):
        golden = run_tests(case, files, row.environment)
    for kind, patch in list(_candidates(case, seed))[:ATTEMPTS]:
        try:
            with patched(case, case.text(TESTS), patch):
                outcomes = run_tests(case, files, row.environment)
        except GitError:
            continue
        broken = _broken(golden, outcomes, hidden)
        # Harder to see: the tests of the issue still pass.
        if broken and len(broken) <= 30 and all(outcomes.of(test) == "passed" for test in known["failing"]):
            return {"patch": patch, "kind": kind, "broken": broken[:20]}
    return {"patch": ""}


def _broken(golden: Outcomes, outcomes: Outcomes, hidden: set[str]) -> list[str]:
    return sorted(
        name
        for name in outcomes.failed
        if name in golden.passed and not any(is_of(name, test) for test in hidden)
    )


def _candidates(case: FreshCase, seed: int) -> Iterator[tuple[str, str]]:
    """The fix with one mutation more: in the functions that it changes, then in others of their files."""
    before = {path: (case.project / path).read_bytes() for path in case.known["files"]}
    with patched(case, case.text(GOLDEN)):
        fixed = {path: (case.project / path).read_bytes() for path in case.known["files"]}
        inside = {path: _lines(case.project, case.known["functions"], path) for path in case.known["files"]}
    chance = generator(seed, case.id)
    near, far = [], []
    for path, source in fixed.items():
        every = {number for those in functions(source.decode()).values() for one in those
                 for number in range(one.body, one.last + 1)}
        for mutation in python_mutations.mutations(source, every):
            (near if mutation.line in inside[path] else far).append((path, mutation))
    chance.shuffle(near)
    chance.shuffle(far)
    for path, mutation in [*near[: ATTEMPTS - 3], *far[:ATTEMPTS]]:
        mutant = apply(fixed[path], [mutation])
        try:
            compile(mutant, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        after = {**fixed, path: mutant}
        yield mutation.operator, "".join(_diff(one, before[one], text) for one, text in after.items())


def _lines(root: Path, names: list[str], path: str) -> set[int]:
    return {
        number
        for name in names
        if name.startswith(f"{path}::")
        for function in definition(root, name)[1]
        for number in range(function.body, function.last + 1)
    }


def _diff(path: str, before: bytes, after: bytes) -> str:
    names = (f"a/{path}", f"b/{path}")
    return "".join(difflib.unified_diff(before.decode().splitlines(True), after.decode().splitlines(True), *names))
