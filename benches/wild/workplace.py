"""The work folder: where prepared projects, cases and runs are kept, and how they are copied and written."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from python_language import VENV
from table import Project

PROJECT_FILE = "project.json"
CASE_FILE = "case.json"
GOLDEN_PATCH = "golden.diff"
MUTANT = "mutant"
# A copy of the sources that Java compiles lies in `target` or `build`, which the project itself does not hold.
NOT_COPIED = ("__pycache__", ".patchwright", ".pytest_cache", ".hypothesis")


def default_work() -> Path:
    """A folder that outlives a restart."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(cache, "patchwright-wild")


@dataclass(frozen=True)
class Workplace:
    """The work folder."""

    root: Path

    @property
    def downloads(self) -> Path:
        """Archives as they were downloaded."""
        return self.root / "downloads"

    @property
    def cases(self) -> Path:
        """One folder for each case."""
        return self.root / "cases"

    @property
    def runs(self) -> Path:
        """Copies of projects while they are measured."""
        return self.root / "runs"

    def project(self, project: Project) -> Path:
        """The folder of a prepared project: its sources, and what is known of it."""
        return self.root / "projects" / project.key

    def sources(self, project: Project) -> Path:
        """The project itself, as `patchwright` would be pointed at it."""
        return self.project(project) / project.name

    def case_files(self, projects: list[Project]) -> list[Path]:
        """The prepared cases of some projects, sorted."""
        keys = {project.key for project in projects}
        found = sorted(self.cases.glob(f"*/{CASE_FILE}"))
        return [path for path in found if read_json(path)["project"] in keys]


@contextmanager
def new_folder(destination: Path) -> Iterator[Path]:
    """A folder that is at its place when all of it is written, or not at all."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=destination.parent))
    try:
        yield partial
        shutil.rmtree(destination, ignore_errors=True)
        partial.rename(destination)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def read_json(path: Path) -> Any:
    """The value in a file."""
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Writes a value, or leaves what was there."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


def copy_project(source: Path, destination: Path) -> None:
    """Copies a project. Files of its environment, which no test writes to, are shared as hard links: they are many."""
    shutil.copytree(source, destination, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED, VENV))
    if (source / VENV).is_dir():
        shutil.copytree(source / VENV, destination / VENV, symlinks=True, copy_function=_link)


def _link(source: str, destination: str, *, follow_symlinks: bool = True) -> None:
    if os.path.islink(source):
        os.symlink(os.readlink(source), destination)
    else:
        os.link(source, destination)
