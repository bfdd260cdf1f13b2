"""Running other programs with a time limit, and seeing what they leave behind."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class StepError(Exception):
    """A step of the preparation failed: what failed, and the cure where one is known."""

    def __init__(self, what: str, cure: str = "") -> None:
        super().__init__(f"{what}; {cure}" if cure else what)


@dataclass(frozen=True)
class Finished:
    """A program that has ended, or was ended at its time limit."""

    code: int
    output: str
    timed_out: bool

    def tail(self, lines: int = 3) -> str:
        """The last lines of the output, joined: where programs say what is wrong."""
        return " | ".join(line.strip() for line in self.output.strip().splitlines()[-lines:])


def run(
    command: Sequence[object],
    folder: Path,
    seconds: float,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Runs a program at low priority. At the limit it is killed with everything that it has started."""
    process = subprocess.Popen(
        ["nice", "-n", "5", *map(str, command)],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    timed_out = False
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill_group(process.pid)
        output, _ = process.communicate()
        timed_out = True
    finally:
        # Servers and workers that tests have started must not run on beside the next measurement, nor the program
        # itself where we are interrupted.
        kill_group(process.pid)
    return Finished(process.returncode, output.decode(errors="replace"), timed_out)


def kill_group(group: int) -> None:
    """Kills the processes of a group, if there still are any."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


@dataclass(frozen=True)
class Process:
    """A process, told apart from a later one with the same number by its start."""

    number: int
    started: str

    @property
    def alive(self) -> bool:
        """Whether it still runs; a zombie does not."""
        fields = _stat(self.number)
        return fields is not None and fields[0] not in "ZX" and fields[19] == self.started

    @property
    def command(self) -> str:
        """Its command line, as far as that can still be read."""
        try:
            return Path(f"/proc/{self.number}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return ""

    def kill(self) -> None:
        """Ends it, if it still runs."""
        try:
            os.kill(self.number, signal.SIGKILL)
        except ProcessLookupError:
            pass


def descendants(root: int) -> set[Process]:
    """All processes below `root` at this moment."""
    children: dict[int, list[Process]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (fields := _stat(int(entry))) is not None:
            children.setdefault(int(fields[1]), []).append(Process(int(entry), fields[19]))
    found: set[Process] = set()
    open_numbers = [root]
    while open_numbers:
        for process in children.get(open_numbers.pop(), []):
            if process not in found:
                found.add(process)
                open_numbers.append(process.number)
    return found


def _stat(number: int) -> list[str] | None:
    """The fields of /proc/N/stat after the name: state, parent, …; the name may hold spaces and parentheses."""
    try:
        text = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()
