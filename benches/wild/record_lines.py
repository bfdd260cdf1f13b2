"""Runs inside of a project's environment: writes which lines the tests execute, from the data of coverage.py.

Usage: python record_lines.py DATA_FILE ROOT OUT_FILE
"""

import json
import os
import sys

from coverage import CoverageData

# A line that a hundred tests execute is known well enough by some of them.
TESTS_OF_A_LINE = 12


def main(data_file: str, root: str, out_file: str) -> None:
    """Writes {path: {line: [test functions]}} with paths relative to the project."""
    data = CoverageData(data_file)
    data.read()
    found = {}
    for path in sorted(data.measured_files()):
        contexts = data.contexts_by_lineno(path)
        found[os.path.relpath(path, root)] = {
            line: sorted({name.rpartition(".")[2] for name in names if name})[:TESTS_OF_A_LINE]
            for line, names in contexts.items()
            if line > 0
        }
    with open(out_file, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
