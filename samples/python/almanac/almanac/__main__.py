"""The command line: python3 -m almanac FILE --from DATE --to DATE."""

from __future__ import annotations

import argparse
import sys
from typing import List, Optional, TextIO

from .agenda import Agenda
from .book import BookError, read_book
from .dates import parse_date
from .report import render


def build_parser() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser(prog="almanac", description="Show what happens when.")
    parser.add_argument("file", help="the text file with the entries")
    parser.add_argument("--from", dest="first", required=True, metavar="DATE")
    parser.add_argument("--to", dest="last", required=True, metavar="DATE")
    return parser


def main(arguments: Optional[List[str]] = None, output: Optional[TextIO] = None) -> int:
    """Run the command; the exit status is 0, or 2 for bad input."""
    options = build_parser().parse_args(arguments)
    try:
        first = parse_date(options.first)
        last = parse_date(options.last)
        with open(options.file, encoding="utf-8") as lines:
            agenda = Agenda(read_book(lines))
        text = render(agenda, first, last)
    except BookError as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        print(f"almanac: {error}", file=sys.stderr)
        return 2
    print(text, file=output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
