"""The letters of the codes: no 0, O, I and l, which look too much alike."""

from __future__ import annotations

from typing import Dict

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BASE = len(ALPHABET)

_VALUES: Dict[str, int] = {letter: value for value, letter in enumerate(ALPHABET)}


class CodeError(ValueError):
    """A text that is no code."""


def value_of(letter: str) -> int:
    """The digit that a letter stands for."""
    if letter not in _VALUES:
        raise CodeError(f"{letter!r} is not used in codes")
    return _VALUES[letter]


def tidy(text: str) -> str:
    """A code as it was typed, without the blanks and dashes between its groups."""
    return "".join(letter for letter in text if not letter.isspace() and letter != "-")


def grouped(code: str, size: int = 4) -> str:
    """A code in groups of letters, for people."""
    return "-".join(code[start : start + size] for start in range(0, len(code), size))
