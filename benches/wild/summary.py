"""Tables of figures, and whether the goals hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

Figures = dict
Number = float | None


class Column(NamedTuple):
    """A column of the table of cases."""

    title: str
    value: Callable[[Figures], object]


class Goal(NamedTuple):
    """A bound on a figure over all cases: `share` of them must be within `seconds`."""

    figure: str
    share: float
    seconds: float

    def __str__(self) -> str:
        return f"{_share_name(self.share)} ≤ {self.seconds:g} s"


COLUMNS = (
    Column("case", lambda row: row["case"]),
    Column("suite s", lambda row: row["suite_seconds"]),
    Column("longest", lambda row: row["longest_lines"]),
    Column("detected", lambda row: _yes(row["detected"])),
    Column("first line s", lambda row: row["first_line"]),
    Column("baseline s", lambda row: row["baseline"]),
    Column("localised after s", lambda row: row["localized_after_baseline"]),
    Column("fix after s", lambda row: row["fix_after_localization"]),
    Column("candidate after s", lambda row: row["candidate_after_baseline"]),
    Column("verdict after s", lambda row: row["verdict_after_baseline"]),
    Column("end after SIGINT s", lambda row: row["end_after_interrupt"]),
    Column("over limit s", lambda row: row["overrun"]),
    Column("status", lambda row: row["status"] or f"exit {row['exit_code']}"),
    Column("candidates", lambda row: row["candidates"]),
    Column("plausible", lambda row: row["plausible_candidate"]),
    Column("golden", lambda row: _yes(row["equals_golden"])),
    Column("left behind", lambda row: len(row["left_processes"]) + len(row["left_folders"])),
    Column("notes", lambda row: "; ".join(row["notes"])),
)

# What is summed up, in the order in which it is shown.
FIGURES: dict[str, Callable[[Figures], Number]] = {
    "first line of talk": lambda row: row["first_line"],
    "baseline": lambda row: row["baseline"],
    "localisation after baseline": lambda row: row["localized_after_baseline"],
    "first fix after localisation": lambda row: row["fix_after_localization"],
    "first candidate after baseline": lambda row: _awaited(row, "candidate_after_baseline"),
    "first verdict after baseline": lambda row: _awaited(row, "verdict_after_baseline"),
    "end after SIGINT": lambda row: row["end_after_interrupt"],
    "passing of the time limit": lambda row: row["overrun"],
}
GOALS = (
    Goal("first candidate after baseline", 0.5, 3.0),
    Goal("first candidate after baseline", 0.95, 10.0),
    Goal("end after SIGINT", 1.0, 1.0),
    Goal("passing of the time limit", 1.0, 1.0),
)
SHARES = (0.5, 0.95, 1.0)


def print_table(sessions: Sequence[Figures], form: str) -> None:
    """Prints a line for each case."""
    rows = [[_shown(column.value(session)) for column in COLUMNS] for session in sessions]
    titles = [column.title for column in COLUMNS]
    if form == "tsv":
        for row in [titles, *rows]:
            print("\t".join(cell.replace("\t", " ") for cell in row))
        return
    _print_markdown(titles, rows)


def print_summary(sessions: Sequence[Figures]) -> int:
    """Prints what holds for all cases; 1 where a goal is missed."""
    count = len(sessions)
    print()
    print(f"detected: {sum(row['detected'] for row in sessions)} of {count}")
    print(f"reached the end of the baseline: {sum(row['baseline'] is not None for row in sessions)} of {count}")
    print(f"tried a candidate: {sum(row['candidates'] > 0 for row in sessions)} of {count}")
    print(f"plausible: {sum(row['plausible_candidate'] is not None for row in sessions)} of {count}")
    print(f"equal to the golden patch: {sum(row['equals_golden'] is True for row in sessions)} of {count}")
    print(f"killed since they did not end: {sum(row['killed'] for row in sessions)} of {count}")
    # A session that was killed could not tidy up.
    left = sum(bool(row["left_processes"] or row["left_folders"]) for row in sessions if not row["killed"])
    print(f"processes or folders left behind by the others: {left}")
    print()
    missed = False
    rows = []
    for name, of in FIGURES.items():
        values = sorted(value for row in sessions if (value := of(row)) is not None)
        verdicts = []
        for goal in (goal for goal in GOALS if goal.figure == name and values):
            holds = percentile(values, goal.share) <= goal.seconds
            missed |= not holds
            verdicts.append(f"{goal}: {'holds' if holds else 'MISSED'}")
        shown = [_shown(percentile(values, share)) if values else "" for share in SHARES]
        rows.append([name, str(len(values)), *shown, "; ".join(verdicts)])
    _print_markdown(["seconds", "sessions", *map(_share_name, SHARES), "goal"], rows)
    return 1 if missed else 0


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` of the sorted values do not pass (nearest rank)."""
    return values[max(0, math.ceil(share * len(values)) - 1)]


def _awaited(row: Figures, name: str) -> Number:
    """A figure that a user waits for after the baseline. What did not come took for ever, unless the session was
    interrupted before its limit, or found nothing to try."""
    if row[name] is not None or row["baseline"] is None:
        return row[name]
    return math.inf if row["overrun"] is not None else None


def _share_name(share: float) -> str:
    return {0.5: "median", 1.0: "worst"}.get(share, f"{share:.0%}")


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "none" if math.isinf(value) else f"{value:.2f}"
    return str(value)


def _yes(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _print_markdown(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    rows = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(titles, *rows)]
    for row in [titles, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + " |")
