"""Reading phrases such as 'every 2 weeks on tue from 2024-01-09'."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple, Optional

from .dates import LAST, parse_date, weekday_number
from .rules import Daily, Monthly, MonthlyByWeekday, Once, Rule, Weekly, Yearly

ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "last": LAST,
}
UNITS = ("day", "week", "month", "year")
SHIFTS = {"earlier": -1, "later": 1}

_PHRASE = re.compile(
    r"""
    (?: once | every (?:\s+(?P<every>\d+))? \s+ (?P<unit>[a-z]+?) s?
        (?: \s+ on \s+ (?P<on>.+?) )? )
    \s+ from \s+ (?P<start>\S+?)
    (?: \s+ until \s+ (?P<until>[^\s,]+) )?
    (?: \s* , \s* (?P<times>\d+) \s+ times? )?
    (?: \s* , \s* moved \s+ (?P<moved>[a-z]+) )?
    """,
    re.VERBOSE,
)


class PhraseError(ValueError):
    """A phrase that says no rhythm we know."""


class Timing(NamedTuple):
    """A rule, and where its dates go when they fall on a weekend.

    `shift` is -1 for earlier, 1 for later, 0 to leave them.
    """

    rule: Rule
    shift: int


def parse_phrase(text: str) -> Timing:
    """Read a phrase; PhraseError says what is wrong with it."""
    match = _PHRASE.fullmatch(" ".join(text.lower().split()))
    if match is None:
        raise PhraseError(f"cannot read when this happens: {text.strip()!r}")
    try:
        return Timing(_rule(match), _shift(match.group("moved")))
    except PhraseError:
        raise
    except ValueError as error:
        raise PhraseError(str(error)) from None


def _rule(match: "re.Match[str]") -> Rule:
    start = parse_date(match.group("start"))
    unit = match.group("unit")
    until = parse_date(match.group("until")) if match.group("until") else None
    times = int(match.group("times")) if match.group("times") else None
    if unit is None:
        if until or times:
            raise PhraseError("what happens once has no end")
        return Once(start)
    if unit not in UNITS:
        raise PhraseError(f"unknown unit: {unit!r}")
    every = int(match.group("every") or 1)
    on = match.group("on")
    if unit == "week":
        days = [weekday_number(name) for name in on.split(",")] if on else []
        return Weekly(start, every, days, until, times)
    if unit == "month" and on:
        return _by_weekday(start, every, on, until, times)
    if on:
        raise PhraseError(f"'on' does not go with {unit}s")
    kind = {"day": Daily, "month": Monthly, "year": Yearly}[unit]
    return kind(start, every, until, times)


def _by_weekday(
    start: date,
    every: int,
    on: str,
    until: Optional[date],
    times: Optional[int],
) -> Rule:
    words = on.split()
    if words[:1] == ["the"]:
        words = words[1:]
    if len(words) != 2 or words[0] not in ORDINALS:
        raise PhraseError(f"expected something like 'the last friday': {on!r}")
    nth = ORDINALS[words[0]]
    return MonthlyByWeekday(start, nth, weekday_number(words[1]), every, until, times)


def _shift(moved: Optional[str]) -> int:
    if moved is None:
        return 0
    if moved not in SHIFTS:
        raise PhraseError(f"moved where? 'earlier' or 'later', not {moved!r}")
    return SHIFTS[moved]
