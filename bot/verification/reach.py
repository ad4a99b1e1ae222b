"""What a change of one module can concern: read from the two sources, nothing is run."""

import ast
from collections import Counter

from bot.verification.syntax import parse

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def reached(original: str, fix: str) -> frozenset[str] | None:
    """The top-level names that are not the same in both, and those that use them, over however many others.

    `None` where that cannot be told: a source does not parse, or a statement that names nothing has changed.
    """
    try:
        here, there = _statements(original), _statements(fix)
    except _UNREADABLE:
        return None
    texts = [Counter(map(ast.dump, side)) for side in (here, there)]
    differing = (texts[0] - texts[1]) + (texts[1] - texts[0])
    changed = [_named(statement) for statement in (*here, *there) if ast.dump(statement) in differing]
    if not all(changed):
        return None
    found = frozenset[str]().union(*changed)
    uses = [(_named(statement), _used(statement)) for statement in there]
    while more := frozenset[str]().union(*(names for names, used in uses if used & found)) - found:
        found |= more
    return found


def _statements(source: str) -> list[ast.stmt]:
    body: list[ast.stmt] = parse(source).body
    return [
        each for each in body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]  # but for docstrings


def _named(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement binds."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return frozenset({name})
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return frozenset((alias.asname or alias.name).partition(".")[0] for alias in names)
    return frozenset(
        node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def _used(statement: ast.stmt) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(statement) if isinstance(node, ast.Name))
