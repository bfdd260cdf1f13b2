#!/usr/bin/env python3
"""Makes issues of fix commits, and measures what `patchwright repair --issue` does with them. See README.md."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for shared in ("../wild", "../shared"):
    sys.path.append(str((HERE / shared).resolve()))

from fresh_cases import FreshCase, make_cases, read_cases
from git import GitError
from measure_cases import PARTS, measure_cases
from prepare_cases import prepare_cases, usable_cases
from progress import say
from fresh_table import print_goals, print_table
from readers import AGENTS, PATCHWRIGHT, print_readers, read_case
from repositories import TableError
from workplace import read_json

CHECKOUT = HERE.parents[1]
PROGRAM = CHECKOUT / "target/release/patchwright"
SINCE = "2025-06-01"


def main() -> int:
    """Runs a command; the exit code is 1 where nothing could be done or a goal is missed, 2 at wrong usage."""
    arguments = _parser().parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    try:
        return arguments.run(arguments)
    except (TableError, GitError, OSError) as error:
        say(f"fresh: {error}")
        return 2


def _make(arguments: argparse.Namespace) -> int:
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    made = make_cases(arguments.repository, work, arguments.count, arguments.since, arguments.seed)
    say(f"{made} cases in {work}")
    return 0 if made else 1


def _prepare(arguments: argparse.Namespace) -> int:
    return 0 if prepare_cases(_chosen(arguments), arguments.work.resolve(), arguments.retry) else 1


def _measure(arguments: argparse.Namespace) -> int:
    cases = usable_cases(_chosen(arguments))
    if not cases:
        say("fresh: none of these cases is prepared and usable; run `fresh.py prepare` first")
        return 2
    if not arguments.program.is_file():
        say(f"fresh: there is no {arguments.program}; build it (cargo build --release), or give --program")
        return 2
    figures = measure_cases(
        cases, arguments.program.resolve(), arguments.parts, arguments.time_limit, arguments.json, arguments.keep
    )
    print_table(figures)
    return print_goals(figures)


def _summary(arguments: argparse.Namespace) -> int:
    figures = read_json(arguments.file)["figures"]
    print_table(figures)
    return print_goals(figures)


def _read(arguments: argparse.Namespace) -> int:
    cases = usable_cases(_chosen(arguments)) if arguments.cases else []
    program = arguments.program or (PROGRAM if arguments.agent == PATCHWRIGHT else None)
    if not cases or program is None or not program.is_file():
        say("fresh: name prepared cases (--cases) and the program of the agent (--program)")
        return 2
    keep = arguments.keep.resolve()
    if taken := [case.id for case in cases if (keep / f"{case.id}-{arguments.agent}").exists()]:
        say(f"fresh: {keep} has sessions of {', '.join(taken)} already; name another folder")
        return 2
    figures = [read_case(case, arguments.agent, program.resolve(), arguments.time_limit, keep) for case in cases]
    print_readers(figures)
    return 0


def _chosen(arguments: argparse.Namespace) -> list[FreshCase]:
    """The cases that the command line names by their ids or repositories; all without names."""
    cases = read_cases(arguments.work.resolve())
    names = set(arguments.cases)
    unknown = names - {case.id for case in cases} - {case.repository for case in cases}
    if unknown:
        raise TableError(f"no such case or repository: {', '.join(sorted(unknown))}")
    return [case for case in cases if not names or case.id in names or case.repository in names]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fresh.py", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--work", type=Path, required=True, metavar="DIR", help="where everything is kept")

    make = commands.add_parser("make", parents=[common], help="make cases of the fix commits of repositories")
    make.add_argument("repository", type=Path, nargs="+", help="a git repository, bare or not")
    make.add_argument("--count", type=int, default=60, metavar="N", help="how many cases in all (%(default)s)")
    make.add_argument("--since", default=SINCE, metavar="DATE", help="only commits since then (%(default)s)")
    make.add_argument("--seed", type=int, default=1, metavar="S", help="chooses the commits (%(default)s)")
    make.set_defaults(run=_make)

    chosen = argparse.ArgumentParser(add_help=False)
    chosen.add_argument("--cases", nargs="+", default=[], metavar="ID", help="only these, by case or repository")

    prepare = commands.add_parser("prepare", parents=[common, chosen], help="make environments, check the tests")
    prepare.add_argument("--retry", action="store_true", help="try cases again that could not be used")
    prepare.set_defaults(run=_prepare)

    measure = commands.add_parser("measure", parents=[common, chosen], help="measure prepared cases")
    measure.add_argument("--program", type=Path, default=PROGRAM, metavar="PATH")
    measure.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS),
                         help="the first question, the developers' fix, a broken fix (all)")
    measure.add_argument("--time-limit", type=float, default=300.0, metavar="SECONDS",
                         help="of a session (%(default)s)")
    measure.add_argument("--json", type=Path, metavar="FILE",
                         help="write all figures into this file; what it has of the same program is not measured again")
    measure.add_argument("--keep", type=Path, metavar="DIR", help="keep what each session has written, and was asked")
    measure.set_defaults(run=_measure)

    read = commands.add_parser("read", parents=[common, chosen], help="run sessions whose answers a reader writes")
    read.add_argument("--agent", choices=AGENTS, default=PATCHWRIGHT, help="whose session (%(default)s)")
    read.add_argument("--program", type=Path, metavar="PATH", help="the agent's program (target/release/patchwright)")
    read.add_argument("--time-limit", type=float, default=2400.0, metavar="SECONDS", help="of a session (%(default)s)")
    read.add_argument("--keep", type=Path, required=True, metavar="DIR",
                      help="where questions are written and answers awaited, a folder for each session")
    read.set_defaults(run=_read)

    summary = commands.add_parser("summary", help="print the table of an earlier --json file")
    summary.add_argument("file", type=Path)
    summary.set_defaults(run=_summary)
    return parser


if __name__ == "__main__":
    sys.exit(main())
