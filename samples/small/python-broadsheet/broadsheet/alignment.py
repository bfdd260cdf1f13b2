"""Putting a line into its place."""

from __future__ import annotations

from typing import Callable, Dict, List


def left(line: str, width: int) -> str:
    return line.ljust(width)


def right(line: str, width: int) -> str:
    return line.rjust(width)


def centre(line: str, width: int) -> str:
    """The line in the middle; an odd blank goes to the right."""
    before = max(0, width - len(line)) // 2
    return (" " * before + line).ljust(width)


def justify(line: str, width: int) -> str:
    """Stretches the gaps between the words until the line is full.

    Blanks that cannot be shared out evenly go to the gaps on the left. A
    line of one word is put to the left.
    """
    words = line.split()
    gaps = len(words) - 1
    if gaps < 1:
        return left(line, width)
    margin = len(line) - len(line.lstrip())
    blanks = width - margin - sum(len(word) for word in words)
    share, extra = divmod(max(blanks, gaps), gaps)
    text = words[0]
    for number, word in enumerate(words[1:]):
        text += " " * (share + (1 if number < extra else 0)) + word
    return " " * margin + text


ALIGNMENTS: Dict[str, Callable[[str, int], str]] = {
    "left": left,
    "right": right,
    "centre": centre,
    "justify": justify,
}


def align(lines: List[str], width: int, how: str = "left") -> List[str]:
    """All lines of a paragraph; the last one is never justified."""
    if how not in ALIGNMENTS:
        raise ValueError(f"no such alignment: {how}")
    place = ALIGNMENTS[how]
    if how != "justify":
        return [place(line, width) for line in lines]
    return [justify(line, width) for line in lines[:-1]] + [left(line, width) for line in lines[-1:]]
