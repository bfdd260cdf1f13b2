"""Tells which lines of the project each test executes, in the file named by PATCHWRIGHT_COVERAGE.

One JSON object a line: {"tool": NAME}, then {"test": ID, "lines": {PATH: "3-5,9"}}; of a test that takes long, what it
has executed so far, and the rest later. Lines executed while no test runs count for none. Where the variable
PATCHWRIGHT_COVERAGE_OWN is set, coverage.py is left alone: it tells nothing of a test that never ends.
"""

import json
import os
import sys
import time

try:
    import _thread
except ImportError:
    import thread as _thread

# Seconds after which a test that is still running tells what it executed.
SLOW = 0.5


class Project(object):
    """Which files are the project's own, by the names that code objects have for them."""

    def __init__(self, root):
        self.root = root
        self.roots = [os.path.join(folder, "") for folder in {root, os.path.realpath(root)}]
        self.start = os.getcwd()
        self.known = {}

    def path(self, name):
        """The path relative to the root, or None."""
        try:
            return self.known[name]
        except KeyError:
            path = self.known[name] = self.find(name)
            return path

    def find(self, name):
        if name.startswith("<"):
            return None
        full = os.path.normpath(os.path.join(self.start, name))
        for root in self.roots:
            if full.startswith(root) and "site-packages" not in full:
                return full[len(root):]
        return None


class Monitoring(object):
    """sys.monitoring: each line tells once in a test and then costs nothing."""

    name = "sys.monitoring"

    def __init__(self, project, lines):
        self.project = project
        self.lines = lines
        self.codes = {}
        self.id = next(number for number in (1, 4, 3, 0, 2, 5) if sys.monitoring.get_tool(number) is None)

    def start(self):
        events = sys.monitoring.events
        sys.monitoring.use_tool_id(self.id, "patchwright")
        sys.monitoring.register_callback(self.id, events.PY_START, self.enter)
        sys.monitoring.register_callback(self.id, events.LINE, self.line)
        sys.monitoring.set_events(self.id, events.PY_START)

    def enter(self, code, offset):
        path = self.project.path(code.co_filename)
        if path is not None and code not in self.codes:
            self.codes[code] = path
            sys.monitoring.set_local_events(self.id, code, sys.monitoring.events.LINE)
        return sys.monitoring.DISABLE

    def line(self, code, number):
        self.lines.add((self.project.path(code.co_filename), number))
        return sys.monitoring.DISABLE

    def begin(self, name, first):
        sys.monitoring.restart_events()

    def pause(self):
        sys.monitoring.restart_events()

    def drain(self, last=False):
        return []


class Tracing(object):
    """sys.settrace, for code of the project alone. A function whose every line a test has executed costs no more in it."""

    name = "sys.settrace"

    def __init__(self, project, lines):
        self.project = project
        self.lines = lines
        # By the identity of code: comparing code compares all that is in it. What is kept here stays alive.
        self.codes = {}
        self.tests = 0

    def start(self):
        import threading
        threading.settrace(self.enter)
        sys.settrace(self.enter)

    def enter(self, frame, event, argument):
        code = frame.f_code
        known = self.codes.get(id(code))
        if known is None:
            path = self.project.path(code.co_filename)
            known = self.codes[id(code)] = (None, code) if path is None else (Lines(self, code, path), code)
        tracer = known[0] and known[0].tracer()
        if tracer is not None:
            # A generator that goes on in another test has lines to tell again.
            frame.f_trace_lines = True
        return tracer

    def begin(self, name, first):
        self.tests += 1
        # A test may have taken the trace away.
        if sys.gettrace() is None:
            sys.settrace(self.enter)

    def pause(self):
        self.tests += 1

    def drain(self, last=False):
        return []


class Lines(object):
    """The lines of a function, and which of them the test at hand has not executed yet."""

    def __init__(self, tracing, code, path):
        self.tracing = tracing
        self.test = None
        self.all = body_lines(code)
        self.left = set()
        add = tracing.lines.add

        def trace(frame, event, argument):
            if event == "line":
                number = frame.f_lineno
                add((path, number))
                self.left.discard(number)
                if not self.left:
                    frame.f_trace_lines = False
            return trace

        self.trace = trace

    def tracer(self):
        """What follows the lines of a call; None where there is nothing new to see."""
        if self.test != self.tracing.tests:
            self.test = self.tracing.tests
            # Where it is not known which lines there are, one is always left.
            self.left = set(self.all) if self.all else {0}
        return self.trace if self.left else None


def body_lines(code):
    """The lines of a function that tell when they are executed; None where Python does not say."""
    try:
        lines = {line for _, _, line in code.co_lines() if line}
    except AttributeError:
        return None
    # That of the declaration tells nothing by itself, unless it is all there is.
    return lines - {code.co_firstlineno} or lines


