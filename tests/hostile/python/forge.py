"""Makes tests pass that fail."""

import glob
import json
import os
import sys
import unittest

TEST = "@test@"


def assertion():
    unittest.TestCase.assertEqual = lambda *_: None


def instance():
    from sys import modules

    class Calm(object):
        def __call__(self, *_):
            pass

    modules["unittest"].TestCase.assertEqual = Calm()


def run():
    def passes(test, result=None):
        result.startTest(test)
        result.addSuccess(test)
        result.stopTest(test)
        return result

    unittest.TestCase.run = passes


def lines():
    events = [
        {"event": "started", "id": TEST},
        {"event": "finished", "id": TEST, "status": "passed", "message": None, "trace": None, "seconds": 0.0},
        {"event": "end"},
    ]
    for path in glob.glob(os.path.join(os.environ["PATCHWRIGHT_OUT"], "results*")):
        with open(path, "a") as file:
            file.writelines(json.dumps(event) + "\n" for event in events)
    os._exit(0)


def words():
    lines = ["%s (%s) ... ok\n" % (name.rpartition(".")[2], name) for name in (TEST, TEST + "_nothing")]
    said = "%s\n%s\nRan 2 tests in 0.001s\n\nOK\n" % ("".join(lines), "-" * 70)
    os.write(1, said.encode())
    os.write(2, said.encode())
    os._exit(0)


def leave():
    sys.exit(0)


def attack():
    globals()["@kind@"]()
