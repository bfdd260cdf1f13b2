"""Sessions whose model is a reader: each question becomes a file, and an answer is awaited as one. Patchwright's, and mini-swe-agent's beside it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from endpoint import serve, text_of
from fix_commits import is_test
from fresh_cases import ISSUE, TESTS, FreshCase
from git import GitError, git
from prepare_cases import PREPARED, test_files
from processes import kill_group
from python_language import VENV
from repositories import row_for
from test_runs import patched, put_back, run_tests
from workplace import read_json, write_json

PATCHWRIGHT, MINI = "patchwright", "mini-swe-agent"
AGENTS = (PATCHWRIGHT, MINI)
_KEYS = {"COMPATIBLE_API_KEY": "reader", "OPENAI_API_KEY": "reader"}
_MINI = {"MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
# What an estimate of tokens takes a token for, of both agents alike.
_CHARACTERS_OF_TOKEN = 4


@dataclass
class Reader:
    """A model whose questions and answers are `question-N.md` and `answer-N.md` in a folder."""

    folder: Path
    characters: int = 0
    waited: float = 0.0
    moments: list[float] = field(default_factory=list)
    _before: list[dict] = field(default_factory=list)

    def answer(self, request: dict[str, Any]) -> str:
        """Writes down what is new since the last question, and waits for the answer."""
        self.moments.append(time.monotonic())
        number, messages, tools = len(self.moments), request["messages"], request.get("tools") or []
        same = 0
        while same < min(len(messages), len(self._before)) and messages[same] == self._before[same]:
            same += 1
        self._before = messages
        parts = [_shown(message) for message in messages[same:]]
        if number == 1 and tools:
            parts.append(f"--- tools ---\n{json.dumps(tools, indent=1)}")
        _write_whole(self.folder / f"question-{number}.md", "\n".join(parts))
        place = self.folder / f"answer-{number}.md"
        while not place.exists():
            time.sleep(0.2)
        self.waited += time.monotonic() - self.moments[-1]
        text = place.read_text(encoding="utf-8")
        self.characters += sum(len(_shown(message)) for message in messages) + len(json.dumps(tools)) + len(text)
        return text


def read_case(case: FreshCase, agent: str, program: Path, limit: float, keep: Path) -> dict:
    """Runs a session of an agent on a case, whose answers come from `keep`, and judges its patch by the hidden tests."""
    folder = keep / f"{case.id}-{agent}"
    folder.mkdir(parents=True)
    put_back(case)
    reader = Reader(folder)
    with serve(reader) as url, (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
        command, variables = (_patchwright if agent == PATCHWRIGHT else _mini)(case, program, url, limit, folder)
        start = time.monotonic()
        # No settings of the user's, and a place for those that an agent writes.
        settings = {**_KEYS, "XDG_CONFIG_HOME": str(folder / "settings")}
        process = subprocess.Popen(list(map(str, command)), cwd=case.project, stdin=subprocess.DEVNULL, stdout=stdout,
                                   stderr=stderr, env={**os.environ, **settings, **variables}, start_new_session=True)
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            pass
        finally:
            kill_group(process.pid)
            process.wait()
        seconds = time.monotonic() - start
    patch = _patch(case, agent, folder)
    figures = {
        "case": case.id,
        "agent": agent,
        "questions": len(reader.moments),
        "tokens": reader.characters // _CHARACTERS_OF_TOKEN,
        "seconds": round(seconds, 1),
        "first_question": round(reader.moments[0] - start, 1) if reader.moments else None,
        "waited": round(reader.waited, 1),
        **_judged(case, patch),
    }
    write_json(folder / "figures.json", figures)
    _write_whole(folder / "ended.md", f"The session has ended.\n{(folder / 'stderr').read_text(errors='replace')[-2000:]}")
    return figures


def _patchwright(case: FreshCase, program: Path, url: str, limit: float, folder: Path) -> tuple[list[object], dict]:
    command = [program, "repair", case.project, "--issue", case.folder / ISSUE, "--model", "compatible/reader",
               "--base-url", url, "--time-limit", f"{limit:g}s", "--out", folder / "session"]
    return command, {}


def _mini(case: FreshCase, program: Path, url: str, limit: float, folder: Path) -> tuple[list[object], dict]:
    """With the project's environment entered, as who calls it would."""
    settings = ["mini.yaml", "model.model_name=openai/reader", f"model.model_kwargs.api_base={url}", "agent.mode=yolo",
                "agent.cost_limit=0", "agent.step_limit=60"]
    command = [program, "-y", "--exit-immediately", "-t", case.text(ISSUE), "-o", folder / "trajectory.json"]
    options = [word for setting in settings for word in ("-c", setting)]
    return [*command, *options], {**_MINI, "PATH": f"{case.project / VENV / 'bin'}:{os.environ['PATH']}"}


