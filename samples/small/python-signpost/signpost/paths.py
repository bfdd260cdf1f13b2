"""Paths of requests: '/', or parts that each begin with a slash."""

from __future__ import annotations

from typing import List

ROOT = "/"


def normalise(path: str) -> str:
    """The one way to write a path: no empty parts, no slash at the end."""
    parts: List[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if parts:
                parts.pop()
            continue
        parts.append(part)
    return ROOT + "/".join(parts)


def join(*paths: str) -> str:
    """One path after the other."""
    return normalise("/".join(paths))


def is_below(path: str, prefix: str) -> bool:
    """Whether a path is the prefix itself or one below it."""
    return prefix == ROOT or path == prefix or path.startswith(prefix + "/")


def relative_to(path: str, prefix: str) -> str:
    """What is left of a path below a prefix, as a path of its own."""
    path, prefix = normalise(path), normalise(prefix)
    if not is_below(path, prefix):
        raise ValueError(f"{path} is not below {prefix}")
    if prefix == ROOT:
        return path
    return normalise(path.lstrip(prefix))
