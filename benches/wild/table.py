"""The table of projects: which ones are measured, and what each needs."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path

# Kept for judging: what is measured here is tuned for, and must not be what is judged by.
KEPT_FOR_JUDGING = frozenset(
    "flask requests seaborn pylint pytest sphinx sympy commons-lang commons-cli commons-csv commons-codec "
    "commons-lang3 quixbugs bugsinpy".split()
)

LANGUAGES = ("python", "java")


class TableError(Exception):
    """The table or a folder of clones cannot be used as it is."""


@dataclass(frozen=True)
class Project:
    """A real project at one version."""

    name: str
    version: str
    language: str
    # What the tests need beside the project itself: requirements for pip, or Debian packages with jars.
    needs: tuple[str, ...] = ()
    # Whether the tests need the project's own metadata: then it is installed editable.
    install: bool = False
    # Where the project lies inside of what is unpacked.
    folder: str = "."
    # Test files and folders that cannot pass here; the comment in the table says why.
    without: tuple[str, ...] = ()
    # "long-modules" (over 2,000 lines) and "slow-suite" (over 30 s), for choosing by --mark.
    marks: tuple[str, ...] = ()
    # A folder on this machine to copy, in place of a download.
    clone: Path | None = None

    @property
    def recipe(self) -> str:
        """Changes when the project has to be prepared anew."""
        parts = (
            self.name, self.version, self.language, self.needs, self.install, self.folder, self.without, self.clone,
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    @property
    def key(self) -> str:
        """The name of the project's folder below the work folder."""
        return f"{self.name}-{self.version}"


def read_table(path: Path) -> list[Project]:
    """Reads the projects of a TOML file."""
    with path.open("rb") as file:
        table = tomllib.load(file)
    unknown = set(table) - {*LANGUAGES, "common"}
    if unknown:
        raise TableError(f"{path}: unknown tables {sorted(unknown)}; there are common and {list(LANGUAGES)}")
    common = table.get("common", {})
    return [
        _project(path, language, row, common.get(language, {}))
        for language in LANGUAGES
        for row in table.get(language, [])
    ]


def _project(path: Path, language: str, row: dict, common: dict) -> Project:
    name = row.get("name", "?")
    if name.removesuffix("-java").removeprefix("lib").lower() in KEPT_FOR_JUDGING:
        raise TableError(f"{path}: {name} is kept for judging; take another project")
    lists = {key: (*common.get(key, ()), *row.get(key, ())) for key in ("needs", "without", "marks")}
    try:
        return Project(language=language, **{**row, **lists})
    except TypeError as error:
        raise TableError(f"{path}: {name}: {error}") from error


def clones(folders: list[Path]) -> list[Project]:
    """Takes each folder for a project. Its tests are expected to need pytest and the project itself, nothing more."""
    found = []
    for folder in folders:
        folder = folder.resolve()
        if not folder.is_dir():
            raise TableError(f"--clone {folder}: not a folder")
        if folder.name.lower() in KEPT_FOR_JUDGING:
            raise TableError(f"--clone {folder}: this project is kept for judging")
        counts = {
            language: sum(1 for _ in folder.rglob(f"*.{suffix}"))
            for language, suffix in (("python", "py"), ("java", "java"))
        }
        language = max(counts, key=counts.__getitem__)
        python = language == "python"
        needs = ("pytest",) if python else ()
        found.append(Project(folder.name, "clone", language, needs=needs, install=python, clone=folder))
    return found


def choose(projects: list[Project], names: list[str], marks: list[str]) -> list[Project]:
    """Only the projects of these names and with all of these marks; an empty list leaves all."""
    unknown = set(names) - {project.name for project in projects}
    if unknown:
        raise TableError(f"not in the table: {', '.join(sorted(unknown))}")
    return [
        project
        for project in projects
        if (not names or project.name in names) and set(marks) <= set(project.marks)
    ]
