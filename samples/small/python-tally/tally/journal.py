"""Reading a tab from a text.

Each line is 'payer amount title: people', with the people separated by
commas; 'ann*2' takes two shares.
"""

from __future__ import annotations

from typing import Dict, Iterable

from .amounts import parse_amount
from .tab import Expense, Tab


def read_journal(lines: Iterable[str]) -> Tab:
    """Reads a tab; an error names the line."""
    tab = Tab()
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            tab.add(_read_expense(line))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    return tab


def _read_expense(line: str) -> Expense:
    head, colon, people = line.rpartition(":")
    if not colon:
        raise ValueError("nobody is named after a colon")
    words = head.split(None, 2)
    if len(words) < 3:
        raise ValueError("a payer, an amount and a title are needed")
    payer, amount, title = words
    return Expense(title.strip(), parse_amount(amount), payer, _read_weights(people))


def _read_weights(text: str) -> Dict[str, int]:
    weights: Dict[str, int] = {}
    for part in text.split(","):
        name, star, weight = part.strip().partition("*")
        if not name:
            raise ValueError("a name is missing")
        weights[name] = weights.get(name, 0) + (int(weight) if star else 1)
    return weights
