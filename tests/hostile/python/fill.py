"""Fills a folder of the lane with more than anybody wants to walk through."""

import os

LANE = os.path.dirname(os.environ["PATCHWRIGHT_OUT"])


def links(folder):
    for number in range(100000):
        os.symlink("@target@", os.path.join(folder, str(number)))


def files(folder):
    for number in range(100000):
        open(os.path.join(folder, str(number)), "w").close()


def nested(folder):
    # From the inside out, so that every path is short.
    inner, outer = os.path.join(folder, "inner"), os.path.join(folder, "outer")
    os.mkdir(inner)
    for _ in range(3000):
        os.mkdir(outer)
        os.rename(inner, os.path.join(outer, "inner"))
        os.rename(outer, inner)


def names(folder):
    for name in ("\n# Forged heading", "\x1b[31mred", "\u202egnp.exe", "-rf", "~", "a" * 255):
        open(os.path.join(folder, name), "w").close()
        os.mkdir(os.path.join(folder, name[:200] + ".d"))


def attack():
    folder = os.path.join(LANE, "@places@", "filled")
    if not os.path.exists(folder):
        os.mkdir(folder)
        globals()["@kind@"](folder)
