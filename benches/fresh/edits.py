"""A patch and its tests, as the tool `write_fix` takes them."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path, PurePosixPath

from functions import functions


def as_edits(patch: str) -> list[dict]:
    """The edits of `write_fix` that make the changes of a unified diff."""
    deletions: dict[str, list[int]] = defaultdict(list)
    insertions: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    path, number, start = "", 0, 0
    for line in patch.splitlines():
        if line.startswith("--- "):
            path = line[6:]
        elif match := re.match(r"^@@ -(\d+)(?:,(\d+))?", line):
            start = number = int(match[1]) + (match[2] == "0")
        elif line.startswith("-"):
            deletions[path].append(number)
            number += 1
        elif line.startswith("+") and not line.startswith("+++ "):
            # What replaces lines stands where these begin.
            insertions[path][start].append(line[1:])
        elif line.startswith(" "):
            start = number = number + 1
    return [
        {
            "file_path": path,
            "deletions": deletions.get(path, []),
            "insertions": [
                {"line_number": number, "new_lines": lines} for number, lines in insertions.get(path, {}).items()
            ],
        }
        for path in sorted({*deletions, *insertions})
    ]


def only_tests(source: str, kept: set[str]) -> str:
    """A test file's text without the tests that are not named by their qualified names."""
    lines = source.split("\n")
    for name, those in functions(source).items():
        if name.rpartition(".")[2].startswith("test") and name not in kept:
            for function in those:
                head = lines[function.first - 1]
                indent = head[: len(head) - len(head.lstrip())]
                # A class keeps a body.
                lines[function.first - 1] = f"{indent}pass"
                lines[function.first : function.last] = [""] * (function.last - function.first)
    text = re.sub(r"(?m)^pass$\n?", "", "\n".join(lines))
    return re.sub(r"\n{4,}", "\n\n\n", text).strip() + "\n"


def new_test_file(path: str, root: Path) -> str:
    """A path beside a test file at which there is none."""
    place = PurePosixPath(path)
    name = f"{place.stem}_of_issue.py" if place.stem.startswith("test_") else f"test_{place.stem}_of_issue.py"
    assert not (root / place.with_name(name)).exists()
    return str(place.with_name(name))
