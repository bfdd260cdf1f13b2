"""Measuring prepared cases, one after the other, each in a fresh copy of its project."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from cases import Case, lay_out, read_case
from progress import Progress
from session import Session, changed_lines, measure
from suite import generator
from workplace import GOLDEN_PATCH, Workplace

EARLIEST_INTERRUPTION = 0.2
# What a session has written, for looking at it afterwards.
KEPT = ("session", "stderr", "stdout")


def measure_cases(
    files: list[Path], place: Workplace, patchwright: Path, keep: Path | None, until: str, limit: float, seed: int
) -> Iterator[dict]:
    """The figures of a session for each case, as rows. What goes wrong with one is told and does not end the others."""
    progress = Progress(len(files))
    place.runs.mkdir(parents=True, exist_ok=True)
    for file in files:
        case = read_case(file)
        figures = Session(case.id, case.project, case.language, case.suite_seconds, case.longest_lines)
        try:
            with tempfile.TemporaryDirectory(prefix="run-", dir=place.runs, ignore_cleanup_errors=True) as temporary:
                folder = Path(temporary)
                root = folder / case.name
                lay_out(case, file, place.root / "projects" / case.project / case.name, root)
                measure(patchwright, root, folder, limit, _stop(until, case, limit, seed), figures)
                _compare(case, file, folder, until, figures)
                if keep is not None:
                    _keep(folder, keep / case.id)
        except OSError as error:
            figures.notes.append(f"could not be measured: {error}")
        progress.step(case.id, _outcome(figures))
        yield figures.as_row()


def _stop(until: str, case: Case, limit: float, seed: int) -> Callable[[Session, float], bool]:
    """When a session is to be interrupted."""
    if until == "first":
        return lambda figures, now: figures.first_verdict is not None
    if until == "interrupt":
        moment = generator(seed, case.id, "interrupt").uniform(EARLIEST_INTERRUPTION, limit)
        return lambda figures, now: now >= moment
    return lambda figures, now: False


def _compare(case: Case, file: Path, folder: Path, until: str, figures: Session) -> None:
    """Compares the baseline and the patch with the ground truth."""
    if figures.baseline_failing is not None and figures.baseline_failing != len(case.failing):
        figures.notes.append(f"{figures.baseline_failing} failing tests found, {len(case.failing)} expected")
    patch = folder / "session" / "patch.diff"
    if until == "end":
        found = changed_lines(patch.read_text(errors="replace")) if patch.exists() else None
        golden = changed_lines((file.parent / GOLDEN_PATCH).read_text(errors="replace"))
        figures.equals_golden = found == golden


def _keep(folder: Path, destination: Path) -> None:
    shutil.rmtree(destination, ignore_errors=True)
    destination.mkdir(parents=True)
    for name in KEPT:
        if (folder / name).exists():
            shutil.move(folder / name, destination / name)


def _outcome(figures: Session) -> str:
    parts = [f"ended after {figures.ended:.1f} s"]
    if figures.candidate_after_baseline is not None:
        after = figures.candidate_after_baseline
        parts.insert(0, f"baseline {figures.baseline:.1f} s, first candidate {after:.1f} s later")
    elif figures.baseline is not None:
        parts.insert(0, f"baseline {figures.baseline:.1f} s, no candidate")
    return "; ".join(parts + figures.notes)
