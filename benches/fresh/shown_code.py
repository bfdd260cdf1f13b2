"""Which code a prompt shows: numbered lines below the path of their file."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from functions import Function, functions

_PATH = re.compile(r"^([\w./+-]+\.pyi?)(?: \(.*\))?:?$")
_NUMBERED = re.compile(r"^(\d+): ?(.*)$")


@dataclass(frozen=True)
class Shown:
    """The lines that a prompt shows, and the functions in the order in which their bodies come."""

    lines: dict[str, set[int]]
    pieces: list[str]

    def has(self, path: str, function: Function, needed: set[int]) -> bool:
        """Whether a function's first line and one of the needed ones are shown."""
        there = self.lines.get(path, set())
        heads = set(range(function.first, function.body + 1))
        return bool(heads & there) and bool(needed & there)

    def rank(self, path: str, name: str) -> int | None:
        """The place of a function among the shown ones, from 1."""
        piece = f"{path}::{name}"
        return self.pieces.index(piece) + 1 if piece in self.pieces else None


def shown(prompt: str, root: Path) -> Shown:
    """Reads a prompt about the project in `root`. A line counts only where the file has it at that number."""
    lines: dict[str, set[int]] = defaultdict(set)
    pieces: dict[str, None] = {}
    path = ""
    text: list[str] = []
    places: dict[int, str] = {}
    for line in prompt.splitlines():
        if match := _PATH.match(line):
            path = match[1]
            text, places = _file(root / path)
        elif line.startswith("## "):
            path = ""
        elif path and (match := _NUMBERED.match(line)):
            number = int(match[1])
            if number <= len(text) and text[number - 1].rstrip() == match[2].rstrip():
                lines[path].add(number)
                if number in places:
                    pieces.setdefault(f"{path}::{places[number]}")
    return Shown(dict(lines), list(pieces))


def changed_lines(patch: str) -> dict[str, set[int]]:
    """The old lines that a patch removes, or between which it inserts, by file."""
    found: dict[str, set[int]] = defaultdict(set)
    path, number = "", 0
    for line in patch.splitlines():
        if line.startswith("--- "):
            path = line[6:]
        elif match := re.match(r"^@@ -(\d+)", line):
            number = int(match[1])
        elif line.startswith("-"):
            found[path].add(number)
            number += 1
        elif line.startswith("+") and not line.startswith("+++ "):
            found[path] |= {number - 1, number}
        elif line.startswith(" "):
            number += 1
    return dict(found)


def definition(root: Path, name: str) -> tuple[str, list[Function]]:
    """The path of `path::Qualified.name`, and its definitions in the project."""
    path, _, rest = name.partition("::")
    try:
        return path, functions((root / path).read_text(encoding="utf-8")).get(rest, [])
    except (OSError, SyntaxError):
        return path, []


def _file(path: Path) -> tuple[list[str], dict[int, str]]:
    """A file's lines, and the function that each line of a body belongs to."""
    try:
        source = path.read_text(encoding="utf-8")
        found = functions(source)
    except (OSError, SyntaxError, UnicodeDecodeError):
        return [], {}
    places = {
        number: name
        for name, those in found.items()
        for function in those
        for number in range(function.body, function.last + 1)
    }
    return source.split("\n"), places
