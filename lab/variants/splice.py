"""Python source with one piece exchanged; everything around it stays as it was written."""

import ast
import textwrap
from collections.abc import Iterator, Sequence

from bot.verification.syntax import parse

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(source: str) -> dict[str, Function]:
    """Every function by its dotted name, with the classes and functions around it. Raises what `parse` raises."""
    return dict(_functions(parse(source), ""))


def _functions(node: ast.AST, around: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef):
            if isinstance(child, Function):
                yield around + child.name, child
            yield from _functions(child, f"{around}{child.name}.")
        else:
            yield from _functions(child, around)


def body_of(function: Function) -> list[ast.stmt]:
    """Without its docstring."""
    first = function.body[0]
    documented = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return function.body[documented:]


def text_of(statements: Sequence[ast.stmt]) -> str:
    """Statements as Python's own unparser writes them."""
    return "\n".join(map(ast.unparse, statements))


def replace_nodes(source: str, first: ast.expr | ast.stmt, last: ast.expr | ast.stmt, text: str) -> str:
    """The source with `text` instead of what stands from one node to the other.

    The text's further lines are indented as the first node is.
    """
    lines = source.encode().splitlines(keepends=True)  # positions count bytes of UTF-8
    assert last.end_lineno is not None
    assert last.end_col_offset is not None
    head = b"".join(lines[: first.lineno - 1]) + lines[first.lineno - 1][: first.col_offset]
    tail = lines[last.end_lineno - 1][last.end_col_offset :] + b"".join(lines[last.end_lineno :])
    indented = textwrap.indent(text, " " * first.col_offset).lstrip(" ")
    return (head + indented.encode() + tail).decode()
