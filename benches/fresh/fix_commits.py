"""Finding commits that fix a bug and test it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from functions import changed, functions
from git import Commit, GitError, Repository
from issue_text import from_fragment, from_message, holds_code, is_aside, is_telling, says_wrong
from python_language import is_production
from repositories import Row

MOST_FILES = 3
MOST_FUNCTIONS = 4
MOST_LINES = 60
MOST_TESTS = 40
_NAMES_TESTS = re.compile(r"(^|/)(test_[^/]*|[^/]*_tests?)\.py$")
_TEST_FOLDERS = frozenset({"test", "tests", "_tests", "testing"})
# Source that no figure here can read.
_COMPILED = (".pyx", ".pxd", ".c", ".h", ".rs", ".cpp")


@dataclass(frozen=True)
class ChangedTest:
    """A test that a fix changes or adds."""

    id: str
    existed: bool


@dataclass(frozen=True)
class Fix:
    """A fix commit with its issue. Paths are relative to the project's folder in the repository."""

    commit: Commit
    folder: str
    issue: str
    issue_from: str
    golden: str
    tests_patch: str
    functions: list[str]
    added_functions: list[str]
    tests: list[ChangedTest]
    files: list[str]
    test_files: list[str]


def fixes(repository: Repository, row: Row, since: str, refused: Counter[str]) -> Iterator[Fix]:
    """The fix commits, the youngest first. `refused` counts why the others are none."""
    for commit in repository.main_line(since, row.until):
        try:
            found = _fix(repository, row, commit)
        except (SyntaxError, UnicodeDecodeError, GitError) as error:
            found = f"unreadable: {type(error).__name__}"
        if isinstance(found, Fix):
            yield found
        else:
            refused[found] += 1


def is_test(path: str) -> bool:
    """Whether a path is that of a test, or of what tests read."""
    place = PurePosixPath(path)
    return bool(_TEST_FOLDERS & set(place.parts[:-1])) or place.name.startswith(("test_", "conftest"))


def _fix(repository: Repository, row: Row, commit: Commit) -> Fix | str:
    """The fix, or why the commit is none."""
    changes = repository.changes(commit)
    folder = next((name for name in row.folder if not name or repository.has(commit.parent, name)), "")
    prefix = f"{folder}/" if folder else ""
    inside = [change for change in changes if change.path.startswith(prefix)]
    tests = [change for change in inside if is_test(change.path[len(prefix):])]
    source = [change for change in inside if change not in tests and is_production(change.path[len(prefix):])]
    if not source or not any(change.path.endswith(".py") for change in tests):
        return "no source or no tests"
    if any(change.path.endswith(_COMPILED) for change in changes):
        return "compiled source"
    if len(source) > MOST_FILES or any(change.status != "M" for change in source):
        return "too many files, or new ones"
    message = _message(repository, commit)
    fragment = _fragment(repository, row, commit, [change.path for change in changes])
    title = message.partition("\n")[0]
    if is_aside(title) or not (says_wrong(message) or says_wrong(fragment)):
        return "not about a bug"
    issue, issue_from = (from_fragment(fragment), "changelog") if fragment else (from_message(message), "message")
    if not is_telling(issue):
        return "tells too little"
    golden = repository.diff(commit, [change.path for change in source], folder)
    if holds_code(issue, golden):
        return "tells the fix"
    if _size(golden) > MOST_LINES:
        return "too many lines"
    names: list[str] = []
    added: list[str] = []
    for change in source:
        before, after = (functions(repository.file(one, change.path) or "") for one in (commit.parent, commit.hash))
        path = change.path[len(prefix):]
        names += dict.fromkeys(f"{path}::{function.name}" for function in changed(before, after))
        added += [f"{path}::{name}" for name in after if name not in before]
    if not 1 <= len(names) <= MOST_FUNCTIONS or len(names) + len(added) > MOST_FUNCTIONS + 1:
        return "not 1 to 4 functions"
    changed_tests = [
        test
        for change in tests
        if _NAMES_TESTS.search(change.path)
        for test in _changed_tests(repository, commit, change.path, prefix)
    ]
    if not 1 <= len(changed_tests) <= MOST_TESTS:
        return "no tests, or too many"
    return Fix(
        commit=commit,
        folder=folder,
        issue=issue,
        issue_from=issue_from,
        golden=golden,
        tests_patch=repository.diff(commit, [change.path for change in tests], folder),
        functions=names,
        added_functions=added,
        tests=changed_tests,
        files=[change.path[len(prefix):] for change in source],
        test_files=[change.path[len(prefix):] for change in tests],
    )


def _message(repository: Repository, commit: Commit) -> str:
    """The message that tells what a commit does: that of the only commit of a merge says more than the merge's own."""
    if commit.merged:
        messages = repository.merged_messages(commit)
        if len(messages) == 1:
            return messages[0]
        body = commit.message.partition("\n")[2].strip()
        return body or (messages[-1] if messages else commit.message)
    return commit.message


def _fragment(repository: Repository, row: Row, commit: Commit, paths: list[str]) -> str:
    """What a commit adds to changelog fragments."""
    texts = []
    for path in paths:
        if re.search(row.fragments, path):
            patch = repository.diff(commit, [path], "")
            lines = (line[1:] for line in patch.splitlines() if line.startswith("+") and not line.startswith("+++"))
            texts.append("\n".join(lines))
    return "\n\n".join(text for text in texts if text.strip())


def _size(patch: str) -> int:
    return sum(line.startswith(("+", "-")) and not line.startswith(("+++", "---")) for line in patch.splitlines())


def _changed_tests(repository: Repository, commit: Commit, path: str, prefix: str) -> list[ChangedTest]:
    before = functions(repository.file(commit.parent, path) or "")
    after = functions(repository.file(commit.hash, path) or "")
    names = dict.fromkeys(function.name for function in changed(after, before))
    return [
        ChangedTest("::".join([path[len(prefix):], *name.split(".")]), name in before)
        for name in names
        if name.rpartition(".")[2].startswith("test")
    ]
