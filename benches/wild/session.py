"""One measured session: `patchwright repair DIR`, seen as its user sees it, by the clock on the wall."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from processes import Process, descendants, kill_group

# How exactly moments are told.
TICK_SECONDS = 0.01
# A session that passes its limit by so much is interrupted, and one that does not end so long after its interruption is
# killed.
GRACE_SECONDS = 5.0


@dataclass
class Session:
    """The figures of a session. Moments are seconds since the process was started; None where there is none."""

    case: str = ""
    project: str = ""
    language: str = ""
    suite_seconds: float = 0.0
    longest_lines: int = 0
    detected: bool = False
    exit_code: int | None = None
    first_line: float | None = None
    baseline: float | None = None
    baseline_failing: int | None = None
    localized: float | None = None
    first_fix: float | None = None
    first_candidate: float | None = None
    first_verdict: float | None = None
    interrupted: float | None = None
    ended: float = 0.0
    overrun: float | None = None
    killed: bool = False
    status: str = ""
    candidates: int = 0
    plausible_candidate: int | None = None
    equals_golden: bool | None = None
    left_processes: list[str] = field(default_factory=list)
    left_folders: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def candidate_after_baseline(self) -> float | None:
        """Seconds from the baseline to the first candidate."""
        return _difference(self.first_candidate, self.baseline)

    def as_row(self) -> dict:
        """All figures, with the times that are looked at."""
        return {
            **asdict(self),
            "localized_after_baseline": _difference(self.localized, self.baseline),
            "fix_after_localization": _difference(self.first_fix, self.localized),
            "candidate_after_baseline": self.candidate_after_baseline,
            "verdict_after_baseline": _difference(self.first_verdict, self.baseline),
            "end_after_interrupt": _difference(self.ended, self.interrupted),
        }


def _difference(later: float | None, earlier: float | None) -> float | None:
    return None if later is None or earlier is None else round(later - earlier, 3)


class Talk(threading.Thread):
    """Reads stderr with a time stamp for each line."""

    def __init__(self, stream: Any, start: float) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._start = start
        self.lines: list[tuple[float, str]] = []

    def run(self) -> None:
        for line in self._stream:
            if text := line.decode(errors="replace").rstrip():
                self.lines.append((time.monotonic() - self._start, text))


class Trajectory:
    """Follows a trajectory while it grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self._rest = b""

    def new_events(self) -> list[dict]:
        """The records since the last look; a line that is still being written waits for its end."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read)
                grown = file.read()
        except FileNotFoundError:
            return []
        self._read += len(grown)
        *lines, self._rest = (self._rest + grown).split(b"\n")
        return [json.loads(line) for line in lines if line]


class Watch:
    """Takes the events of a session for figures."""

    def __init__(self, figures: Session) -> None:
        self.figures = figures
        # Seconds from the start of the process to the beginning of the trajectory's clock.
        self._before: float | None = None

    def take(self, event: dict, now: float) -> None:
        """Notes an event that was seen `now`. Its own clock is more exact, as soon as it is known when that began."""
        if self._before is None:
            self._before = max(0.0, now - event["ms"] / 1000)
        moment = round(self._before + event["ms"] / 1000, 3)
        figures = self.figures
        match event["event"]:
            case "detected":
                figures.detected = True
            case "baseline" if figures.baseline is None:
                figures.baseline = moment
                figures.baseline_failing = len(event["failing"])
            case "observation" if event["tool"] == "run_fault_localization":
                figures.localized = figures.localized or moment
            case "call" if event["tool"] == "write_fix":
                figures.first_fix = figures.first_fix or moment
            case "candidate":
                figures.candidates += 1
                figures.first_candidate = figures.first_candidate or moment
            case "verdict":
                figures.first_verdict = figures.first_verdict or moment
                if event["verdict"] == "plausible" and figures.plausible_candidate is None:
                    figures.plausible_candidate = event["candidate"]
            case "session_ended":
                figures.status = event["status"]
                if event["status"] not in ("plausible", "cancelled"):
                    figures.notes.append(event["reason"])


def measure(
    patchwright: Path,
    root: Path,
    folder: Path,
    limit: float,
    stop: Callable[[Session, float], bool],
    figures: Session,
) -> None:
    """Runs a session on the project in `root`, writes below `folder`, and interrupts it as soon as `stop` says so."""
    out, temporary = folder / "session", folder / "tmp"
    temporary.mkdir()
    command = [patchwright, "repair", root, "--out", out, "--time-limit", f"{limit:g}s"]
    with (folder / "stdout").open("wb") as stdout:
        start = time.monotonic()
        process = subprocess.Popen(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            # A temporary folder of its own shows what a session leaves there.
            env={**os.environ, "TMPDIR": str(temporary)},
            start_new_session=True,
        )
    talk = Talk(process.stderr, start)
    talk.start()
    try:
        helpers = _follow(process, start, Trajectory(out / "trajectory.jsonl"), limit, stop, figures)
    finally:
        # What runs on if the measurement itself is interrupted; a session that has ended is not there any more.
        if process.poll() is None:
            process.kill()
    if figures.interrupted is None or figures.interrupted > limit:
        figures.overrun = round(max(0.0, figures.ended - limit), 3)
    _look_behind(helpers, temporary, figures)
    kill_group(process.pid)
    talk.join(GRACE_SECONDS)
    figures.exit_code = process.returncode
    figures.first_line = round(talk.lines[0][0], 3) if talk.lines else None
    (folder / "stderr").write_text("".join(f"{moment:8.3f} {line}\n" for moment, line in talk.lines))
    last = " / ".join(text for _, text in talk.lines[-3:])
    if not figures.detected:
        figures.notes.append(f"not detected: {last}")
    elif figures.killed:
        figures.notes.append(f"hung, last said: {last}")


def _follow(
    process: subprocess.Popen,
    start: float,
    trajectory: Trajectory,
    limit: float,
    stop: Callable[[Session, float], bool],
    figures: Session,
) -> set[Process]:
    """Until the end of the process. Gives the processes that it had shortly before."""
    watch = Watch(figures)
    helpers: set[Process] = set()
    looked = 0.0
    while process.poll() is None:
        now = time.monotonic() - start
        for event in trajectory.new_events():
            watch.take(event, now)
        if figures.interrupted is None and (stop(figures, now) or now > limit + GRACE_SECONDS):
            helpers |= descendants(process.pid)
            process.send_signal(signal.SIGINT)
            figures.interrupted = round(time.monotonic() - start, 3)
        if figures.interrupted is not None and now > figures.interrupted + GRACE_SECONDS:
            figures.killed = True
            process.kill()
            process.wait()
        # Looking at all processes costs time that the session should have.
        if now - looked > 1.0:
            helpers = {helper for helper in helpers if helper.alive} | descendants(process.pid)
            looked = now
        time.sleep(TICK_SECONDS)
    figures.ended = round(time.monotonic() - start, 3)
    for event in trajectory.new_events():
        watch.take(event, figures.ended)
    return helpers


def _look_behind(helpers: set[Process], temporary: Path, figures: Session) -> None:
    """What is still there after the process has ended."""
    for helper in helpers:
        if helper.alive:
            figures.left_processes.append(f"{helper.number} {helper.command[:80]}")
            helper.kill()
    figures.left_folders = sorted(path.name for path in temporary.iterdir())


def changed_lines(diff: str) -> Counter[str]:
    """The lines that a unified diff adds and removes."""
    return Counter(
        line.rstrip()
        for line in diff.splitlines()
        if line.startswith(("+", "-")) and not line.startswith(("+++ ", "--- "))
    )
