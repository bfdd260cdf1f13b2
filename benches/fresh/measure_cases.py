"""Measuring cases: the first question, and what becomes of the fix and of a broken one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from broken_fix import broken_fix
from edits import as_edits, new_test_file, only_tests
from endpoint import call
from fresh_cases import GOLDEN, TESTS, FreshCase
from fresh_sessions import SessionRecord, run_session
from git import GitError
from prepare_cases import PREPARED
from progress import Progress
from repositories import row_for
from shown_code import changed_lines, definition, shown
from test_runs import patched, put_back, run_tests
from workplace import read_json, write_json

FIRST, GOLDEN_FIX, BROKEN_FIX = "first", "golden", "broken"
PARTS = (FIRST, GOLDEN_FIX, BROKEN_FIX)
# Paths of the lane are shortened where they are shown, so the code itself says what they mean.
_ASK = """import importlib, os, sys
file = os.path.realpath(importlib.import_module({name!r}).__file__)
inside = file.startswith(os.path.realpath(os.getcwd()) + os.sep) and "site-packages" not in file
print("FRESH", inside, sys.prefix.endswith(".venv"), file, sys.prefix, sys.version.split()[0])
"""


def measure_cases(
    cases: list[FreshCase], program: Path, parts: list[str], limit: float, file: Path | None, keep: Path | None
) -> list[dict]:
    """Measures parts of cases. What `file` has of the same program and limit is not measured again."""
    header = {"program": hashlib.sha256(program.read_bytes()).hexdigest(), "limit": limit}
    figures = _measured_before(file, header)
    done = {(one["case"], one["part"]) for one in figures}
    todo = [(case, part) for part in parts for case in cases if (case.id, part) not in done]
    progress = Progress(len(todo))
    measure: dict[str, Callable[..., dict]] = {FIRST: _first, GOLDEN_FIX: _golden, BROKEN_FIX: _broken}
    for case, part in todo:
        folder = keep / part / case.id if keep else None
        try:
            put_back(case)
            found = measure[part](case, program, limit, folder)
        except (GitError, OSError, AssertionError, KeyError, ValueError) as error:
            found = {"trouble": f"{type(error).__name__}: {error}"}
        figures.append({"case": case.id, "part": part, **found})
        if file:
            write_json(file, {**header, "figures": figures})
        progress.step(f"{part} {case.id}", found.get("trouble") or found["outcome"])
    return [one for one in figures if one["case"] in {case.id for case in cases}]


def _measured_before(file: Path | None, header: dict) -> list[dict]:
    if file is None or not file.exists():
        return []
    former = read_json(file)
    return former["figures"] if {**former, **header} == former else []


def module_name(path: str) -> str:
    """The module of a source file, as it is imported."""
    parts = re.sub(r"^(src|lib)/", "", path).removesuffix(".py").removesuffix("/__init__").split("/")
    return ".".join(parts)


def _first(case: FreshCase, program: Path, limit: float, keep: Path | None) -> dict:
    """The first question, and what Python code of the lane imports."""
    ask = call("run_code", code=_ASK.format(name=module_name(case.known["files"][0])))
    session = run_session(program, case, [ask], limit, keep)
    if not session.questions:
        return {**_session_figures(session), "trouble": _no_question(session)}
    prompt = session.questions[0]
    seen = shown(prompt, case.project)
    changed = changed_lines(case.text(GOLDEN))
    functions = {name: _function_shown(case, seen, name, changed) for name in case.known["functions"]}
    tests = {test["id"]: _test_shown(case, seen, test["id"], prompt) for test in case.known["tests"] if test["existed"]}
    observed = str(session.last("observation"))
    told = re.search(r"FRESH (True|False) (True|False) (\S+) (\S+) ([\d.]+)", observed)
    fields = ("imported_from_lane", "own_python", "module", "prefix", "python")
    environment = dict(zip(fields, told.groups())) if told else {}
    right = bool(told) and told[1] == told[2] == "True"
    return {
        **_session_figures(session),
        "environment": environment or {"said": observed[-600:]},
        "environment_right": right,
        "characters": len(prompt),
        "functions": functions,
        "tests": tests,
        "pieces": len(seen.pieces),
        "outcome": f"{session.first_question} s, environment {'right' if right else 'WRONG'}, functions "
                   f"{[one['rank'] if one['shown'] else None for one in functions.values()]}",
    }


def _function_shown(case: FreshCase, seen, name: str, changed: dict[str, set[int]]) -> dict:
    path, those = definition(case.project, name)
    lines = changed.get(path, set())
    found = False
    for one in those:
        inside = {number for number in lines if one.first <= number <= one.last}
        found |= seen.has(path, one, inside or set(range(one.body, one.last + 1)))
    return {"shown": found, "rank": seen.rank(path, name.partition("::")[2])}


def _test_shown(case: FreshCase, seen, test: str, prompt: str) -> dict:
    path, _, rest = test.partition("::")
    _, those = definition(case.project, f"{path}::{rest.replace('::', '.')}")
    found = any(seen.has(path, one, set(range(one.body, one.last + 1))) for one in those)
    return {"shown": found, "named": test in prompt}


def _golden(case: FreshCase, program: Path, limit: float, keep: Path | None) -> dict:
    return _fix(case, program, limit, keep, case.text(GOLDEN))


def _broken(case: FreshCase, program: Path, limit: float, keep: Path | None) -> dict:
    broken = broken_fix(case)
    if broken is None:
        return {"trouble": "no mutation was found that breaks a test near it and passes those of the issue"}
    return {**_fix(case, program, limit, keep, broken["patch"]), "kind": broken["kind"], "broken": broken["broken"]}


def _fix(case: FreshCase, program: Path, limit: float, keep: Path | None, patch: str) -> dict:
    """A session that writes a fix at once, with those hidden tests that show the bug as the test of the issue."""
    known = read_json(case.folder / PREPARED)
    failing = known["failing"]
    path = failing[0].split("::")[0]
    kept = {".".join(test.split("::")[1:]) for test in failing if test.startswith(f"{path}::")}
    with patched(case, case.text(TESTS)):
        source = (case.project / path).read_text(encoding="utf-8")
    kept = _alone(case, path, source, kept)
    outdated = {"outdated_tests": known["outdated"]} if known["outdated"] else {}
    write = call(
        "write_fix",
        **outdated,
        hypothesis="The functions that this changes are wrong, in the way that the issue tells.",
        edits=as_edits(patch),
        test=only_tests(source, kept),
        test_file=new_test_file(path, case.project),
        finish_because="It changes what the issue calls wrong.",
    )
    # What is answered where the fix was refused or is not plausible.
    end = call("discard_hypothesis", reason="Scripted end.")
    session = run_session(program, case, [write, end], limit, keep)
    verdict = session.last("verdict")
    candidate = session.last("candidate")
    baseline = session.last("baseline")
    result = session.result
    figures = {
        **_session_figures(session),
        "status": result.get("status"),
        "reason": result.get("reason", ""),
        "verdict": verdict.get("verdict"),
        "tests_run": result.get("tests_run") or verdict.get("tests_run"),
        "baseline_tests": baseline.get("total"),
        "seconds_to_verdict": session.moment("verdict"),
        "seconds_to_baseline": session.moment("baseline"),
        "tried": bool(candidate),
        "test_files_ran": _ran(verdict, case),
        "said": str(session.last("observation").get("text") or session.last("refusal").get("message") or "")[:1500],
    }
    # A fix with which outdated tests fail is left to a person, with everything said that speaks for it.
    status = result.get("status")
    accepted = status == "plausible" or (status == "unverified" and bool(known["outdated"]))
    if accepted and session.patch:
        with patched(case, session.patch, case.text(TESTS)):
            hidden = run_tests(case, list(dict.fromkeys(test.split("::")[0] for test in failing)),
                               row_for(case.repository).environment)
        figures["hidden_agree"] = not hidden.trouble and all(hidden.of(test) == "passed" for test in failing)
    figures["accepted"] = accepted
    figures["outdated"] = known["outdated"]
    figures["outcome"] = f"{result.get('status')} after {session.seconds} s: {figures['reason'][:150]}"
    return figures


def _alone(case: FreshCase, path: str, source: str, names: set[str]) -> set[str]:
    """The tests that pass with the fix in a file of their own too: one may name the module that it stands in."""
    file = new_test_file(path, case.project)
    with patched(case, case.text(GOLDEN)):
        (case.project / file).write_text(only_tests(source, names), encoding="utf-8")
        outcomes = run_tests(case, [file], row_for(case.repository).environment)
    kept = {name for name in names if outcomes.of("::".join([file, *name.split(".")])) == "passed"}
    if not kept:
        raise ValueError(f"the tests do not pass in a file of their own: {outcomes.trouble or outcomes.failed}")
    return kept


def _ran(verdict: dict, case: FreshCase) -> bool | None:
    """Whether those test files that the fix changes were among the tests that judged it, as far as they existed."""
    wanted = {test["id"].split("::")[0] for test in case.known["tests"]}
    wanted = {path for path in wanted if (case.project / path).exists()}
    if not verdict or not wanted:
        return None
    nearest = (verdict.get("tests_run") or {}).get("nearest") or []
    return not nearest or wanted <= {name.split("::")[0] for name in nearest}


def _session_figures(session: SessionRecord) -> dict:
    return {
        "seconds": session.seconds,
        "first_question": session.first_question,
        "killed": session.killed,
        "load": session.load,
    }


def _no_question(session: SessionRecord) -> str:
    tail = " | ".join(session.stderr.strip().splitlines()[-3:])
    return f"no question was asked: {tail}"
