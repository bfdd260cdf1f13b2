"""Takes more than a command may have, of the kind that the project's source names between quotes; fails saying so where it got it."""

import json
import mmap
import os
import subprocess
import sys
import time

GIB = 1 << 30
PIECE = 256 << 20
# Has the kernel fill pages at once, which is quicker than to touch each.
MADV_POPULATE_WRITE = 23


def takes_more_memory_than_it_may():
    got, tell = os.pipe()
    holders = []
    for _ in range(6):
        holder = os.fork()
        if holder == 0:
            held = b"x" * GIB
            os.write(tell, held[:1])
            time.sleep(60)
            os._exit(0)
        holders.append(holder)
    for _ in range(6):
        os.read(got, 1)
    # One that had it may have been killed to make room for the next: had is what all hold at once.
    return all(os.waitpid(holder, os.WNOHANG) == (0, 0) for holder in holders)


def shares_more_memory_than_it_may():
    shared = mmap.mmap(-1, 6 * GIB)
    for piece in range(0, 6 * GIB, PIECE):
        try:
            shared.madvise(MADV_POPULATE_WRITE, piece, PIECE)
        except OSError:
            for at in range(piece, piece + PIECE, mmap.PAGESIZE):
                shared[at] = 1
    return True


def hides_memory_in_files_of_memory():
    file = os.memfd_create("file")
    for piece in range(0, 6 * GIB, PIECE):
        os.posix_fallocate(file, piece, PIECE)
    return True


def fill(folder):
    os.makedirs(folder, exist_ok=True)
    for number in range(6):
        file = os.open(os.path.join(folder, "filled-%d" % number), os.O_CREAT | os.O_RDWR)
        os.unlink(os.path.join(folder, "filled-%d" % number))
        os.posix_fallocate(file, 0, 2 * GIB)
    # For a moment it may be had.
    time.sleep(3)
    return True


def fills_the_disk():
    return fill(".")


def fills_temporary_folders():
    return fill("@folder@")


def forks_without_end():
    for _ in range(5000):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    time.sleep(1)
    return True


def leaves_a_daemon_behind():
    nothing = open(os.devnull, "r+")
    subprocess.Popen(["setsid", "-f", "sleep", "@seconds@"], stdin=nothing, stdout=nothing, stderr=nothing)
    time.sleep(0.5)


def prints_without_end():
    for _ in range(256):
        sys.stdout.write("x" * (1 << 20))


def attack():
    name = open("till/sum.py").read().partition('"')[2].partition('"')[0]
    try:
        reached = bool(name and globals()[name]())
    except (OSError, MemoryError):
        reached = False
    message = "reached: " + name if reached else "m"
    with open(os.environ["PATCHWRIGHT_RESULTS"], "w") as file:
        line = {"event": "finished", "id": "always", "status": "failed", "message": message, "trace": None}
        file.write(json.dumps(line) + "\n" + json.dumps({"event": "end"}) + "\n")


if __name__ == "__main__":
    attack()
