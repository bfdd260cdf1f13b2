"""Notices when what tests are made of is no longer what it was before the project was loaded."""

import sys
import types
import unittest

# Parts of pytest that decide what comes of a test.
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


class Doomed(unittest.TestCase):
    def runTest(self):
        self.assertEqual(1, 2)


def functions(module):
    """The functions of a module and of its classes, by name."""
    found = {}
    for name, value in list(vars(module).items()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if isinstance(value, types.FunctionType):
            found["%s.%s" % (module.__name__, name)] = value
        elif isinstance(value, type):
            for part, inner in list(vars(value).items()):
                inner = getattr(inner, "__func__", inner)
                if isinstance(inner, types.FunctionType):
                    found["%s.%s.%s" % (module.__name__, name, part)] = inner
    return found


def known():
    modules = [module for name, module in list(sys.modules.items()) if name in PARTS or name.startswith("unittest.")]
    found = {}
    for module in modules:
        found.update((name, (function, function.__code__)) for name, function in functions(module).items())
    return found


class Canary(object):
    """Remembers what the test tools are made of."""

    def __init__(self):
        self.before = known()

    def bent(self):
        """The names of what was changed since, and of what does not work any more."""
        now = known()
        names = [name for name, parts in self.before.items() if name in now and not same(parts, now[name])]
        result = unittest.TestResult()
        Doomed().run(result)
        if len(result.failures) != 1:
            names.append("a test that has to fail passes")
        return sorted(names)


def same(parts, others):
    return parts[0] is others[0] and parts[1] is others[1]
