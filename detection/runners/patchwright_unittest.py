"""Runs unittest tests and writes what comes of each to the file named by PATCHWRIGHT_RESULTS.

Usage: python -m patchwright_unittest START[:TOP]... [-- ID...]

START is a folder to search for tests, TOP the folder in which the names of their modules begin. An ID is the dotted
name of a module, class or test; without any, all tests are run, but for those named in PATCHWRIGHT_SKIP, one a line.
With PATCHWRIGHT_STOP the first failure ends the run. The usual text of unittest goes to standard error.
"""

import builtins
import os
import pkgutil
import re
import sys
import unittest
from sys import exc_info
from time import perf_counter
from traceback import format_exception_only

import patchwright_canary
import patchwright_limit
import patchwright_lines
import patchwright_start

patchwright_start.open_up()

# What is built in, as it is now.
__builtins__ = dict(vars(builtins))

PATTERNS = ["test*.py", "*_test.py"]


class Recorder(unittest.TextTestResult):
    write_line = None
    look_at = None

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.recorded = {}
        # What runs to its first failure has limits of its own.
        self.limit = None if os.environ.get("PATCHWRIGHT_STOP") else patchwright_limit.Limit()
        self.coverage = None
        if os.environ.get("PATCHWRIGHT_COVERAGE"):
            import patchwright_coverage
            self.coverage = patchwright_coverage.Recorder(os.environ.pop("PATCHWRIGHT_COVERAGE"))

    def write(self, **event):
        self.write_line(**event)

    def finish(self, name, status, message=None, trace=None, seconds=None):
        self.write(event="finished", id=name, status=status, message=message, trace=trace, seconds=seconds)

    def record(self, test, *outcome):
        """Notes the first outcome of a test; the set-up of a class or module is no test and is written at once."""
        if is_test(test):
            self.recorded.setdefault(test.id(), outcome)
        else:
            self.finish(identify(test), *outcome)

    def startTest(self, test):
        if self.coverage:
            self.coverage.begin(test.id(), type(test))
        super().startTest(test)
        if is_test(test):
            self.write(event="started", id=test.id())
            self.began = perf_counter()
            if self.limit:
                self.limit.begin()

    def stopTest(self, test):
        took = self.limit.stop() if self.limit else None
        super().stopTest(test)
        self.look_at(test)
        if self.coverage:
            self.coverage.end()
        if is_test(test):
            outcome = self.recorded.pop(test.id(), None)
            if outcome is None and exc_info()[1] is not None:
                # What goes through here is for unittest the end of the run: for us, too, the test has none.
                return
            status, message, trace = ((outcome or ("error", "the test has no result")) + (None, None))[:3]
            if took is not None and not (message or "").startswith("patchwright_limit.Overdue"):
                self.limit.note(took)
            self.finish(test.id(), status, message, trace, round(perf_counter() - self.began, 6))

    def addSuccess(self, test):
        super().addSuccess(test)
        self.record(test, "passed")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.record(test, "failed", summary(err), self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.record(test, "error", summary(err), self.errors[-1][1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.record(test, "skipped", reason)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.record(test, "skipped", "expected failure")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.record(test, "failed", "it was expected to fail and passed")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            failed = issubclass(err[0], test.failureException)
            status, noted = ("failed", self.failures) if failed else ("error", self.errors)
            self.record(test, status, subtest._subDescription() + ": " + summary(err), noted[-1][1])


class Unloadable(unittest.TestCase):
    """Stands for a module whose import raises anything but an ImportError, which unittest does not expect."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def runTest(self):
        raise self.error


def is_test(test):
    """Whether this is a test of the project, not a set-up nor what stands for a module that cannot be loaded."""
    ours = isinstance(test, Unloadable)
    return isinstance(test, unittest.TestCase) and not ours and type(test).__module__ != "unittest.loader"


def identify(test):
    """The name of the module that cannot be loaded, or of the class or module whose set-up failed."""
    if isinstance(test, unittest.TestCase):
        return getattr(test, "patchwright_name", test._testMethodName)
    return test.id().partition(" (")[2].rstrip(")") or test.id()


def summary(err):
    text = "".join(format_exception_only(err[0], err[1])).strip()
    # The source stands before the message of a syntax error; a failed import holds a whole traceback.
    whole = issubclass(err[0], SyntaxError) or (issubclass(err[0], ImportError) and "Traceback" in text)
    return text.splitlines()[-1] if whole else text


def without(suite, names):
    """The suite without some tests, in place: the suites of classes and modules keep what makes them one."""
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            without(item, names)
    suite._tests = [item for item in suite._tests if isinstance(item, unittest.TestSuite) or item.id() not in names]
    return suite


def is_missing(name, error):
    """Whether an error of the loader says that there is no such test, and not that its module cannot be loaded."""
    module = re.search(r"No module named '([\w.]+)'", str(error))
    return isinstance(error, AttributeError) or bool(module and f"{name}.".startswith(f"{module[1]}."))


def named(name):
    """The tests of a name; none where there is none of it. What stands for a failed import keeps the name that was asked for."""
    try:
        found = unittest.defaultTestLoader.loadTestsFromName(name)
    except Exception as error:
        found = Unloadable(error)
    open_suites = [found]
    while open_suites:
        item = open_suites.pop()
        if isinstance(item, unittest.TestSuite):
            open_suites.extend(item)
        elif not is_test(item):
            if is_missing(name, getattr(item, "_exception", None)):
                return unittest.TestSuite()
            item.patchwright_name = name
    return found


def is_of_code(name):
    """Whether a name is that of a function or class which is no test, as a doctest has it: unittest would call that."""
    try:
        parts = [pkgutil.resolve_name(part) for part in (name, name.rpartition(".")[0])]
    except Exception:
        return False
    is_case = [isinstance(part, type) and issubclass(part, unittest.TestCase) for part in parts]
    return callable(parts[0]) and not any(is_case)


def all_tests(places):
    # A loader keeps the first top folder for ever, hence one for each.
    return unittest.TestSuite([
        unittest.TestLoader().discover(start, pattern=pattern, top_level_dir=top)
        for start, top in places
        for pattern in PATTERNS
    ])


def each(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from each(item)
        else:
            yield item


def load(places, names):
    if not names:
        return without(all_tests(places), set(os.environ.get("PATCHWRIGHT_SKIP", "").splitlines()))
    sys.path[:0] = [top for _, top in places if top not in sys.path]
    # Only the files of tests know these, as they say what they load.
    of_code = {name for name in names if is_of_code(name)}
    known = {test.id(): test for test in each(all_tests(places)) if test.id() in of_code} if of_code else {}
    return unittest.TestSuite([known[name] if name in known else named(name) for name in names])


def main(arguments):
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    places = []
    for argument in arguments[:cut]:
        start, _, top = argument.partition(":")
        places.append((os.path.abspath(start), os.path.abspath(top or start)))
    stop = bool(os.environ.get("PATCHWRIGHT_STOP"))
    Recorder.write_line = staticmethod(patchwright_lines.writer())
    # Taken away: what is tested has no business with it.
    os.environ.pop("PATCHWRIGHT_RESULTS", None)
    canary = patchwright_canary.Canary(Recorder)
    Recorder.look_at = staticmethod(canary.look_at)
    patchwright_start.tell_elsewhere(Recorder.write_line)
    patchwright_start.hide()
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Recorder, failfast=stop)
    tests = load(places, arguments[cut + 1:])
    patchwright_start.tell_elsewhere(Recorder.write_line)
    canary.watch(type(test) for test in each(tests))
    Recorder.write_line(event="collected", count=tests.countTestCases())
    result = runner.run(tests)
    if result.coverage:
        result.coverage.stop()
    result.write(event="end", bent=canary.bent(None, result))
    status = 0 if result.wasSuccessful() else 1
    patchwright_limit.leave(status)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
