"""Which functions of a Python file a change touches."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function or method, with its lines (1-based, decorators included, both ends included)."""

    name: str
    first: int
    # The first line of the body, behind a docstring where there is one.
    body: int
    last: int
    # Changes with the code, but not with annotations, docstrings and comments.
    code: str


def functions(source: str) -> dict[str, list[Function]]:
    """The functions by qualified name; nested functions are part of the outer one. A property has several of a name."""
    found: dict[str, list[Function]] = defaultdict(list)

    def visit(nodes: list[ast.stmt], scope: str) -> None:
        for node in nodes:
            if isinstance(node, Definition):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                name = scope + node.name
                found[name].append(Function(name, first, _body(node), node.end_lineno or first, _code(node)))
            elif isinstance(node, ast.ClassDef):
                visit(node.body, f"{scope}{node.name}.")
            else:
                for field in ("body", "orelse", "finalbody"):
                    visit(getattr(node, field, []), scope)
                for handler in getattr(node, "handlers", []):
                    visit(handler.body, scope)

    visit(ast.parse(source).body, "")
    return dict(found)


def changed(before: dict[str, list[Function]], after: dict[str, list[Function]]) -> list[Function]:
    """The functions of `before` whose code differs in `after`, or which are not there any more."""
    found = []
    for name, old in before.items():
        rest = [function.code for function in after.get(name, [])]
        for function in old:
            if function.code in rest:
                rest.remove(function.code)
            else:
                found.append(function)
    return found


class _Bare(ast.NodeTransformer):
    """Leaves out what does not change what a function does."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """An argument without its annotation."""
        return ast.arg(arg=node.arg)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """An assignment without its annotation."""
        if node.value is None:
            return ast.Pass()
        return self.generic_visit(ast.Assign(targets=[node.target], value=node.value))

    def _definition(self, node: Definition) -> ast.AST:
        node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    visit_FunctionDef = _definition
    visit_AsyncFunctionDef = _definition


def _body(node: Definition) -> int:
    statements = node.body[1:] if ast.get_docstring(node, clean=False) is not None else []
    return (statements or node.body)[0].lineno


def _code(node: Definition) -> str:
    return ast.dump(_Bare().visit(ast.parse(ast.unparse(node))))
