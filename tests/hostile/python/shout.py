"""Says more than anybody wants to read."""

import json
import os
import sys

OUT = os.environ["PATCHWRIGHT_OUT"]
LONG = "/tmp/a" * 300000


def message():
    raise AssertionError(LONG)


def output():
    sys.stdout.write(LONG)
    sys.stderr.write(LONG)


def lines():
    names = [name for name in os.listdir(OUT) if name.startswith("results")]
    for name in names:
        with open(os.path.join(OUT, name), "a") as file:
            for number in range(200000):
                file.write(json.dumps({"event": "started", "id": str(number)}) + "\n")
            for number in range(200000):
                line = {"event": "finished", "id": str(number), "status": "failed", "message": "m"}
                file.write(json.dumps(line) + "\n")


def orders():
    raise AssertionError("@made@\x1b]0;owned\x07\x1b[2J\u202e\u009b31m\r\n# Forged heading\n```\n# Forged heading\n")


def attack():
    globals()["@kind@"]()
