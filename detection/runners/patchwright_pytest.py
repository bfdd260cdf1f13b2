"""A pytest plugin that writes what comes of each test to the file named by PATCHWRIGHT_RESULTS.

Neither the output of the program under test nor a crash can damage what was written before. The tests named in
PATCHWRIGHT_SKIP, one a line, are left out, those in PATCHWRIGHT_FIRST run before the others of their files. With PATCHWRIGHT_STOP the first
failure ends the run.
"""

import builtins
import fnmatch
import importlib.util
import os
from time import monotonic

import patchwright_canary
import patchwright_limit
import patchwright_lines
import patchwright_start
import pytest

patchwright_start.open_up()

# What is built in, as it is now.
__builtins__ = dict(vars(builtins))
# Before anything of the project is loaded.
write = patchwright_lines.writer()
canary = patchwright_canary.Canary()

# Options of pytest-cov: those with a value, and those without.
COVERAGE = ["--cov", "--cov-report", "--cov-config", "--cov-fail-under", "--cov-context"]
COVERAGE_FLAGS = ["--cov-append", "--cov-branch", "--cov-reset", "--no-cov", "--no-cov-on-fail"]
RANKS = ["skipped", "passed", "failed", "error"]
# Seconds between two looks at the test tools: a run that is ended has told what its tests bend.
BETWEEN_LOOKS = 2.0
KEPT_OUTPUT = 4000


# The folder that the tests are run in, from the project on: names of tests begin at the project.
FOLDER = os.environ.get("PATCHWRIGHT_FOLDER", "")
INSIDE = FOLDER and FOLDER + "/"


def listed(variable):
    """The names of tests that a variable lists, as pytest has them."""
    names = os.environ.get(variable, "").splitlines()
    return [name[len(INSIDE):] if name.startswith(INSIDE) else name for name in names]


class Recorder(object):
    def __init__(self):
        self.write = write
        self.status = None
        self.tests = {}
        self.seconds = {}
        self.hook = None
        self.looked = monotonic()
        self.is_told = False

    def finish(self, name, status, message=None, trace=None):
        seconds = self.seconds.pop(name, None)
        self.write(event="finished", id=INSIDE + name, status=status, message=message, trace=trace, seconds=seconds)

    def pytest_collection_finish(self, session):
        patchwright_start.tell_elsewhere(self.write)
        canary.watch(getattr(item, "cls", None) for item in session.items)
        self.tell_collected([item.nodeid for item in session.items])
        self.hook = session.config.hook.pytest_pyfunc_call

    def tell_collected(self, names):
        """How many tests there are in each file: of a run that is ended those files count that had their turn."""
        files = {}
        for name in names:
            file = name.split("::")[0]
            files[file] = files.get(file, 0) + 1
        self.write(event="collected", count=len(names), files=[[file, files[file]] for file in sorted(files)])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node, ids):
        # All workers of pytest-xdist collect the same, and the process that controls them nothing.
        if not self.is_told:
            self.is_told = True
            self.tell_collected(ids)

    def pytest_runtest_logstart(self, nodeid, location):
        self.write(event="started", id=INSIDE + nodeid)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        yield
        canary.look_at(getattr(item, "instance", None))

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] = round(self.seconds.get(report.nodeid, 0.0) + report.duration, 6)
        # Set-ups and tear-downs that go well say nothing of the test.
        if report.passed and report.when != "call":
            return
        status, message = judge(report)
        known = self.tests.get(report.nodeid)
        # The first failure tells what went wrong; a skip is only one if nothing else happened.
        if known is None or (known[0] in RANKS[:2] and RANKS.index(status) > RANKS.index(known[0])):
            trace = explain(report) if report.failed else None
            self.tests[report.nodeid] = (status, message, trace)

    def pytest_runtest_logfinish(self, nodeid, location):
        outcome = self.tests.pop(nodeid, None)
        if outcome:
            self.finish(nodeid, *outcome)
        if self.hook and monotonic() - self.looked > BETWEEN_LOOKS:
            self.write(event="checked", bent=canary.bent(self.hook, self))
            self.looked = monotonic()

    def pytest_collectreport(self, report):
        if report.failed:
            self.finish(report.nodeid, "error", summary(report), explain(report))
        elif report.skipped:
            self.finish(report.nodeid, "skipped", reason(report))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        # What a crashed worker of pytest-xdist left open.
        for name in sorted(self.tests):
            self.finish(name, *self.tests[name])
        self.status = int(exitstatus)
        # 0: all passed, 1: some failed, 5: there are none. Anything else was no whole run.
        if int(exitstatus) in (0, 1, 5):
            self.write(event="end", bent=canary.bent(session.config.hook.pytest_pyfunc_call, self))

    def pytest_unconfigure(self, config):
        if self.status is not None:
            patchwright_limit.leave(self.status)