class CoveragePy(object):
    """coverage.py with a context for each test, and for what runs between two. It is fetched now and then."""

    QUIET = ["already-imported", "couldnt-parse", "include-ignored", "module-not-imported", "module-not-measured",
             "no-ctracer", "no-data-collected", "no-sysmon", "trace-changed"]
    BETWEEN = "<between>"

    def __init__(self, project, lines):
        import coverage
        self.name = "coverage.py " + coverage.__version__
        self.project = project
        own = os.path.join(project.root, "*")
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=[own])
        self.coverage.set_option("run:disable_warnings", self.QUIET)
        self.fetched = time.time()
        self.gaps = 0
        self.shared = {}
        self.gap_of = {}

    def start(self):
        self.coverage.start()
        self.pause()

    def begin(self, name, first):
        if first:
            self.shared = {self.BETWEEN + str(self.gaps): set()}
        self.gap_of[name] = next(iter(self.shared), None)
        self.coverage.switch_context(name)

    def pause(self):
        self.gaps += 1
        self.coverage.switch_context(self.BETWEEN + str(self.gaps))

    def drain(self, last=False):
        """What each test executed, when it is time: fetching costs more than most tests."""
        if not last and time.time() - self.fetched < SLOW:
            return []
        self.coverage.stop()
        data = self.coverage.get_data()
        tests = {}
        for file in data.measured_files():
            path = self.project.path(file)
            for number, names in data.contexts_by_lineno(file).items():
                for name in names:
                    tests.setdefault(name, set()).add((path, number))
        for gap, lines in self.shared.items():
            lines.update(tests.get(gap, ()))
        found = []
        for name in sorted(self.gap_of):
            gap = self.gap_of[name]
            found.append((name, tests.get(name, set()) | self.shared.get(gap, tests.get(gap, set()))))
        self.gap_of = {}
        self.coverage.erase()
        if not last:
            self.coverage.start()
        self.fetched = time.time()
        return found


def ranges(numbers):
    """`3-5,9` for 3, 4, 5 and 9."""
    parts = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join("%d" % first if first == last else "%d-%d" % (first, last) for first, last in parts)


class Recorder(object):
    """Writes what each test executes. Used by whatever runs the tests: begin, end, and at last stop."""

    def __init__(self, path):
        self.sink = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self.process = os.getpid()
        self.lines = set()
        self.test = None
        self.began = 0.0
        self.written = 0
        # What ran before the first test of a group counts for all of its tests: the set-up of a class or module.
        self.group = None
        self.shared = []
        # The tests may be run in a folder of the project.
        self.tool = self.choose(Project(os.path.join(os.path.dirname(os.environ["PATCHWRIGHT_OUT"]), "project")))
        self.write(tool=self.tool.name)
        self.tool.start()
        self.watch()

    def choose(self, project):
        if hasattr(sys, "monitoring"):
            try:
                return Monitoring(project, self.lines)
            except StopIteration:
                pass
        if not os.environ.get("PATCHWRIGHT_COVERAGE_OWN"):
            try:
                return CoveragePy(project, self.lines)
            except Exception:
                pass
        return Tracing(project, self.lines)

    def write(self, **event):
        # At once and in one piece: other processes write to the same file.
        os.write(self.sink, (json.dumps(event, sort_keys=True, separators=(",", ":")) + "\n").encode("utf-8"))

    def tell(self, test, lines):
        files = {}
        for path, number in lines:
            files.setdefault(path, []).append(number)
        self.write(test=test, lines={path: ranges(numbers) for path, numbers in files.items()})

    def begin(self, test, group=None):
        first = group is not None and group != self.group
        if first:
            self.shared = list(self.lines)
            self.group = group
        self.lines.clear()
        self.lines.update(self.shared)
        self.written = 0
        self.began = time.time()
        self.test = test
        self.tool.begin(test, first)

    def end(self):
        test, self.test = self.test, None
        if test is None or os.getpid() != self.process:
            return
        for name, lines in self.tool.drain():
            self.tell(name, lines)
        if self.lines:
            self.tell(test, list(self.lines))
        self.lines.clear()
        self.tool.pause()

    def stop(self):
        self.end()
        for name, lines in self.tool.drain(last=True):
            self.tell(name, lines)

    def tell_so_far(self):
        """What a test has executed that does not end, or ends the program."""
        test, count = self.test, len(self.lines)
        if test is not None and count > self.written and os.getpid() == self.process:
            self.written = count
            # A copy made by list() is whole while other threads go on adding.
            self.tell(test, list(self.lines))

    def watch(self):
        """Looks after slow tests from a thread that threading does not know of, and before the program is ended."""
        def look():
            while True:
                time.sleep(SLOW)
                if time.time() - self.began > SLOW:
                    self.tell_so_far()

        _thread.start_new_thread(look, ())
        leave = os._exit

        def exit(status):
            if os.getpid() == self.process:
                self.tell_so_far()
                for name, lines in self.tool.drain(last=True):
                    self.tell(name, lines)
            leave(status)

        os._exit = exit


class PytestHooks(object):
    """What pytest calls around each test with its set-up and tear-down.

    Recording begins when all tests are collected: what imports execute counts for no test, and to follow it can take longer
    than the tests. Names of tests begin with the folder that pytest runs in, from the project on.
    """

    def __init__(self, path, inside):
        self.path = path
        self.inside = inside
        self.recorder = None

    def pytest_collection_finish(self, session):
        if self.recorder is None:
            self.recorder = Recorder(self.path)

    def pytest_runtest_logstart(self, nodeid, location):
        if self.recorder is not None:
            self.recorder.begin(self.inside + nodeid)

    def pytest_runtest_logfinish(self, nodeid, location):
        if self.recorder is not None:
            self.recorder.end()

    def pytest_sessionfinish(self, session, exitstatus):
        if self.recorder is not None:
            self.recorder.stop()
