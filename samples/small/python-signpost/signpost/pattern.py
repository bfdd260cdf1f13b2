"""Patterns such as /albums/{album:int}/photos/{photo}."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from .paths import normalise


class PatternError(ValueError):
    """A pattern that makes no sense."""


class Kind(NamedTuple):
    """A kind of parameter: what it looks like, and what is made of it."""

    expression: str
    convert: Callable[[str], Any]


KINDS: Dict[str, Kind] = {
    "str": Kind(r"[^/]+", str),
    "int": Kind(r"[0-9]+", int),
    "rest": Kind(r".+", str),
}
_PARAMETER = re.compile(r"\{([a-z_]+)(?::([a-z]+))?\}")


class Pattern:
    """A path with parameters in it."""

    def __init__(self, text: str) -> None:
        self.text = normalise(text)
        self.names: List[str] = []
        self._converters: List[Callable[[str], Any]] = []
        self._expression = re.compile(self._compile())

    def _compile(self) -> str:
        parts = []
        end = 0
        for match in _PARAMETER.finditer(self.text):
            name, kind = match.group(1), match.group(2) or "str"
            if kind not in KINDS:
                raise PatternError(f"no such kind of parameter: {kind}")
            if name in self.names:
                raise PatternError(f"two parameters are called {name}")
            self.names.append(name)
            self._converters.append(KINDS[kind].convert)
            parts.append(re.escape(self.text[end : match.start()]))
            parts.append(f"({KINDS[kind].expression})")
            end = match.end()
        parts.append(re.escape(self.text[end:]))
        return "".join(parts)

    def match(self, path: str) -> Optional[Dict[str, Any]]:
        """The parameters of a path; None if it is not of this pattern."""
        found = self._expression.fullmatch(path)
        if found is None:
            return None
        values = zip(self.names, self._converters, found.groups())
        return {name: convert(text) for name, convert, text in values}

    def build(self, **parameters: Any) -> str:
        """The path with these parameters."""
        missing = [name for name in self.names if name not in parameters]
        if missing:
            raise PatternError(f"no value for {', '.join(missing)}")
        return _PARAMETER.sub(lambda match: str(parameters[match.group(1)]), self.text)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"