class DocumentFilter(object):
    """Leaves out documents that are only tested because their files are named on the command line.

    pytest takes the examples of any named text file for a test, as well as another plugin (such as sybil) that tests the file in every run.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config, items):
        globs = config.getoption("doctestglob", None) or ["test*.txt"]
        others = set(item.nodeid.split("::")[0] for item in items if not is_document(item))
        kept = [item for item in items if not is_document(item) or asked_for(item, globs)
                or item.nodeid.split("::")[0] not in others]
        if len(kept) < len(items):
            items[:] = kept


def is_document(item):
    return type(item.parent).__name__ == "DoctestTextfile"


def asked_for(item, globs):
    path = item.nodeid.split("::")[0]
    return any(fnmatch.fnmatch("/" + path, "*/" + glob) for glob in globs)


class Skipper(object):
    def __init__(self, names):
        self.names = names

    def pytest_collection_modifyitems(self, config, items):
        gone = [item for item in items if item.nodeid in self.names]
        if gone:
            config.hook.pytest_deselected(items=gone)
            items[:] = [item for item in items if item.nodeid not in self.names]


class Sorter(object):
    """Runs some tests before the others of their file; a name stands for all tests that have parameters. Where a run is ended, files that
    are through count, and of a file that is not its first tests."""

    def __init__(self, names):
        self.places = dict((name, place) for place, name in reversed(list(enumerate(names))))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        last = len(self.places)
        files = {}

        def place(item):
            file = files.setdefault(item.nodeid.split("::")[0], len(files))
            return file, self.places.get(item.nodeid.split("[")[0], last)

        items.sort(key=place)


class Limiter(object):
    """Ends tests that have no end."""

    def __init__(self):
        self.limit = patchwright_limit.Limit()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item):
        # What is set up may be for many tests.
        with self.limit.watching(patchwright_limit.UNKNOWN):
            yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        with self.limit.watching():
            yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_teardown(self, item):
        with self.limit.watching(patchwright_limit.UNKNOWN):
            yield

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and not (report.failed and is_overdue(report)):
            self.limit.note(report.duration)


def is_overdue(report):
    return (summary(report) or "").startswith("patchwright_limit.Overdue")


def judge(report):
    """The status of one phase of a test, and its message."""
    if report.passed:
        return "passed", None
    if report.skipped:
        return "skipped", getattr(report, "wasxfail", None) or reason(report)
    return ("failed" if report.when == "call" else "error"), summary(report)


def reason(report):
    where = report.longrepr
    text = where[2] if isinstance(where, tuple) and len(where) == 3 else "expected failure"
    return text[len("Skipped: "):] if text.startswith("Skipped: ") else text


def summary(report):
    """The assertion or exception without the traceback; None where only the whole text tells it."""
    if isinstance(report.longrepr, str):
        text = report.longrepr.strip()
        return None if "\n" in text else text
    examples = getattr(report.longrepr, "reprlocation_lines", None)
    if examples:
        return of_doctest(examples[0][1])
    return getattr(getattr(report.longrepr, "reprcrash", None), "message", None)


def of_doctest(lines):
    """What the first example that fails gave in the place of what it tells, or the exception that it met."""
    for number, line in enumerate(lines):
        if line.startswith("UNEXPECTED EXCEPTION"):
            return lines[-1].strip()
        if line.startswith(("Expected", "Differences")):
            return "\n".join(lines[number:]).strip()
    return None


def explain(report):
    text = getattr(report, "longreprtext", None) or str(report.longrepr)
    for name, content in getattr(report, "sections", []):
        if content.strip():
            if len(content) > KEPT_OUTPUT:
                half = KEPT_OUTPUT // 2
                cut = len(content) - 2 * half
                content = u"%s\n[... %d characters left out ...]\n%s" % (content[:half], cut, content[-half:])
            text += u"\n%s:\n%s" % (name, content.rstrip())
    return text


def pytest_addoption(parser):
    # A project that asks for its coverage is tested without, where pytest-cov is not installed.
    if importlib.util.find_spec("pytest_cov"):
        return
    group = parser.getgroup("coverage, which is not measured")
    for name in COVERAGE:
        group.addoption(name, action="append", nargs="?", const="", default=[])
    for name in COVERAGE_FLAGS:
        group.addoption(name, action="store_true")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args):
    patchwright_start.tell_elsewhere(write)
    patchwright_start.hide()


def pytest_configure(config):
    path = os.environ.get("PATCHWRIGHT_RESULTS")
    # The workers of pytest-xdist report to the process that controls them.
    if path and not (hasattr(config, "workerinput") or hasattr(config, "slaveinput")):
        config.pluginmanager.register(Recorder(), "patchwright-recorder")
    config.pluginmanager.register(DocumentFilter(), "patchwright-documents")
    skipped = listed("PATCHWRIGHT_SKIP")
    if skipped:
        config.pluginmanager.register(Skipper(frozenset(skipped)), "patchwright-skipper")
    first = listed("PATCHWRIGHT_FIRST")
    if first:
        config.pluginmanager.register(Sorter(first), "patchwright-sorter")
    if os.environ.get("PATCHWRIGHT_STOP"):
        config.option.maxfail = 1
    elif path:
        # What runs to its first failure has limits of its own.
        config.pluginmanager.register(Limiter(), "patchwright-limiter")
    covered = os.environ.get("PATCHWRIGHT_COVERAGE")
    if covered:
        import patchwright_coverage
        config.pluginmanager.register(patchwright_coverage.PytestHooks(covered, INSIDE), "patchwright-coverage")
