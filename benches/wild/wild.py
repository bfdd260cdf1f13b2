#!/usr/bin/env python3
"""Measures how `patchwright repair DIR` behaves on real projects that nobody of us wrote. See README.md."""

from __future__ import annotations

import argparse
import hashlib
import signal
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "shared"))

from cases import make_case
from measurement import measure_cases
from prepare import Unusable, prepared
from progress import Progress, say
from summary import print_summary, print_table
from table import Project, TableError, choose, clones, read_table
from workplace import Workplace, default_work, read_json, write_json

CHECKOUT = HERE.parents[1]


def main() -> int:
    """Runs a command; the exit code is 1 where a goal is missed or nothing could be done."""
    arguments = _parser().parse_args()
    # Whatever ends us ends what we have started; a shell's job in the background ignores SIGINT otherwise.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    try:
        if arguments.command == "summary":
            return _summary(arguments)
        projects = clones(arguments.clone) if arguments.clone else read_table(arguments.projects)
        projects = choose(projects, arguments.project, arguments.mark)
    except (TableError, OSError) as error:
        say(f"wild: {error}")
        return 2
    place = Workplace(arguments.work.resolve())
    if arguments.command == "prepare":
        return _prepare(projects, place, arguments)
    return _measure(projects, place, arguments)


def _prepare(projects: list[Project], place: Workplace, arguments: argparse.Namespace) -> int:
    """Prepares projects and their cases; what fails is told at the end once more."""
    progress = Progress(len(projects))
    refused: list[str] = []
    for project in projects:
        try:
            known = prepared(project, place, arguments.retry)
            outcome = f"{known.tests} tests in {known.suite_seconds} s, longest module {known.longest_lines} lines"
            for index in range(arguments.cases_per_project):
                case, _ = make_case(project, known, place, arguments.seed, index)
                outcome += f"; {', '.join(case.operators)} in {case.path}, {len(case.failing)} failing"
        except (Unusable, OSError) as error:
            outcome = f"left out: {error}"
            refused.append(f"{project.key}: {error}")
        progress.step(project.key, outcome)
    say(f"{len(projects) - len(refused)} of {len(projects)} projects are ready in {place.root}")
    for line in refused:
        say(f"left out: {line}")
    return 0 if len(refused) < len(projects) else 1


def _measure(projects: list[Project], place: Workplace, arguments: argparse.Namespace) -> int:
    files = place.case_files(projects)
    if not files:
        say(f"wild: no case is prepared in {place.root}; run `wild.py prepare` first")
        return 2
    if not arguments.patchwright.is_file():
        say(f"wild: there is no {arguments.patchwright}; build it (cargo build --release), or give --patchwright")
        return 2
    options = {"until": arguments.until, "limit": arguments.time_limit, "seed": arguments.seed}
    header = {**options, "patchwright": hashlib.sha256(arguments.patchwright.read_bytes()).hexdigest()}
    sessions = _measured_before(arguments.json, header)
    done = {session["case"] for session in sessions}
    files = [file for file in files if file.parent.name not in done]
    for session in measure_cases(files, place, arguments.patchwright.resolve(), arguments.keep, **options):
        sessions.append(session)
        if arguments.json:
            # After each session, so that an interrupted measurement can go on.
            write_json(arguments.json, {**header, "sessions": sessions})
    print_table(sessions, arguments.format)
    return print_summary(sessions)


def _measured_before(file: Path | None, header: dict) -> list[dict]:
    """The figures in a file of the same program and options, to which new ones are added."""
    if file is None or not file.exists():
        return []
    former = read_json(file)
    return former["sessions"] if {**former, **header} == former else []


def _summary(arguments: argparse.Namespace) -> int:
    sessions = read_json(arguments.file)["sessions"]
    print_table(sessions, arguments.format)
    return print_summary(sessions)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="wild.py", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--work", type=Path, default=default_work(), help="where everything is kept (%(default)s)")
    common.add_argument("--projects", type=Path, default=HERE / "projects.toml", help="the table of projects")
    common.add_argument("--clone", type=Path, action="append", default=[], help="a clone in place of the table; again")
    common.add_argument("--project", action="append", default=[], help="only this project; may be given again")
    common.add_argument("--mark", action="append", default=[], help="only projects with this mark; may be given again")
    common.add_argument("--seed", type=int, default=1, help="chooses the mutants, and the moments of interruption")
    shown = argparse.ArgumentParser(add_help=False)
    shown.add_argument("--format", choices=("markdown", "tsv"), default="markdown", help="how the table is printed")

    prepare = commands.add_parser("prepare", parents=[common], help="download projects, make cases; done once")
    prepare.add_argument("--cases-per-project", type=int, default=1)
    prepare.add_argument("--retry", action="store_true", help="try projects again that could not be used")

    measure = commands.add_parser("measure", parents=[common, shown], help="measure all prepared cases")
    measure.add_argument("--patchwright", type=Path, default=CHECKOUT / "target/release/patchwright")
    measure.add_argument("--until", choices=("first", "interrupt", "end"), default="first",
                         help="interrupt at the first verdict, at a random moment, or not at all")
    measure.add_argument("--time-limit", type=float, default=60.0, metavar="SECONDS")
    measure.add_argument("--json", type=Path,
                         help="write all raw figures into this file; what is there of the same program and options is "
                              "not measured again")
    measure.add_argument("--keep", type=Path, help="keep what each session has written, in this folder")

    summary = commands.add_parser("summary", parents=[shown], help="print the table of an earlier --json file")
    summary.add_argument("file", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main())
