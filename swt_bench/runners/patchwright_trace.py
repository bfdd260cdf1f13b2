"""Counts how often lines of some files are executed while a command in Python runs.

usage: trace.py --count -C FILE --include-pattern REGEX [-m MODULE | SCRIPT] ARGUMENTS...

At its end each process appends a line of JSON to FILE for each file whose path matches and of which a line was executed:
{"/path": {"<line>": <hits>}}. Lines that could have been executed and were not are there with 0. Processes in Python that the command
starts are traced in the same way: they find this file as `sitecustomize` on PYTHONPATH, and what to do in PATCHWRIGHT_TRACE.

Runs with Python 3.5 and later, and with nothing but its library.
"""

import atexit
import json
import os
import re
import sys
import threading
import types

VARIABLE = "PATCHWRIGHT_TRACE"
counts = {}
wanted = {}


def is_wanted(path, pattern):
    known = wanted.get(path)
    if known is None:
        known = wanted[path] = pattern.match(os.path.abspath(path)) is not None
    return known


def tracer(pattern):
    def local(frame, event, _argument):
        if event == "line":
            lines = counts[frame.f_code.co_filename]
            lines[frame.f_lineno] = lines.get(frame.f_lineno, 0) + 1
        return local

    def begin(frame, event, _argument):
        path = frame.f_code.co_filename
        if event != "call" or not is_wanted(path, pattern):
            return None
        counts.setdefault(path, {})
        return local

    return begin


def lines_of(code, docstrings):
    """The lines at which an instruction of a code object, or of one inside of it, begins."""
    import dis

    found = set(line for _, line in dis.findlinestarts(code) if line is not None and line not in docstrings)
    for inside in code.co_consts:
        if isinstance(inside, types.CodeType):
            found |= lines_of(inside, docstrings)
    return found


def executable(path):
    """The lines of a file that can be executed; none where it cannot be read."""
    import ast
    import tokenize

    try:
        with tokenize.open(path) as file:
            text = file.read()
        tree = ast.parse(text)
        code = compile(text, path, "exec")
    except (OSError, SyntaxError, ValueError, UnicodeDecodeError):
        return set()
    docstrings = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(getattr(value, "s", getattr(value, "value", None)), str):
                docstrings.update(range(body[0].lineno, getattr(body[0], "end_lineno", body[0].lineno) + 1))
    return lines_of(code, docstrings)


def write(target):
    sys.settrace(None)
    lines = []
    for path, hits in sorted(counts.items()):
        if hits:
            told = sorted(executable(path) or hits)
            lines.append(json.dumps({os.path.abspath(path): {str(line): hits.get(line, 0) for line in told}}))
    counts.clear()
    if not lines:
        return
    import fcntl

    with open(target, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("".join(line + "\n" for line in lines))


def start(target, pattern):
    atexit.register(write, target)
    # A process that is forked, and ends as the others do, tells its own part only.
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=counts_anew)
    begin = tracer(re.compile(pattern))
    threading.settrace(begin)
    sys.settrace(begin)


def counts_anew():
    for lines in counts.values():
        lines.clear()


def spread(target, pattern):
    """Lets processes in Python that this one starts find this file."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "patchwright_trace_children")
    os.makedirs(folder, exist_ok=True)
    own = os.path.join(folder, "sitecustomize.py")
    if not os.path.exists(own):
        with open(os.path.abspath(__file__)) as file:
            text = file.read()
        with open(own, "w") as file:
            file.write(text)
    os.environ[VARIABLE] = json.dumps([target, pattern])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))


def run(words):
    """Runs the command as Python would have."""
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    if words[0] == "-m":
        import runpy

        sys.argv = words[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return
    sys.argv = words
    sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
    with open(words[0], "rb") as file:
        code = compile(file.read(), words[0], "exec")
    main.__file__ = words[0]
    exec(code, main.__dict__)


def main():
    words = sys.argv[1:]
    target = pattern = None
    while words and words[0] in ("--count", "-C", "--include-pattern"):
        option = words.pop(0)
        if option == "-C":
            target = os.path.abspath(words.pop(0))
        elif option == "--include-pattern":
            pattern = words.pop(0)
    if not words or target is None or pattern is None:
        sys.exit(__doc__)
    spread(target, pattern)
    start(target, pattern)
    run(words)


if __name__ == "__main__":
    main()
elif __name__ == "sitecustomize" and os.environ.get(VARIABLE):
    start(*json.loads(os.environ[VARIABLE]))
