"""The folder of a case: the project before the fix, the issue, and what is hidden from a session."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from fix_commits import Fix, fixes
from git import Repository, check_out, clone_until
from progress import say
from repositories import repository_name, row_for
from suite import generator
from workplace import new_folder, read_json, write_json

CASE_FILE = "case.json"
PROJECT, ISSUE, GOLDEN, TESTS = "project", "issue.md", "golden.patch", "tests.patch"


@dataclass(frozen=True)
class FreshCase:
    """A case that was made."""

    id: str
    folder: Path
    known: dict

    @property
    def repository(self) -> str:
        """The repository's name."""
        return self.known["repository"]

    @property
    def project(self) -> Path:
        """The project, as a session is pointed at it."""
        return self.folder / PROJECT / self.known["folder"]

    def text(self, name: str) -> str:
        """A file of the case."""
        return (self.folder / name).read_text(encoding="utf-8")


def read_cases(work: Path) -> list[FreshCase]:
    """The cases of a work folder, sorted."""
    files = sorted((work / "cases").glob(f"*/{CASE_FILE}"))
    return [FreshCase(file.parent.name, file.parent, read_json(file)) for file in files]


def make_cases(sources: list[Path], work: Path, count: int, since: str, seed: int) -> int:
    """Makes up to `count` cases, as many of each repository as there are, and the index of all; gives their number."""
    found: dict[str, list[Fix]] = {}
    repositories = {repository_name(path): Repository(path) for path in sources}
    for name, repository in repositories.items():
        refused: Counter[str] = Counter()
        found[name] = list(fixes(repository, row_for(name), since, refused))
        told = ", ".join(f"{number} {reason}" for reason, number in refused.most_common())
        say(f"{name}: {len(found[name])} fixes; left out: {told}")
        generator(seed, name).shuffle(found[name])
    for name, number in _shares({name: len(fixes) for name, fixes in found.items()}, count).items():
        _make(name, repositories[name], found[name][:number], work, since)
    return _write_index(work)


def _shares(available: dict[str, int], count: int) -> dict[str, int]:
    """How many of each, so that none has more than another that could have as many."""
    shares = dict.fromkeys(available, 0)
    while sum(shares.values()) < count and any(shares[name] < available[name] for name in shares):
        open_names = [name for name in shares if shares[name] < available[name]]
        for name in sorted(open_names, key=shares.__getitem__)[:1]:
            shares[name] += 1
    return shares


def _make(name: str, repository: Repository, chosen: list[Fix], work: Path, since: str) -> None:
    base = work / "bases" / f"{name}.git"
    if chosen and not base.is_dir():
        with new_folder(base) as partial:
            clone_until(repository.path, repository.last_before(since), partial)
    for fix in chosen:
        identity = f"{name}-{fix.commit.hash[:8]}"
        folder = work / "cases" / identity
        if (folder / CASE_FILE).exists():
            continue
        with new_folder(folder) as partial:
            check_out(repository.path, base, fix.commit.parent, partial / PROJECT)
            for file, text in ((ISSUE, fix.issue), (GOLDEN, fix.golden), (TESTS, fix.tests_patch)):
                (partial / file).write_text(text, encoding="utf-8")
            write_json(partial / CASE_FILE, _described(name, fix))
        say(f"{identity}: {', '.join(fix.functions)}; {len(fix.tests)} tests")


def _described(name: str, fix: Fix) -> dict:
    return {
        "repository": name,
        "commit": fix.commit.hash,
        "parent": fix.commit.parent,
        "date": fix.commit.date,
        "folder": fix.folder,
        "issue_from": fix.issue_from,
        "functions": fix.functions,
        "added_functions": fix.added_functions,
        "tests": [asdict(test) for test in fix.tests],
        "files": fix.files,
        "test_files": fix.test_files,
    }


def _write_index(work: Path) -> int:
    """The rows that the figures of retrieval read."""
    cases = read_cases(work)
    (work / "sources").mkdir(exist_ok=True)
    rows = []
    for case in cases:
        link = work / "sources" / case.id
        if not link.is_symlink():
            link.symlink_to(Path("..", "cases", case.id, PROJECT, case.known["folder"]))
        rows.append({
            "instance_id": case.id,
            "problem_statement": case.text(ISSUE),
            "patch": case.text(GOLDEN),
            "test_patch": case.text(TESTS),
            "repo": case.repository,
            "base_commit": case.known["parent"],
        })
    partial = work / "cases.jsonl.partial"
    partial.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    partial.replace(work / "cases.jsonl")
    return len(cases)
