"""The command line: python3 -m billfold FILE [--instalments N]."""

from __future__ import annotations

import argparse
import sys
from typing import List, Optional, TextIO

from .errors import BillfoldError
from .reader import read_invoice
from .render import render_instalments, render_invoice


def build_parser() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser(prog="billfold", description="Print an invoice.")
    parser.add_argument("file", help="the invoice file")
    parser.add_argument("--instalments", type=int, default=1, metavar="N")
    return parser


def main(arguments: Optional[List[str]] = None, output: Optional[TextIO] = None) -> int:
    """Run the command; the exit status is 0, or 2 for bad input."""
    options = build_parser().parse_args(arguments)
    try:
        with open(options.file, encoding="utf-8") as lines:
            invoice = read_invoice(lines)
    except (OSError, BillfoldError) as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 2
    print(render_invoice(invoice), file=output)
    if options.instalments > 1:
        print(file=output)
        print(render_instalments(invoice, options.instalments), file=output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
