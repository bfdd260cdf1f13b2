"""Puts something else in the place of files and folders of the lane."""

import os
import time

LANE = os.path.dirname(os.environ["PATCHWRIGHT_OUT"])
TARGET = "@target@"


def link(path):
    os.symlink(TARGET, path)


def hard(path):
    os.link(os.path.join(LANE, TARGET), path)


def fifo(path):
    os.mkfifo(path)


def folder(path):
    os.mkdir(path)


def text(path):
    with open(path, "w") as file:
        file.write(TARGET)
    os.chmod(path, 0o755)


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(7 << 30)


def attack():
    for place in "@places@".split():
        path = os.path.join(LANE, place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.lexists(path):
            os.rename(path, "%s.%d" % (path, time.monotonic_ns()))
        globals()["@kind@"](path)
