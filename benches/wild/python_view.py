"""A function of a Python source, seen by byte offsets."""

from __future__ import annotations

import ast
import bisect
from functools import cached_property
from typing import NamedTuple


# What has a place in the source.
Node = ast.expr | ast.stmt | ast.excepthandler


class Change(NamedTuple):
    """Bytes that another text is put in place of."""

    start: int
    end: int
    replacement: bytes


class View:
    """A function and the source around it."""

    def __init__(self, source: bytes, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.source = source
        self.function = function
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self.extent = self.span(function)

    def span(self, node: Node) -> tuple[int, int]:
        """From where to where a node goes; `ast` counts columns in bytes of UTF-8."""
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0),
        )

    def text(self, node: Node) -> bytes:
        """The source of a node."""
        start, end = self.span(node)
        return self.source[start:end]

    def line_of(self, offset: int) -> int:
        """The number of the line that holds an offset, from 1."""
        return bisect.bisect_right(self._starts, offset)

    def replace(self, node: Node, text: bytes) -> Change:
        """Another text in place of a node."""
        return Change(*self.span(node), text)

    def whole_lines(self, first: ast.stmt, last: ast.stmt | None = None) -> tuple[int, int] | None:
        """The lines of some statements, unless they share them with other code."""
        start, end = self.span(first)[0], self.span(last or first)[1]
        line_start = self._starts[self.line_of(start) - 1]
        line_end = self._starts[self.line_of(end - 1)]
        before, after = self.source[line_start:start].strip(), self.source[end:line_end].strip()
        return None if before or (after and not after.startswith(b"#")) else (line_start, line_end)

    @cached_property
    def variables(self) -> dict[str, int]:
        """Parameters and local variables, each with the line from which on it is there."""
        found: dict[str, int] = {}
        arguments = self.function.args
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            found[argument.arg] = self.function.lineno
        for node in ast.walk(self.function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id] = min(node.lineno, found.get(node.id, node.lineno))
        return {name: line for name, line in found.items() if name not in ("self", "cls", "_")}
