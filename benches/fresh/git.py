"""Reading a git repository, bare or not, without a work tree."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# A local clone can ask for any commit, also one that no branch names.
_UPLOAD_PACK = "git -c uploadpack.allowAnySHA1InWant=true -c safe.directory=* upload-pack"
# Settings of the user must not change what is read or written.
_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
_RECORD, _FIELD = "\x1e", "\x1f"


class GitError(Exception):
    """A git command failed."""


@dataclass(frozen=True)
class Commit:
    """A commit of the main line, with its first parent."""

    hash: str
    parent: str
    # The other parent of a merge.
    merged: str
    date: str
    message: str


@dataclass(frozen=True)
class Change:
    """A file that a commit changes: `A`, `M` or `D`."""

    status: str
    path: str


def git(folder: Path, *arguments: object, data: bytes | None = None) -> bytes:
    """What a git command prints."""
    command = ["git", "-c", "safe.directory=*", "-c", "core.quotePath=false", "-C", str(folder), *map(str, arguments)]
    finished = subprocess.run(command, input=data, capture_output=True, env={**os.environ, **_ENVIRONMENT})
    if finished.returncode:
        words = " ".join(map(str, arguments[:3]))
        raise GitError(f"git {words} in {folder}: {finished.stderr.decode(errors='replace').strip()[-300:]}")
    return finished.stdout


class Repository:
    """A repository that fix commits are taken from. It is only read."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    def main_line(self, since: str, until: str | None) -> Iterator[Commit]:
        """Commits on the main line, the youngest first. A merge counts as one commit with its first parent."""
        limits = [f"--since={since}", *([f"--until={until}"] if until else [])]
        form = _FIELD.join(("%H", "%P", "%cs", "%B")) + _RECORD
        text = git(self.path, "log", "--first-parent", *limits, f"--format={form}").decode(errors="replace")
        for record in text.split(_RECORD):
            fields = record.strip("\n").split(_FIELD)
            if len(fields) == 4 and fields[1]:
                parent, _, merged = fields[1].partition(" ")
                yield Commit(fields[0], parent, merged.split(" ")[0], fields[2], fields[3])

    def last_before(self, date: str) -> str:
        """The last commit of the main line before a date."""
        return git(self.path, "log", "--first-parent", "-n1", f"--until={date}", "--format=%H").decode().strip()

    def merged_messages(self, commit: Commit) -> list[str]:
        """The messages of the commits that a merge brings."""
        between = f"{commit.parent}..{commit.merged}"
        text = git(self.path, "log", "--no-merges", f"--format=%B{_RECORD}", between).decode(errors="replace")
        return [message.strip() for message in text.split(_RECORD) if message.strip()]

    def changes(self, commit: Commit) -> list[Change]:
        """The files that differ between a commit and its first parent; a renamed file is removed and added."""
        text = git(self.path, "diff", "--no-renames", "--name-status", "-z", commit.parent, commit.hash).decode()
        words = text.split("\0")
        return [Change(status[:1], path) for status, path in zip(words[::2], words[1::2])]

    def file(self, commit: str, path: str) -> str | None:
        """A file's text in a commit; none where it is not there or no text."""
        try:
            return git(self.path, "show", f"{commit}:{path}").decode()
        except (GitError, UnicodeDecodeError):
            return None

    def has(self, commit: str, path: str) -> bool:
        """Whether a commit has a file or folder."""
        return bool(git(self.path, "ls-tree", commit, path))

    def diff(self, commit: Commit, paths: list[str], folder: str) -> str:
        """The patch of some files, with paths relative to a folder."""
        relative = [f"--relative={folder}"] if folder else []
        patch = git(self.path, "diff", "--no-renames", "--binary", "--full-index", *relative, commit.parent,
                    commit.hash, "--", *paths)
        return patch.decode()


def clone_until(source: Path, commit: str, destination: Path) -> None:
    """A bare repository with the history of a commit and nothing younger."""
    git(source, "init", "-q", "--bare", destination)
    _fetch(source, commit, destination)


def check_out(source: Path, base: Path, commit: str, destination: Path) -> None:
    """A work tree at a commit, whose repository has nothing younger. What `base` has is shared as hard links."""
    git(base, "clone", "-q", "--local", "--no-checkout", base, destination)
    _fetch(source, commit, destination)
    git(destination, "remote", "remove", "origin")
    git(destination, "checkout", "-q", "-B", "main", commit)
    git(destination, "update-ref", "-d", "refs/fresh")


def _fetch(source: Path, commit: str, destination: Path) -> None:
    git(destination, "fetch", "-q", "--no-tags", f"--upload-pack={_UPLOAD_PACK}", source, f"+{commit}:refs/fresh")
