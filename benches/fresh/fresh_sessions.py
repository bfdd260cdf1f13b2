"""One session of `patchwright repair` with scripted answers, and what it shows."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from endpoint import Script, serve
from fresh_cases import ISSUE, FreshCase
from processes import kill_group

GRACE_SECONDS = 30.0
# A model's key of the user must not be sent anywhere.
_VARIABLES = {"COMPATIBLE_API_KEY": "scripted", "XDG_CONFIG_HOME": "/nonexistent"}


@dataclass
class SessionRecord:
    """What a session did."""

    seconds: float
    first_question: float | None
    questions: list[str]
    events: list[dict]
    result: dict
    stderr: str
    killed: bool
    load: float
    patch: str = ""
    notes: list[str] = field(default_factory=list)

    def last(self, event: str) -> dict:
        """The last event of a kind, or an empty one."""
        return next((one for one in reversed(self.events) if one.get("event") == event), {})

    def moment(self, event: str) -> float | None:
        """Seconds from the trajectory's start to the first event of a kind."""
        return next((one["ms"] / 1000 for one in self.events if one.get("event") == event), None)


def run_session(program: Path, case: FreshCase, answers: list[str], limit: float, keep: Path | None) -> SessionRecord:
    """Runs a session on a case: as many cycles as there are answers."""
    script = Script(answers)
    with tempfile.TemporaryDirectory() as temporary, serve(script) as url:
        out = Path(temporary, "session")
        command = [program, "repair", case.project, "--issue", case.folder / ISSUE, "--model", "compatible/scripted",
                   "--base-url", url, "--cycles", len(answers), "--variants", 0, "--time-limit", f"{limit:g}s",
                   "--out", out]
        with Path(temporary, "stdout").open("wb") as stdout, Path(temporary, "stderr").open("wb") as stderr:
            start = time.monotonic()
            process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                                       env={**os.environ, **_VARIABLES}, start_new_session=True)
            killed = False
            try:
                process.wait(limit + GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                killed = True
            finally:
                kill_group(process.pid)
                process.wait()
        seconds = time.monotonic() - start
        record = SessionRecord(
            seconds=round(seconds, 1),
            first_question=round(script.moments[0] - start, 2) if script.moments else None,
            questions=script.questions,
            events=_events(out / "trajectory.jsonl"),
            result=_json(out / "result.json"),
            stderr=Path(temporary, "stderr").read_text(errors="replace"),
            killed=killed,
            load=round(os.getloadavg()[0], 1),
            patch=(out / "patch.diff").read_text() if (out / "patch.diff").exists() else "",
        )
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
            for name in ("trajectory.jsonl", "result.json", "patch.diff"):
                if (out / name).exists():
                    (keep / name).write_bytes((out / name).read_bytes())
            (keep / "stderr").write_text(record.stderr)
            for number, question in enumerate(script.questions, 1):
                (keep / f"question-{number}.txt").write_text(question)
    return record


def _events(path: Path) -> list[dict]:
    if not path.exists():
        return []
    found = []
    for line in path.read_text(errors="replace").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            # The last line of a session that was killed.
            break
    return found


def _json(path: Path) -> dict:
    return json.loads(path.read_text()) if path.exists() else {}
