"""Routers, which can contain each other."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Tuple

from .paths import is_below, join, normalise, relative_to
from .pattern import Pattern


class NotFound(LookupError):
    """Nothing handles the path."""


class Match(NamedTuple):
    """What handles a path, and the parameters in it."""

    name: str
    parameters: Dict[str, Any]


class Router:
    """A list of patterns with names, and of routers for whole trees.

    Patterns come before mounted routers, and the one that was added first
    before the others; of mounted routers, the longest prefix counts.
    """

    def __init__(self) -> None:
        self._routes: List[Tuple[Pattern, str]] = []
        self._mounts: List[Tuple[str, Router]] = []

    def add(self, pattern: str, name: str) -> None:
        self._routes.append((Pattern(pattern), name))

    def mount(self, prefix: str, router: Router) -> None:
        """Leaves all paths below a prefix to another router."""
        self._mounts.append((normalise(prefix), router))
        self._mounts.sort(key=lambda mount: -len(mount[0]))

    def resolve(self, path: str) -> Match:
        """What handles a path; raises NotFound if nothing does."""
        path = normalise(path)
        for pattern, name in self._routes:
            parameters = pattern.match(path)
            if parameters is not None:
                return Match(name, parameters)
        for prefix, router in self._mounts:
            if is_below(path, prefix):
                return router.resolve(relative_to(path, prefix))
        raise NotFound(path)

    def path_of(self, name: str, **parameters: Any) -> str:
        """The path of a route, its own or one of a mounted router."""
        for pattern, candidate in self._routes:
            if candidate == name:
                return pattern.build(**parameters)
        for prefix, router in self._mounts:
            try:
                return join(prefix, router.path_of(name, **parameters))
            except NotFound:
                continue
        raise NotFound(name)
