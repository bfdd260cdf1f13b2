"""Tells a worker's answer before the worker does, and goes on to change what is then being reset."""

import contextlib
import glob
import json
import os
import shutil
import time

OUT = os.environ["PATCHWRIGHT_OUT"]
DATA = os.path.join(os.path.dirname(OUT), "project", "@places@")


def answer(results):
    """Writes the results of a request that was carried out, and says so."""
    failed = {"event": "finished", "id": "@test@", "status": "failed", "message": "no", "trace": "", "seconds": 0}
    with open(results, "w") as file:
        file.write(json.dumps(failed) + "\n" + json.dumps({"event": "end"}) + "\n")
    number = int(results.rpartition("-")[2].partition(".")[0])
    reply = {"id": number, "status": "done", "log": "", "classes": None, "seconds": 0}
    # For both, because there may be no reader.
    replies = os.open(os.path.join(OUT, "replies"), os.O_RDWR)
    os.write(replies, (json.dumps(reply) + "\n").encode())
    os.close(replies)


def swap():
    """The folder and a link to the canary take turns."""
    away = DATA + ".away"
    for step in (
        lambda: os.rename(DATA, away),
        lambda: os.symlink("@target@", DATA),
        lambda: os.unlink(DATA),
        lambda: os.rename(away, DATA),
    ):
        # The reset changes the same places.
        with contextlib.suppress(OSError):
            step()


def attack():
    results = glob.glob(os.path.join(OUT, "results-*.jsonl"))
    if not results:
        return
    shutil.rmtree(DATA)
    os.mkdir(DATA)
    answer(max(results, key=os.path.getmtime))
    end = time.monotonic() + 3
    while time.monotonic() < end:
        swap()
