"""Realistic mistakes in Java methods, made lexically: comments and literals are blanked out before patterns are
looked for, so that offsets stay those of the source."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from suite import Mutation

_BLANKED = re.compile(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
# The head of a method: its name, parameters, and the brace that opens its body.
_METHOD = re.compile(
    rb"\b(?!(?:if|for|while|switch|catch|synchronized|try|new|return|else)\b)"
    rb"\w+\s*\(([^(){};]*)\)\s*(?:throws\s+[\w.,\s]+)?\{"
)
_GUARD = re.compile(
    rb"\n[ \t]+if \([^{}\n]*\) \{\s*(?:return|throw|continue|break)\b[^{};]*;\s*\}(?=\n)"
)
_PARAMETER = re.compile(rb"([\w.\[\]<>?, ]+?)\s+(\w+)\s*(?:,|$)")
_LOCAL = re.compile(rb"(?:^|[;{}(])\s*(?:final\s+)?([a-zA-Z][\w.]*(?:\[\])?)\s+(\w+)\s*[=;:]")
_COMPARISONS = {b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">", b"==": b"!=", b"!=": b"=="}
_ARITHMETIC = {b"+": b"-", b"-": b"+", b"*": b"/", b"/": b"*", b"%": b"/"}
_KEYWORDS = frozenset("return else throw new case goto package import instanceof".split())


class Change(NamedTuple):
    """Bytes of the source that another text is put in place of."""

    start: int
    end: int
    replacement: bytes


class Method(NamedTuple):
    """The body of a method: the blanked text, where it begins in the source, and the variables by type."""

    text: bytes
    start: int
    variables: dict[bytes, bytes]


def mutations(source: bytes, lines: set[int]) -> list[Mutation]:
    """What the operators propose inside of methods on these lines."""
    starts = [0, *(found.end() for found in re.finditer(rb"\n", source))]
    found = []
    for method in _methods(_blank(source)):
        scope = (method.start, method.start + len(method.text))
        for name, operator in OPERATORS.items():
            for change in operator(method):
                start, end = method.start + change.start, method.start + change.end
                line = bisect.bisect_right(starts, start)
                if line in lines:
                    found.append(Mutation(name, start, end, change.replacement, line, scope))
    return found


def _blank(source: bytes) -> bytes:
    return _BLANKED.sub(lambda found: re.sub(rb"[^\n]", b" ", found.group()), source)


def _methods(text: bytes) -> Iterator[Method]:
    for head in _METHOD.finditer(text):
        depth, end = 1, head.end()
        while depth and end < len(text):
            depth += {b"{": 1, b"}": -1}.get(text[end : end + 1], 0)
            end += 1
        body = text[head.end() : end - 1]
        variables = {name: kind.strip() for kind, name in _PARAMETER.findall(head.group(1))}
        variables |= {name: kind for kind, name in _LOCAL.findall(body) if kind.decode() not in _KEYWORDS}
        yield Method(body, head.end(), variables)


def _each(pattern: bytes, replacements: dict[bytes, bytes]) -> Callable[[Method], Iterator[Change]]:
    """An operator that exchanges the first group of a pattern."""
    compiled = re.compile(pattern)

    def operator(method: Method) -> Iterator[Change]:
        for found in compiled.finditer(method.text):
            if (other := replacements.get(found.group(1))) is not None:
                yield Change(found.start(1), found.end(1), other)

    return operator


def _off_by_one(method: Method) -> Iterator[Change]:
    """`x` for `x + 1`, another bound, another index."""
    for found in re.finditer(rb"(?<=[\w)\]])( [+-] 1)\b(?![.\w])", method.text):
        yield Change(*found.span(1), b"")
    for found in re.finditer(rb"[<>]=? (\w+(?:\.length|\.size\(\)|\.length\(\))?)(?=[;)&| ])", method.text):
        yield Change(*found.span(1), found.group(1) + b" - 1")
    for found in re.finditer(rb"(?:\[|= |, |\()(\d)(?=[\]);,])", method.text):
        yield Change(*found.span(1), b"%d" % (int(found.group(1)) + 1))


def _dropped_not(method: Method) -> Iterator[Change]:
    """`x` for `!x`, and the other way round where a call is the condition."""
    for found in re.finditer(rb"(!)[\w(]", method.text):
        yield Change(*found.span(1), b"")
    for found in re.finditer(rb"\bif \((?=[\w.]+\([\w., ]*\)\) )", method.text):
        yield Change(found.end(), found.end(), b"!")


def _swapped_arguments(method: Method) -> Iterator[Change]:
    """`f(b, a)` for `f(a, b)`."""
    for found in re.finditer(rb"\w\(([\w.]+), ([\w.]+)\)(?!\s*\{)", method.text):
        if found.group(1) != found.group(2):
            yield Change(found.start(1), found.end(2), found.group(2) + b", " + found.group(1))


def _dropped_statement(method: Method) -> Iterator[Change]:
    """A call or an assignment to a field on a line of its own is missing."""
    for found in re.finditer(rb"(?<=[;{}]\n)[ \t]+(?:this\.\w+ = |\w+(?:\.\w+)*\()[^;{}\n]*;\n", method.text):
        yield Change(*found.span(), b"")


def _dropped_guard(method: Method) -> Iterator[Change]:
    """`if (…) { return …; }` is missing."""
    for found in _GUARD.finditer(method.text):
        yield Change(*found.span(), b"")


def _wrong_variable(method: Method) -> Iterator[Change]:
    """Another variable of the same type."""
    for found in re.finditer(rb"(?<![\w.])([a-z]\w*)\b(?!\s*(?:=[^=]|\(|\.\w+\())", method.text):
        kind = method.variables.get(found.group(1))
        declares = re.search(rb"[\w>\]]\s+$", method.text[: found.start()][-40:])
        if kind is None or (declares and not re.search(rb"\b(?:return|case)\s+$", method.text[: found.start()])):
            continue
        for name, other in method.variables.items():
            if other == kind and name != found.group(1):
                yield Change(*found.span(1), name)


def _forgotten_condition(method: Method) -> Iterator[Change]:
    """One part of `a && b` is missing."""
    for found in re.finditer(rb"\(([^()|&\n]+)( (?:&&|\|\|) )([^()|&\n]+)\)", method.text):
        yield Change(found.start(1), found.start(3), b"")
        yield Change(found.end(1), found.end(3), b"")


def _missing_call(method: Method) -> Iterator[Change]:
    """`text` for `text.trim()`."""
    for found in re.finditer(rb"(?<=[\w)])\.(?:trim|toLowerCase|toUpperCase|clone)\(\)", method.text):
        yield Change(*found.span(), b"")


OPERATORS: dict[str, Callable[[Method], Iterator[Change]]] = {
    "wrong comparison": _each(rb" (<=?|>=?|==|!=) ", _COMPARISONS),
    "wrong operator": _each(rb"[\w)\]] ([+*/%-]) [\w(]", _ARITHMETIC),
    "wrong junction": _each(rb" (&&|\|\|) ", {b"&&": b"||", b"||": b"&&"}),
    "wrong constant": _each(rb"\b(true|false)\b", {b"true": b"false", b"false": b"true"}),
    "wrong leaving": _each(rb"\b(continue|break);", {b"continue": b"break", b"break": b"continue"}),
    "wrong choice": _each(rb"\bMath\.(min|max)\(", {b"min": b"max", b"max": b"min"}),
    "off by one": _off_by_one,
    "dropped not": _dropped_not,
    "swapped arguments": _swapped_arguments,
    "dropped statement": _dropped_statement,
    "dropped guard": _dropped_guard,
    "wrong variable": _wrong_variable,
    "forgotten condition": _forgotten_condition,
    "missing call": _missing_call,
}
