"""Preparing cases: the environment, and whether the hidden tests tell the fix from the bug."""

from __future__ import annotations

import time
from collections import defaultdict
from pathlib import Path

from environment import environment, install
from fresh_cases import FreshCase, GOLDEN, TESTS
from git import GitError
from processes import StepError
from progress import Progress, say
from repositories import Row, row_for
from test_runs import patched, run_tests
from workplace import read_json, write_json

PREPARED, UNUSABLE = "prepared.json", "unusable.json"


class Unusable(Exception):
    """A case cannot be measured, and why."""


def prepare_cases(cases: list[FreshCase], work: Path, retry: bool) -> int:
    """Prepares cases; what was prepared before stays. Gives the number of usable ones."""
    by_repository: dict[str, list[FreshCase]] = defaultdict(list)
    for case in cases:
        by_repository[case.repository].append(case)
    progress = Progress(len(cases))
    usable: dict[str, int] = {}
    for name, those in by_repository.items():
        row = row_for(name)
        newest = max(those, key=lambda case: case.known["date"])
        usable[name] = 0
        for case in those:
            try:
                known = _prepared(case, row, work, newest, retry)
                outcome = f"{len(known['failing'])} tests show the bug, in {known['seconds']} s"
                usable[name] += 1
            except Unusable as error:
                outcome = f"unusable: {error}"
            progress.step(case.id, outcome)
    for name, number in usable.items():
        say(f"{name}: {number} of {len(by_repository[name])} cases are usable")
    return sum(usable.values())


def usable_cases(cases: list[FreshCase]) -> list[FreshCase]:
    """The cases that were prepared and can be measured."""
    return [case for case in cases if (case.folder / PREPARED).exists()]


def test_files(case: FreshCase) -> list[str]:
    """The files with tests that the fix changes."""
    return list(dict.fromkeys(test["id"].split("::")[0] for test in case.known["tests"]))


def _prepared(case: FreshCase, row: Row, work: Path, newest: FreshCase, retry: bool) -> dict:
    known, refused = case.folder / PREPARED, case.folder / UNUSABLE
    if known.exists():
        return read_json(known)
    if refused.exists() and not retry:
        raise Unusable(read_json(refused)["reason"])
    try:
        install(case, row, environment(row, work, newest))
        found = _check(case, row)
    except (Unusable, StepError, GitError) as error:
        write_json(refused, {"reason": str(error)})
        raise Unusable(str(error)) from error
    write_json(known, found)
    refused.unlink(missing_ok=True)
    return found


def _check(case: FreshCase, row: Row) -> dict:
    """The changed tests that fail without the fix and pass with it."""
    files = test_files(case)
    start = time.monotonic()
    with patched(case, case.text(TESTS)):
        without = run_tests(case, files, row.environment)
    with patched(case, case.text(TESTS), case.text(GOLDEN)):
        fixed = run_tests(case, files, row.environment)
    if fixed.trouble:
        raise Unusable(fixed.trouble)
    tests = [test["id"] for test in case.known["tests"]]
    failing = [test for test in tests if fixed.of(test) == "passed" and without.of(test) != "passed"]
    if wrong := [test for test in tests if fixed.of(test) == "failed"]:
        name = next(name for name in fixed.failed if any(name.endswith(test.split("::")[-1]) for test in wrong) or True)
        raise Unusable(f"with the fix {len(wrong)} of its tests fail: {wrong[0]}: {fixed.failed[name]}")
    if fixed.failed and not set(fixed.failed) <= set(without.failed):
        name = next(iter(set(fixed.failed) - set(without.failed)))
        raise Unusable(f"the fix breaks {name}: {fixed.failed[name]}")
    if not failing:
        ran = sum(fixed.of(test) == "passed" for test in tests)
        raise Unusable(f"no changed test fails without the fix ({ran} of {len(tests)} ran)")
    # Existing tests that ask for the wrong behaviour: a right fix has to name them.
    with patched(case, case.text(GOLDEN)):
        unchanged = run_tests(case, files, row.environment)
    outdated = [test["id"] for test in case.known["tests"] if test["existed"] and unchanged.of(test["id"]) == "failed"]
    return {
        "failing": failing,
        "outdated": outdated,
        "failing_anyway": sorted(fixed.failed),
        "tests": len(fixed.passed) + len(fixed.failed),
        "seconds": round(time.monotonic() - start, 1),
    }
