"""Breaking a text into lines."""

from __future__ import annotations

from typing import Iterator, List

HYPHEN = "-"


def paragraphs(text: str) -> List[str]:
    """The paragraphs of a text, which blank lines separate."""
    found: List[str] = []
    current: List[str] = []
    for line in text.splitlines():
        if line.strip():
            current.append(line.strip())
        elif current:
            found.append(" ".join(current))
            current = []
    if current:
        found.append(" ".join(current))
    return found


def split_word(word: str, width: int) -> Iterator[str]:
    """Cuts a word that is wider than a line; all parts but the last end with a hyphen."""
    if width < 2:
        raise ValueError("a line must have room for a letter and a hyphen")
    while len(word) > width:
        yield word[: width - 1] + HYPHEN
        word = word[width - 1 :]
    yield word


def wrap(text: str, width: int, indent: int = 0) -> List[str]:
    """The lines of a paragraph, none of them wider than `width`.

    The first line begins with `indent` blanks, which count.
    """
    if indent >= width:
        raise ValueError("the indent leaves no room for words")
    lines: List[str] = []
    current = ""
    room = width - indent
    for word in _pieces(text, width, indent):
        if not current:
            current = word
        elif len(current) + len(word) <= room:
            current += " " + word
        else:
            lines.append(current)
            current = word
            room = width
    if current:
        lines.append(current)
    if lines:
        lines[0] = " " * indent + lines[0]
    return lines


def _pieces(text: str, width: int, indent: int) -> Iterator[str]:
    """The words of a text, cut where they are too wide."""
    for number, word in enumerate(text.split()):
        yield from split_word(word, width - indent if number == 0 else width)
