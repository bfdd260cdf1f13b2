"""Stands in for `coverage` where an image has none: the same commands, counted by the tracer that lies beside it.

usage: patchwright_coverage.py run [--branch] [-m MODULE | SCRIPT] ARGUMENTS...
       patchwright_coverage.py report [-m | --show-missing]

Files whose path matches the pattern in PATCHWRIGHT_COVERED are counted. The table has the columns of coverage.py: statements and not lines,
a statement of several lines being its first one. Branches are not followed: their columns are there after `run --branch`, and are zero.

Runs with Python 3.5 and later, and with nothing but its library.
"""

import ast
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "patchwright_coverage.lines")
EXCLUDED = re.compile(r"#\s*(pragma|PRAGMA)[:\s]?\s*(no|NO)\s*(cover|COVER)")


def run(words):
    branch = "--branch" in words[:1]
    with open(DATA, "w") as file:
        file.write(json.dumps(branch) + "\n")
    trace = [os.path.join(HERE, "trace.py"), "--count", "-C", DATA]
    pattern = ["--include-pattern", os.environ["PATCHWRIGHT_COVERED"]]
    os.execv(sys.executable, [sys.executable] + trace + pattern + words[int(branch) :])


def read():
    """Whether branches were asked for, and the hits of lines by file."""
    if not os.path.exists(DATA):
        return None, {}
    with open(DATA) as file:
        branch, lines = json.loads(file.readline()), file.readlines()
    hits = {}
    for line in lines:
        for path, counts in json.loads(line).items():
            known = hits.setdefault(path, {})
            for number, count in counts.items():
                if int(number) > 0:
                    known[int(number)] = known.get(int(number), 0) + count
    return branch, hits


def first_lines(text):
    """For each line that belongs to a statement of several lines, the first of them; and lines that are left out."""
    firsts, excluded, rows = {}, set(), text.split("\n")
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    for node in nodes:
        body = getattr(node, "body", None)
        end = getattr(node, "end_lineno", node.lineno)
        if any(EXCLUDED.search(row) for row in rows[node.lineno - 1 : node.lineno]):
            excluded.update(range(node.lineno, end + 1))
        head_ends = max(body[0].lineno - 1, node.lineno) if body else end
        for number in range(node.lineno, head_ends + 1):
            firsts[number] = node.lineno
    return firsts, excluded


def ranges(missing, statements):
    """The missing statements, those that follow each other as a range."""
    found = []
    for number in statements:
        if number not in missing:
            start = None
            continue
        if not found or start is None:
            start = number
            found.append([number, number])
        found[-1][1] = number
    return ", ".join(str(first) if first == last else "%d-%d" % (first, last) for first, last in found)


def row_of(path, hits, branch):
    import tokenize

    with tokenize.open(path) as file:
        firsts, excluded = first_lines(file.read())
    executed = {}
    for number, count in hits.items():
        if number not in excluded:
            first = firsts.get(number, number)
            executed[first] = executed.get(first, 0) + count
    statements = sorted(executed)
    missing = set(number for number in statements if not executed[number])
    name = os.path.relpath(path)
    share = 100 - (100 * len(missing) // len(statements) if statements else 0)
    numbers = [len(statements), len(missing)] + ([0, 0] if branch else [])
    return [name] + [str(number) for number in numbers] + ["%d%%" % share, ranges(missing, statements)]


def report():
    branch, hits = read()
    if not hits:
        sys.exit("No data to report.")
    head = ["Name", "Stmts", "Miss"] + (["Branch", "BrPart"] if branch else []) + ["Cover", "Missing"]
    rows = [row_of(path, lines, branch) for path, lines in sorted(hits.items()) if os.path.exists(path)]
    width = max(len(row[0]) for row in rows + [head]) + 2
    for row in [head] + rows:
        print(row[0].ljust(width) + "".join(cell.rjust(8) for cell in row[1:-1]) + "   " + row[-1])


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(sys.argv[2:])
    elif sys.argv[1:2] == ["report"]:
        report()
    else:
        sys.exit(__doc__)
