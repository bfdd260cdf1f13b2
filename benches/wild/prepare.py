"""Preparing a project: sources, surroundings, a run of its tests, and which lines these execute. Done once, kept."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from download import sources
from java_language import Java
from processes import StepError
from python_language import Python
from suite import SUITE_SECONDS, Executed, Language
from table import Project
from workplace import PROJECT_FILE, Workplace, new_folder, read_json, write_json

LANGUAGES: dict[str, Language] = {"python": Python(), "java": Java()}
EXECUTED_FILE = "executed.json"
# A module of which the tests execute less is data, or only imported.
LINES_OF_A_TESTED_MODULE = 30


@dataclass(frozen=True)
class Prepared:
    """A project that can be measured."""

    key: str
    recipe: str
    language: str
    tests: int
    suite_seconds: float
    longest_module: str
    longest_lines: int


class Unusable(Exception):
    """A project cannot be measured: which step failed, and what to do."""


def prepared(project: Project, place: Workplace, retry: bool) -> Prepared:
    """What is known of a prepared project; prepares it if need be."""
    folder = place.project(project)
    known = folder / PROJECT_FILE
    if known.exists() and (former := read_json(known)).get("recipe") == project.recipe:
        return Prepared(**former)
    refusal = folder.with_name(folder.name + ".unusable.json")
    if refusal.exists() and not retry and (former := read_json(refusal)).get("recipe") == project.recipe:
        raise Unusable(f"{former['reason']} (known from before; --retry tries again)")
    # Cases of the project as it was before are none of it as it will be.
    for case in place.case_files([project]):
        shutil.rmtree(case.parent)
    try:
        found = _prepare(project, place)
    except (StepError, OSError) as error:
        refusal.parent.mkdir(parents=True, exist_ok=True)
        write_json(refusal, {"recipe": project.recipe, "reason": str(error)})
        raise Unusable(str(error)) from error
    refusal.unlink(missing_ok=True)
    return found


def executed_lines(project: Project, place: Workplace) -> Executed:
    """Which lines the tests of a prepared project execute."""
    return Executed.from_json(read_json(place.project(project) / EXECUTED_FILE))


def _prepare(project: Project, place: Workplace) -> Prepared:
    language = LANGUAGES[project.language]
    with new_folder(place.project(project)) as folder:
        root = folder / project.name
        sources(project, place.downloads, root)
        language.set_up(project, root, place.root)
        result = language.run_tests(root, SUITE_SECONDS)
        if result.trouble:
            raise StepError(f"its tests: {result.trouble}", "correct `needs`, or leave it out")
        if result.failing or not result.ran:
            named = ", ".join(result.failing[:4])
            raise StepError(
                f"{len(result.failing)} of {result.ran} tests fail before any change: {named} ({result.message})",
                "correct `needs`, name their files in `without`, or leave it out",
            )
        executed = language.executed(root, place.root)
        module, lines = _longest(root, executed)
        seconds = round(result.seconds, 2)
        found = Prepared(project.key, project.recipe, project.language, result.ran, seconds, module, lines)
        write_json(folder / EXECUTED_FILE, executed.as_json())
        write_json(folder / PROJECT_FILE, asdict(found))
    language.relocate(place.sources(project), root)
    return found


def _longest(root: Path, executed: Executed) -> tuple[str, int]:
    """The longest module of production code that the tests execute, and its lines."""
    lengths = {
        path: (root / path).read_bytes().count(b"\n")
        for path, lines in executed.lines.items()
        if sum(map(bool, lines.values())) >= LINES_OF_A_TESTED_MODULE
    }
    if not lengths:
        raise StepError("no production module is executed by test functions", "leave it out")
    longest = max(lengths, key=lengths.__getitem__)
    return longest, lengths[longest]