def _patch(case: FreshCase, agent: str, folder: Path) -> str:
    """What became of the project; its work tree is as it was then."""
    if agent == PATCHWRIGHT:
        place = folder / "session" / "patch.diff"
        return in_folder(place.read_text(encoding="utf-8"), case.known["folder"]) if place.exists() else ""
    root = case.folder / "project"
    git(root, "add", "-A", "-N", ".")
    patch = git(root, "diff").decode(errors="replace")
    git(root, "reset", "-q")
    put_back(case)
    (folder / "patch.diff").write_text(patch, encoding="utf-8")
    return patch


def _judged(case: FreshCase, patch: str) -> dict:
    """Whether the hidden tests pass with a patch's production code, and which others of their files it breaks."""
    known = read_json(case.folder / PREPARED)
    hidden = case.text(TESTS)
    code = without_files(patch, lambda path: is_test(path) or f" b/{path}\n" in hidden)
    if not code:
        return {"resolved": False, "broken": [], "trouble": "no patch"}
    try:
        # Its paths begin at the repository.
        with patched(case, hidden):
            git(case.folder / "project", "apply", "--whitespace=nowarn", "-", data=code.encode())
            found = run_tests(case, test_files(case), row_for(case.repository).environment)
    except GitError as error:
        return {"resolved": False, "broken": [], "trouble": str(error)}
    broken = sorted(set(found.failed) - set(known["failing_anyway"]))
    passed = not found.trouble and all(found.of(test) == "passed" for test in known["failing"])
    return {"resolved": passed and not broken, "broken": broken, "trouble": found.trouble}


def in_folder(patch: str, folder: str) -> str:
    """A patch whose paths begin at a folder of the repository, with paths that begin at the repository."""
    if folder in ("", "."):
        return patch
    heads = re.sub(r"(?m)^diff --git a/(.*?) b/(.*)$", rf"diff --git a/{folder}/\1 b/{folder}/\2", patch)
    return re.sub(r"(?m)^(--- a|\+\+\+ b)/", rf"\1/{folder}/", heads)


def without_files(patch: str, left_out) -> str:
    """A patch without the files whose paths are left out."""
    parts = re.split(r"(?m)^(?=diff --git )", patch)
    path = re.compile(r"(?m)^\+\+\+ b/(.*)$")
    kept = [part for part in parts if (found := path.search(part)) and not left_out(found[1])]
    return "".join(kept)


def _shown(message: dict[str, Any]) -> str:
    calls = "".join(f"\n[call] {json.dumps(call['function'])}" for call in message.get("tool_calls") or [])
    return f"--- {message['role']} ---\n{text_of(message.get('content') or '')}{calls}"


def _write_whole(place: Path, text: str) -> None:
    """Whoever waits for a file sees all of it."""
    partial = place.with_name(f"{place.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(place)


def print_readers(figures: list[dict]) -> None:
    """The sessions as a table."""
    print("| case | agent | resolved | questions | tokens | seconds | of them waiting |")
    print("|---|---|---|---|---|---|---|")
    for one in figures:
        resolved = "yes" if one["resolved"] else f"no{': ' + one['trouble'] if one['trouble'] else ''}"
        print(f"| {one['case']} | {one['agent']} | {resolved} | {one['questions']} | {one['tokens']:,} | {one['seconds']} "
              f"| {one['waited']} |")
