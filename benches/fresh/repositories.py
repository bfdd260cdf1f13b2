"""The table of repositories: what is known of each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

TABLE = Path(__file__).with_name("repositories.toml")
# Judged by: what is measured here is tuned for.
KEPT_FOR_JUDGING = frozenset("flask requests seaborn pylint pytest sphinx sympy".split())


class TableError(Exception):
    """A repository cannot be used."""


@dataclass(frozen=True)
class Row:
    """What a repository needs."""

    name: str
    folder: tuple[str, ...] = ("",)
    fragments: str = r"^(changelog\.d|newsfragments|changes|news)/.*\.(md|rst|txt)$"
    until: str | None = None
    # The version of Python, where it is not that of this script.
    python: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ("pytest",)


def rows(table: Path = TABLE) -> dict[str, Row]:
    """The rows of the table by name."""
    with table.open("rb") as file:
        raw = tomllib.load(file)
    found = {}
    for name, row in raw.items():
        lists = {key: tuple(row[key]) for key in ("folder", "needs", "files") if key in row}
        try:
            found[name] = Row(name=name, **{**row, **lists})
        except TypeError as error:
            raise TableError(f"{table}: {name}: {error}") from error
    return found


def row_for(name: str, table: Path = TABLE) -> Row:
    """The row of a repository."""
    if name.lower() in KEPT_FOR_JUDGING:
        raise TableError(f"{name} is kept for judging; take another repository")
    return rows(table).get(name) or Row(name)


def repository_name(path: Path) -> str:
    """The name of a repository by its path: `owner+NAME/repo`, `NAME.git` or `NAME`."""
    path = path.resolve()
    name = path.parent.name if path.name in ("repo", ".git") else path.name
    return name.removesuffix(".git").rpartition("+")[2]
