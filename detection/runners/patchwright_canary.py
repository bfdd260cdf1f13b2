"""Notices when what tests are made of is no longer what it was before the project was loaded."""

import builtins
import sys
import types
import unittest

# What is built in, as it is now.
__builtins__ = dict(vars(builtins))

# Parts of pytest that decide what comes of a test; all of unittest and of our own does.
PARTS = [
    "_pytest.assertion.rewrite",
    "_pytest.assertion.util",
    "_pytest.main",
    "_pytest.outcomes",
    "_pytest.python",
    "_pytest.reports",
    "_pytest.runner",
    "_pytest.unittest",
    "pluggy._callers",
    "pluggy._hooks",
    "pluggy._manager",
]
TOOL = "unittest."
OURS = "patchwright_"
# What does something when it is called or looked up.
KINDS = (types.FunctionType, type, classmethod, staticmethod, property)


class Doomed(unittest.TestCase):
    def runTest(self):
        self.assertEqual(1, 2)


def parts_of(of):
    """What a class is made of, by name; a value that is made only when it is asked for is not asked what it is."""
    for name, part in list(vars(of).items()):
        if issubclass(type(part), KINDS):
            yield "%s.%s.%s" % (of.__module__, of.__name__, name), part


def parts(module):
    """What a module and its classes are made of, by name."""
    for name, value in list(vars(module).items()):
        if not isinstance(value, KINDS):
            continue
        yield "%s.%s" % (module.__name__, name), value
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield from parts_of(value)


def known(ours, classes):
    """What stands under each name, with the code that it runs; our own modules are not found by an import."""
    found = {}
    values = [pair for of in classes for pair in parts_of(of)]
    modules = {name: module for name, module in list(sys.modules.items()) if name in PARTS or name.startswith(TOOL)}
    modules.update(ours)
    for module in modules.values():
        if isinstance(module, types.ModuleType):
            values.extend(parts(module))
    for part, value in values:
        function = getattr(value, "__func__", value)
        found[part] = (value, getattr(function, "__code__", None))
    return found


def made_of(tests):
    """The project's own classes that its tests are made of, each once; a class need not have a hash."""
    above = [of for test in tests if isinstance(test, type) for of in test.__mro__]
    theirs = [of for of in above if not str(of.__module__).startswith((TOOL, OURS, "builtins"))]
    return tuple({id(of): of for of in theirs}.values())


def judging(of):
    """The names of a class or test by which unittest runs and judges."""
    return {name for name in vars(of) if callable(getattr(unittest.TestCase, name, None))}


def overridden(instance):
    """The methods of an instance's class that it has another of. Whoever takes one and puts it back leaves the class's own, bound."""
    own = getattr(instance, "__dict__", {})
    of = type(instance)

    def is_own(name, value):
        return getattr(value, "__self__", None) is instance and getattr(value, "__func__", None) is getattr(of, name)

    return [
        name for name, value in list(own.items())
        if callable(value) and callable(getattr(of, name, None)) and not is_own(name, value)
    ]


class Canary(object):
    """Remembers what the test tools are made of."""

    def __init__(self, *classes):
        self.classes = classes
        self.ours = {name: module for name, module in list(sys.modules.items()) if name.startswith(OURS)}
        self.before = known(self.ours, self.classes)
        self.judging = []
        self.replaced = set()

    def watch(self, tests):
        """Remembers the classes of tests too, once they are loaded and before any runs."""
        self.classes += made_of(tests)
        self.before = dict(known(self.ours, self.classes), **self.before)
        self.judging = [(of, judging(of)) for of in self.classes]

    def look_at(self, test):
        """Notes what a test that has run has in the place of what its class is judged by."""
        if isinstance(test, unittest.TestCase):
            names = judging(test).intersection(overridden(test))
            self.replaced.update("%s.%s" % (type(test).__name__, name) for name in names)

    def bent(self, hook=None, *instances):
        """The names of what was changed since, and of what does not work any more; `hook` is pytest's for calling a test."""
        now = known(self.ours, self.classes)
        # A name that is gone stands for nothing.
        names = [name for name, before in self.before.items() if not same(before, now.get(name, (None, None)))]
        names.extend(self.replaced)
        for of, before in self.judging:
            names.extend("%s.%s.%s" % (of.__module__, of.__name__, name) for name in judging(of) - before)
        for instance in instances:
            names.extend("%s.%s" % (type(instance).__name__, name) for name in overridden(instance))
        result = unittest.TestResult()
        Doomed().run(result)
        if len(result.failures) != 1 or hook is not None and passes(hook):
            names.append("a test that has to fail passes")
        return sorted(names)


class Item(object):
    """As much of pytest's function as calling it takes."""

    funcargs = {}
    _fixtureinfo = type("Names", (), {"argnames": ()})

    def obj(self):
        raise AssertionError("a test that has to fail")


def passes(hook):
    try:
        hook(pyfuncitem=Item())
    except BaseException:
        return False
    return True


def same(before, now):
    return before[0] is now[0] and before[1] is now[1] or stands_for(before[0], now[0])


def stands_for(alias, value):
    """Whether an alias that only warns was replaced by what it warns of: `TestCase.assertEquals = TestCase.assertEqual`."""
    cells = getattr(alias, "__closure__", None) or ()
    is_alias = "_deprecate.<locals>." in getattr(alias, "__qualname__", "")
    return is_alias and any(cell.cell_contents is value for cell in cells)
