"""The functions of a Python file, read from its source. Nothing is run."""

import ast
import math
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from bot.verification.syntax import parse
from bot.verification.values import Function

Node = ast.FunctionDef | ast.AsyncFunctionDef
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def functions_of(path: str, source: bytes) -> tuple[Function, ...]:
    """Every function of the file, outer ones before those in them; none where it does not parse."""
    return tuple(
        Function(path, name, starts(node), node.end_lineno or node.lineno) for name, node in nodes_of(parsed(source))
    )


def parsed(source: bytes) -> ast.Module:
    """The module; an empty one where it does not parse."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return parse(source)
    except _UNREADABLE:
        return ast.Module([], [])


def nodes_of(module: ast.Module) -> Iterator[tuple[str, Node]]:
    """Each function with its dotted name, in no depth of the interpreter's stack."""
    waiting: list[tuple[str, ast.AST]] = [("", module)]
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, Node | ast.ClassDef)
            inside = f"{prefix}{child.name}." if named else prefix  # type: ignore[attr-defined]
            if isinstance(child, Node):
                yield f"{prefix}{child.name}", child
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                waiting.append((inside, child))


def starts(node: Node) -> int:
    """The line on which the interpreter lets a function begin: that of its first decorator."""
    return min([node.lineno, *(mark.lineno for mark in node.decorator_list)])


def innermost(functions: Iterable[Function]) -> Callable[[int], Function | None]:
    """The smallest function around a line, asked for as many lines as are wanted. functions: of one file."""
    opening = sorted(functions, key=lambda function: (function.first, -function.last))
    starts_at, open_ = [0], list[Function]()
    owners: list[Function | None] = [None]

    def close(before: float) -> None:
        while open_ and open_[-1].last < before:
            last = open_.pop().last
            starts_at.append(last + 1)
            owners.append(open_[-1] if open_ else None)

    for function in opening:
        close(function.first)
        open_.append(function)
        starts_at.append(function.first)
        owners.append(function)
    close(math.inf)
    return lambda line: owners[bisect_right(starts_at, line) - 1]
