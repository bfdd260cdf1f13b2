"""Mistakes with whole statements: each operator gives the changes that it proposes at a node."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from python_view import Change, View

EXCEPTIONS = {
    "KeyError": b"IndexError",
    "IndexError": b"KeyError",
    "ValueError": b"TypeError",
    "TypeError": b"ValueError",
    "AttributeError": b"KeyError",
    "StopIteration": b"IndexError",
    "UnicodeDecodeError": b"UnicodeEncodeError",
    "OSError": b"ValueError",
}
# A statement that ends a block.
LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def dropped_statement(view: View, node: ast.AST) -> Iterator[Change]:
    """A call, or an assignment to an attribute or an item, is missing."""
    for block in _blocks(node):
        # The only statement of a block cannot be missing.
        for statement in block if len(block) > 1 else ():
            is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            if is_call or isinstance(statement, ast.AugAssign) or _stores_into_object(statement):
                yield from _without(view, statement)


def dropped_branch(view: View, node: ast.AST) -> Iterator[Change]:
    """A guard (`if …: return`) or the last `elif` is missing."""
    for block in _blocks(node):
        for statement in block if len(block) > 1 else ():
            if isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], LEAVES):
                yield from _without(view, statement)
    if isinstance(node, ast.If) and (last := _elif(view, node)) is not None and not last.orelse:
        yield from _without(view, last)


def exchanged_bodies(view: View, node: ast.AST) -> Iterator[Change]:
    """What belongs into `if` stands in `else`."""
    if isinstance(node, ast.If) and node.orelse and _elif(view, node) is None:
        first = view.whole_lines(node.body[0], node.body[-1])
        second = view.whole_lines(node.orelse[0], node.orelse[-1])
        if first and second:
            source = view.source
            middle = source[first[1] : second[0]]
            exchanged = _ended(source[slice(*second)]) + middle + source[slice(*first)]
            yield Change(first[0], second[1], exchanged)


def early_return(view: View, node: ast.AST) -> Iterator[Change]:
    """The `return` after a loop is indented once too often, so that the first round ends the function."""
    for block in _blocks(node):
        for loop, following in itertools.pairwise(block):
            if not isinstance(loop, (ast.For, ast.While)) or not isinstance(following, ast.Return):
                continue
            if following.lineno == following.end_lineno and not loop.orelse and view.whole_lines(following):
                deeper = loop.body[0].col_offset - loop.col_offset
                yield Change(*view.span(following), b" " * deeper + view.text(following))


def wrong_leaving(view: View, node: ast.AST) -> Iterator[Change]:
    """A loop that stops too early, or goes on: `break` for `continue`."""
    if isinstance(node, ast.Continue):
        yield view.replace(node, b"break")
    elif isinstance(node, ast.Break):
        yield view.replace(node, b"continue")


def short_loop(view: View, node: ast.AST) -> Iterator[Change]:
    """A loop that leaves out the first or the last round."""
    if not isinstance(node, (ast.For, ast.comprehension)):
        return
    values = node.iter
    if isinstance(values, ast.Call) and isinstance(values.func, ast.Name) and values.func.id == "range":
        last = values.args[min(1, len(values.args) - 1)]
        yield view.replace(last, view.text(last) + b" - 1")
        if len(values.args) == 1:
            yield view.replace(last, b"1, " + view.text(last))
    elif isinstance(values, (ast.Name, ast.Attribute)):
        yield view.replace(values, view.text(values) + b"[1:]")


def wrong_exception(view: View, node: ast.AST) -> Iterator[Change]:
    """Another exception is caught, or one of several is forgotten."""
    if not isinstance(node, ast.ExceptHandler) or node.type is None:
        return
    if isinstance(node.type, ast.Name) and node.type.id in EXCEPTIONS:
        yield view.replace(node.type, EXCEPTIONS[node.type.id])
    elif isinstance(node.type, ast.Tuple):
        for kept in node.type.elts:
            yield view.replace(node.type, view.text(kept))


def wrong_result(view: View, node: ast.AST) -> Iterator[Change]:
    """Two results are exchanged, or a condition is returned the wrong way round."""
    if isinstance(node, ast.Return) and isinstance(node.value, (ast.Compare, ast.BoolOp)):
        yield view.replace(node.value, b"not (" + view.text(node.value) + b")")
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2:
        first, second = node.value.elts
        between = view.source[view.span(first)[1] : view.span(second)[0]]
        start, end = view.span(first)[0], view.span(second)[1]
        yield Change(start, end, view.text(second) + between + view.text(first))


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements in a node."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block


def _without(view: View, statement: ast.stmt) -> Iterator[Change]:
    if lines := view.whole_lines(statement):
        yield Change(*lines, b"")


def _stores_into_object(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign):
        return False
    return all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in statement.targets)


def _elif(view: View, node: ast.If) -> ast.If | None:
    """The branch that follows as `elif`."""
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and view.text(node.orelse[0]).startswith(b"elif"):
        return node.orelse[0]
    return None


def _ended(text: bytes) -> bytes:
    """The last line of a file may have no end."""
    return text if text.endswith(b"\n") else text + b"\n"


OPERATORS = {
    "dropped statement": dropped_statement,
    "dropped branch": dropped_branch,
    "exchanged bodies": exchanged_bodies,
    "early return": early_return,
    "wrong leaving": wrong_leaving,
    "short loop": short_loop,
    "wrong exception": wrong_exception,
    "wrong result": wrong_result,
}
