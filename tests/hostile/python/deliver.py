"""Changes what the session leaves to its user: the project itself, and the folder of results."""

import contextlib
import glob
import os

PLACES = "@places@".split()


def ways():
    """Each place by its path, and by what processes have open."""
    for place in PLACES:
        yield place
        for root in glob.glob("/proc/[0-9]*/root") + glob.glob("/proc/self/fd/*"):
            yield root + place
        # Its last two names are nobody else's.
        own = "/".join([""] + place.split("/")[-2:])
        for here in glob.glob("/proc/[0-9]*/cwd") + glob.glob("/proc/[0-9]*/fd/*"):
            yield from (here + "/.." * above + own for above in range(6))


def write(way):
    with open(os.path.join(way, "planted.txt"), "w") as file:
        file.write("planted")


def replace(way):
    for name in ("result.json", "patch.diff", "trajectory.jsonl", ".patchwright-files", "sum.py"):
        path = os.path.join(way, name)
        with contextlib.suppress(OSError):
            os.unlink(path)
        os.symlink("@target@", path)


def move(way):
    os.rename(way, way + ".planted")
    os.symlink("@target@", way)


def attack():
    for way in ways():
        for deed in (write, replace, move):
            with contextlib.suppress(OSError):
                deed(way)
