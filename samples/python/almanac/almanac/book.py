"""Reading the text file: titles, phrases, exceptions."""

from __future__ import annotations

from datetime import date
from typing import Iterable, List, Set

from .dates import parse_date
from .phrases import PhraseError, parse_phrase
from .rules import Rule


class BookError(ValueError):
    """A line of the file that cannot be read; the message names it."""

    def __init__(self, line_number: int, reason: str) -> None:
        super().__init__(f"line {line_number}: {reason}")
        self.line_number = line_number


class Entry:
    """One thing that happens, with the dates taken out of its rule."""

    def __init__(self, title: str, rule: Rule, shift: int = 0) -> None:
        self.title = title
        self.rule = rule
        self.shift = shift
        self.exceptions: Set[date] = set()

    def dates_between(self, first: date, last: date) -> List[date]:
        """The rule's own dates in a range, without the exceptions."""
        return [day for day in self.rule.between(first, last) if day not in self.exceptions]


def read_book(lines: Iterable[str]) -> List[Entry]:
    """Read the entries of a file; BookError at the first bad line."""
    entries: List[Entry] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if line[0].isspace():
            _read_exception(entries, text, number)
        else:
            entries.append(_read_entry(text, number))
    return entries


def _read_entry(text: str, number: int) -> Entry:
    title, colon, phrase = text.partition(":")
    if not colon or not title.strip():
        raise BookError(number, "expected 'Title: when it happens'")
    try:
        rule, shift = parse_phrase(phrase)
    except PhraseError as error:
        raise BookError(number, str(error)) from None
    return Entry(title.strip(), rule, shift)


def _read_exception(entries: List[Entry], text: str, number: int) -> None:
    keyword, _, rest = text.partition(" ")
    if keyword != "except":
        raise BookError(number, f"expected 'except DATE', found {text!r}")
    if not entries:
        raise BookError(number, "there is no entry above to take a date out of")
    try:
        day = parse_date(rest)
    except ValueError as error:
        raise BookError(number, str(error)) from None
    entries[-1].exceptions.add(day)
