"""Realistic mistakes in Python functions. The operators are in `python_expressions` and `python_statements`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import python_expressions
import python_statements
from python_view import Change, View
from suite import Mutation

Operator = Callable[[View, ast.AST], Iterator[Change]]

OPERATORS: dict[str, Operator] = {**python_expressions.OPERATORS, **python_statements.OPERATORS}


def mutations(source: bytes, lines: set[int]) -> list[Mutation]:
    """What the operators propose inside of functions on these lines."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    found: list[Mutation] = []
    for function in _outer_functions(tree):
        # The signature's line is executed by the import already; only its body shows that the function runs.
        body = range(function.body[0].lineno, (function.end_lineno or 0) + 1)
        if lines.isdisjoint(body):
            continue
        view = View(source, function)
        allowed = lines | {function.lineno}
        for node in ast.walk(function):
            found += _of_node(view, node, allowed)
    return found


def _of_node(view: View, node: ast.AST, lines: set[int]) -> Iterator[Mutation]:
    for name, operator in OPERATORS.items():
        for change in operator(view, node):
            if view.line_of(change.start) in lines:
                yield Mutation(name, *change, view.line_of(change.start), view.extent)


def _outer_functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods, nested ones as part of the outer."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        elif not isinstance(node, (ast.expr, ast.Lambda)):
            yield from _outer_functions(node)
