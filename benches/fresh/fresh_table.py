"""The table of what was measured, and the goals."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from measure_cases import BROKEN_FIX, FIRST, GOLDEN_FIX

# Seconds to the first question that a user waits without asking whether something hangs.
FIRST_QUESTION_GOAL = 10.0
LEAST_ANY_SHOWN = 0.7
COLUMNS = (
    "repository", "cases", "environment right", "s to 1st question", "any function", "all functions", "rank",
    "tests shown", "tests named", "characters", "golden accepted", "hidden agree", "min to verdict", "tests that ran",
    "their files ran", "broken tried", "broken accepted",
)


def print_table(figures: list[dict]) -> None:
    """One row a repository, and one for all."""
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---|" + "---:|" * (len(COLUMNS) - 1))
    names = sorted({_repository(one) for one in figures})
    for name in [*names, "all"]:
        print("| " + " | ".join(_row(name, [one for one in figures if name in ("all", _repository(one))])) + " |")


def print_goals(figures: list[dict]) -> int:
    """The goals with whether they hold, and what is wrong case by case; 1 where a goal is missed."""
    first, golden, broken = (_of(figures, part) for part in (FIRST, GOLDEN_FIX, BROKEN_FIX))
    goals = []
    if first:
        goals += [
            ("the environment is right in all cases", all(one["environment_right"] for one in first)),
            (f"the median first question comes within {FIRST_QUESTION_GOAL:g} s",
             median(one["first_question"] for one in first) <= FIRST_QUESTION_GOAL),
            (f"a function of the fix is shown in {LEAST_ANY_SHOWN:.0%} of the cases",
             _share(map(_any, first)) >= LEAST_ANY_SHOWN),
        ]
    if golden:
        goals.append(("the developers' fix is accepted in all cases", all(one["accepted"] for one in golden)))
    if tried := [one for one in broken if one["tried"]]:
        goals.append(("no broken fix is accepted", not any(one["accepted"] for one in tried)))
    print()
    for text, holds in goals:
        print(f"- {'holds' if holds else 'MISSED'}: {text}")
    for one in figures:
        if told := _wrong(one):
            print(f"- {one['part']} {one['case']}: {told}")
    return 0 if all(holds for _, holds in goals) else 1


def _wrong(one: dict) -> str:
    """What is wrong with a measurement, if anything."""
    if one.get("trouble"):
        return one["trouble"]
    if one["part"] == FIRST:
        told = [] if one["environment_right"] else [f"environment: {one['environment']}"]
        missing = [
            f"{name} (place {known['rank']}, without the changed lines)" if known["rank"] else name
            for name, known in one["functions"].items()
            if not known["shown"]
        ]
        return "; ".join([*told, *([f"not shown: {', '.join(missing)}"] if missing else [])])
    if one["part"] == GOLDEN_FIX and not one["accepted"]:
        return f"{one['status']}: {one['reason'][:200]}"
    if one["part"] == GOLDEN_FIX and not one.get("hidden_agree"):
        return "accepted, but hidden tests fail"
    if one["part"] == BROKEN_FIX and one["accepted"]:
        return f"{one['status']} although it breaks {one['broken'][0]}"
    return ""


def _row(name: str, figures: list[dict]) -> list[str]:
    first, golden, broken = (_of(figures, part) for part in (FIRST, GOLDEN_FIX, BROKEN_FIX))
    ranks = [known["rank"] for one in first for known in one["functions"].values() if known["shown"] and known["rank"]]
    tests = [known for one in first for known in one["tests"].values()]
    minutes = [one["seconds_to_verdict"] / 60 for one in golden if one["seconds_to_verdict"]]
    accepted = [one for one in golden if one["accepted"]]
    return [
        name,
        str(len({one["case"] for one in figures})),
        _count(one["environment_right"] for one in first),
        _median([one["first_question"] for one in first], 1),
        _count(map(_any, first)),
        _count(all(known["shown"] for known in one["functions"].values()) for one in first),
        _median(ranks, 0),
        _count(known["shown"] for known in tests),
        _count(known["named"] for known in tests),
        _median([one["characters"] for one in first], 0),
        _count(one["accepted"] for one in golden),
        _count(one.get("hidden_agree", False) for one in accepted),
        _median(minutes, 2),
        _median([_others(one) for one in golden if one["tests_run"]], 0),
        _count(one["test_files_ran"] for one in golden if one.get("test_files_ran") is not None),
        _count(one["tried"] for one in broken),
        _count(one["accepted"] for one in broken if one["tried"]),
    ]


def _others(one: dict) -> int:
    """How many of the project's tests judged a candidate."""
    return sum(one["tests_run"]["others"].values())


def _of(figures: list[dict], part: str) -> list[dict]:
    return [one for one in figures if one["part"] == part and not one.get("trouble")]


def _any(one: dict) -> bool:
    return any(known["shown"] for known in one["functions"].values())


def _share(values: Iterable[bool]) -> float:
    known = list(values)
    return sum(known) / len(known) if known else 0.0


def _count(values: Iterable[bool]) -> str:
    known = list(values)
    return f"{sum(known)}/{len(known)}" if known else "–"


def _median(values: list[float], digits: int) -> str:
    return f"{median(values):.{digits}f}" if values else "–"


def _repository(one: dict) -> str:
    return one["case"].rpartition("-")[0]
