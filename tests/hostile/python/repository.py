"""Commits, tags and configures in each repository that a way from the lane leads to."""

import os
import subprocess

OWN = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "safe.directory=*"]
DEEDS = [
    ["commit", "-q", "--allow-empty", "-a", "-m", "planted"],
    ["tag", "planted"],
    ["update-ref", "refs/heads/planted", "HEAD"],
    ["config", "core.fsmonitor", "touch planted"],
    ["push", "-q", "@target@", "HEAD:refs/heads/planted"],
    ["log", "--all", "--format=%B"],
]


def ways():
    """The folder and all above it, and what is named."""
    place = os.getcwd()
    while True:
        yield ["-C", place]
        if place == "/":
            break
        place = os.path.dirname(place)
    for named in "@places@".split():
        yield ["-C", named]
        yield ["--git-dir=%s/.git" % named, "--work-tree=."]


def attack():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    said = []
    for way in ways():
        for deed in DEEDS:
            done = subprocess.run(["git"] + OWN + way + deed, env=environment, stdout=subprocess.PIPE)
            said.append(done.stdout.decode())
    raise AssertionError("@made@" + "".join(said))
