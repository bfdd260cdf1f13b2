"""Mistakes inside of an expression: each operator gives the changes that it proposes at a node."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from python_view import Change, View

COMPARISONS: dict[type, tuple[bytes, bytes]] = {
    ast.Lt: (rb"<", b"<="),
    ast.LtE: (rb"<=", b"<"),
    ast.Gt: (rb">", b">="),
    ast.GtE: (rb">=", b">"),
    ast.Eq: (rb"==", b"!="),
    ast.NotEq: (rb"!=", b"=="),
    ast.Is: (rb"\bis\b", b"is not"),
    ast.IsNot: (rb"\bis\s+not\b", b"is"),
    ast.In: (rb"\bin\b", b"not in"),
    ast.NotIn: (rb"\bnot\s+in\b", b"in"),
}
ARITHMETIC: dict[type, tuple[bytes, bytes]] = {
    ast.Add: (rb"\+", b"-"),
    ast.Sub: (rb"-", b"+"),
    ast.Mult: (rb"\*", b"+"),
    ast.Div: (rb"/", b"//"),
    ast.FloorDiv: (rb"//", b"/"),
    ast.Mod: (rb"%", b"//"),
}
# Methods and functions that people forget to call.
FORGOTTEN_METHODS = frozenset("strip lstrip rstrip lower upper casefold copy title splitlines items".split())
FORGOTTEN_FUNCTIONS = frozenset("int str list sorted reversed set abs tuple bool len".split())


def wrong_comparison(view: View, node: ast.AST) -> Iterator[Change]:
    """`<` for `<=`, `==` for `!=`, `in` for `not in`."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        pattern, other = COMPARISONS[type(node.ops[0])]
        yield from _between(view, node.left, node.comparators[0], pattern, other)


def wrong_operator(view: View, node: ast.AST) -> Iterator[Change]:
    """`+` for `-`, `/` for `//`; also in augmented assignments."""
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        # With a text, all of these but `+` fail at once, and `%` is formatting.
        if not any(_is_text(side) for side in (node.left, node.right)):
            yield from _between(view, node.left, node.right, *ARITHMETIC[type(node.op)])
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)) and not _is_text(node.value):
        pattern, other = ARITHMETIC[type(node.op)]
        yield from _between(view, node.target, node.value, pattern + rb"(?==)", other)


def wrong_junction(view: View, node: ast.AST) -> Iterator[Change]:
    """`and` for `or`."""
    if isinstance(node, ast.BoolOp) and len(node.values) == 2:
        pattern, other = (rb"\band\b", b"or") if isinstance(node.op, ast.And) else (rb"\bor\b", b"and")
        yield from _between(view, node.values[0], node.values[1], pattern, other)


def forgotten_condition(view: View, node: ast.AST) -> Iterator[Change]:
    """One part of `a and b` is missing."""
    if isinstance(node, ast.BoolOp):
        first, second = node.values[0], node.values[1]
        yield Change(view.span(first)[0], view.span(second)[0], b"")
        yield Change(view.span(node.values[-2])[1], view.span(node.values[-1])[1], b"")


def off_by_one(view: View, node: ast.AST) -> Iterator[Change]:
    """A boundary or an index that is one too great or too small."""
    if isinstance(node, ast.Compare):
        bounds = [node.left, *node.comparators] if isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) else []
    elif isinstance(node, ast.Subscript):
        bounds = [node.slice]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        bounds = node.args
    else:
        bounds = []
    for bound in bounds:
        if (number := _integer(bound)) is not None:
            yield view.replace(bound, b"%d" % (number + 1))
            if number > 0:
                yield view.replace(bound, b"%d" % (number - 1))
        elif isinstance(bound, ast.Call) and isinstance(bound.func, ast.Name) and bound.func.id == "len":
            yield view.replace(bound, view.text(bound) + b" - 1")


def forgotten_addition(view: View, node: ast.AST) -> Iterator[Change]:
    """`x` for `x + 1`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and _integer(node.right):
        yield view.replace(node, view.text(node.left))


def dropped_not(view: View, node: ast.AST) -> Iterator[Change]:
    """`x` for `not x`, and the other way round in conditions."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield Change(view.span(node)[0], view.span(node.operand)[0], b"")
    elif isinstance(node, (ast.If, ast.IfExp)) and isinstance(node.test, (ast.Name, ast.Attribute, ast.Call)):
        yield view.replace(node.test, b"not " + view.text(node.test))


def swapped_arguments(view: View, node: ast.AST) -> Iterator[Change]:
    """`f(b, a)` for `f(a, b)`."""
    if not isinstance(node, ast.Call) or any(isinstance(value, ast.Starred) for value in node.args):
        return
    for first, second in itertools.pairwise(node.args):
        (start, first_end), (second_start, end) = view.span(first), view.span(second)
        if view.text(first) != view.text(second):
            between = view.source[first_end:second_start]
            yield Change(start, end, view.text(second) + between + view.text(first))


def wrong_variable(view: View, node: ast.AST) -> Iterator[Change]:
    """Another variable of the same function, of a similar name or a neighbour."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in view.variables:
        for name, line in view.variables.items():
            if name != node.id and line < node.lineno:
                yield view.replace(node, name.encode())


def wrong_constant(view: View, node: ast.AST) -> Iterator[Change]:
    """`True` for `False`, 0 for 1 and 1 for 0 in assignments and results, a text that misses its last character."""
    if isinstance(node, (ast.Return, ast.Assign)) and isinstance(node.value, ast.Constant):
        yield from _other_constant(view, node.value)
    elif isinstance(node, ast.Call):
        for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if isinstance(value, ast.Constant):
                yield from _other_constant(view, value)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        right = node.comparators[0]
        if isinstance(right, ast.Constant) and isinstance(right.value, str):
            yield from _other_constant(view, right)


def wrong_default(view: View, node: ast.AST) -> Iterator[Change]:
    """Another default of a parameter, or of a look-up."""
    if isinstance(node, ast.arguments):
        for value in [*node.defaults, *filter(None, node.kw_defaults)]:
            if isinstance(value, ast.Constant):
                yield from _other_constant(view, value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 2:
        if node.func.attr in ("get", "pop", "setdefault"):
            yield view.replace(node.args[1], b"0" if view.text(node.args[1]) == b"None" else b"None")


def missing_call(view: View, node: ast.AST) -> Iterator[Change]:
    """`text` for `text.strip()`, `values` for `sorted(values)`."""
    if not isinstance(node, ast.Call) or node.keywords:
        return
    if isinstance(node.func, ast.Attribute) and node.func.attr in FORGOTTEN_METHODS and not node.args:
        yield view.replace(node, view.text(node.func.value))
    elif isinstance(node.func, ast.Name) and node.func.id in FORGOTTEN_FUNCTIONS and len(node.args) == 1:
        if not isinstance(node.args[0], (ast.GeneratorExp, ast.Starred)):
            yield view.replace(node, view.text(node.args[0]))


def changed_slice(view: View, node: ast.AST) -> Iterator[Change]:
    """`x[a:]` for `x[a:b]`, `x[:b - 1]` for `x[:b]`."""
    if not isinstance(node, ast.Slice):
        return
    for bound in filter(None, (node.lower, node.upper)):
        if isinstance(bound, ast.Constant) or isinstance(bound, ast.UnaryOp):
            yield view.replace(bound, b"")
        else:
            yield view.replace(bound, view.text(bound) + b" + 1")
            yield view.replace(bound, view.text(bound) + b" - 1")


def exchanged_choice(view: View, node: ast.AST) -> Iterator[Change]:
    """`b if c else a` for `a if c else b`."""
    if isinstance(node, ast.IfExp) and view.text(node.body) != view.text(node.orelse):
        middle = view.source[view.span(node.body)[1] : view.span(node.orelse)[0]]
        start, end = view.span(node.body)[0], view.span(node.orelse)[1]
        yield Change(start, end, view.text(node.orelse) + middle + view.text(node.body))


def _between(view: View, left: ast.expr, right: ast.expr, pattern: bytes, other: bytes) -> Iterator[Change]:
    """The operator between two operands; brackets may stand there too."""
    start, end = view.span(left)[1], view.span(right)[0]
    if found := re.search(pattern, view.source[start:end]):
        yield Change(start + found.start(), start + found.end(), other)


def _other_constant(view: View, node: ast.Constant) -> Iterator[Change]:
    text = view.text(node)
    if isinstance(node.value, bool):
        yield view.replace(node, str(not node.value).encode())
    elif (number := _integer(node)) is not None:
        yield view.replace(node, b"%d" % (number + 1 if number != 1 else 0))
    elif isinstance(node.value, str) and re.fullmatch(rb"""(['"])[\w ,.:;/-]{2,}\1""", text):
        yield view.replace(node, text[:-2] + text[-1:])
    elif isinstance(node.value, str) and text in (b"''", b'""'):
        yield view.replace(node, b"None")


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def _integer(node: ast.AST) -> int | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return None


OPERATORS = {
    "wrong comparison": wrong_comparison,
    "wrong operator": wrong_operator,
    "wrong junction": wrong_junction,
    "forgotten condition": forgotten_condition,
    "off by one": off_by_one,
    "forgotten addition": forgotten_addition,
    "dropped not": dropped_not,
    "swapped arguments": swapped_arguments,
    "wrong variable": wrong_variable,
    "wrong constant": wrong_constant,
    "wrong default": wrong_default,
    "missing call": missing_call,
    "changed slice": changed_slice,
    "exchanged choice": exchanged_choice,
}
