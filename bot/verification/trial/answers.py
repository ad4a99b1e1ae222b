"""Product code that gives a test its answer: what a change compares with a value that the base's tests use, and gives
back a constant that they demand. Read from the source, nothing runs; Python only. Pure.

A value counts that hardly any program compares by chance: a table of at least two values, a long text, a number of
three digits. What the base's code compares with already is not the change's.
"""

import ast
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from bot.verification.syntax import is_literal, tree_of

_LONG = 16  # characters of a text
_LARGE = 100  # the least number of three digits
_MOST = 20  # places that are told
_SIZE = 200  # nodes of a constant: what is larger is no single answer


def answers(changed: Mapping[str, tuple[bytes | None, bytes | None]], tests: Iterable[bytes]) -> tuple[str, ...]:
    """Where new code of the changed product files answers a value of the tests, as `path:line`.

    changed: path -> (before, after). tests: the base's tests and what they read, whatever they are.
    """
    asked = {path: list(_asked(after)) for path, (_, after) in changed.items() if path.endswith(".py")}
    if not any(asked.values()):
        return ()
    told = frozenset(value for text in tests for value in _values(text))
    found = []
    for path, branches in asked.items():
        known = {value for value, _, _ in _asked(changed[path][0])}
        new = ((value, given, line) for value, given, line in branches if value not in known)
        found += [f"{path}:{line}" for value, given, line in new if value in told and given in told]
    return tuple(found[:_MOST])


def _asked(source: bytes | None) -> Iterator[tuple[str, str, int]]:
    """Each branch that is taken for one telling value and gives a constant: value, constant, line."""
    for node in ast.walk(tree_of(source or b"")):
        match node:
            case ast.If(test=test, body=[*_, ast.Return(value=ast.expr() as given)]):
                yield from _pairs(test, given)
            case ast.IfExp(test=test, body=given):
                yield from _pairs(test, given)
            case ast.match_case(
                pattern=ast.MatchValue(value=value), body=[*_, ast.Return(value=ast.expr() as given)]
            ) if _tells(value) and _constant(given):
                yield _same(value), _same(given), value.lineno
            case ast.Dict(keys=keys, values=values):
                for key, given in zip(keys, values, strict=True):
                    if key is not None and _tells(key) and _constant(given):
                        yield _same(key), _same(given), key.lineno


def _pairs(test: ast.expr, given: ast.expr) -> Iterator[tuple[str, str, int]]:
    if not _constant(given):
        return
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and any(isinstance(sign, ast.Eq | ast.In | ast.Is) for sign in node.ops):
            for side in (node.left, *node.comparators):
                if _tells(side):
                    yield _same(side), _same(given), node.lineno


def _values(text: bytes) -> Iterator[str]:
    """Every value that a test file writes down, or a file of data holds."""
    tree = tree_of(text)
    if not tree.body:
        yield from _of_json(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and _constant(node):
            yield _same(node)


def _of_json(text: bytes) -> Iterator[str]:
    try:
        front = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while front:
        value = front.pop()
        if _few(
            value, lambda each: each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        ):
            yield _form(value)
        if isinstance(value, list | dict):
            front += value.values() if isinstance(value, dict) else value


def _tells(node: ast.expr) -> bool:
    """Whether hardly any program compares with this by chance."""
    if not _constant(node):
        return False
    value = ast.literal_eval(node)
    if isinstance(value, list | tuple | set | dict):
        return len(value) > 1
    if isinstance(value, str | bytes):
        return len(value) >= _LONG
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= _LARGE


def _few(start: Any, parts: Callable[[Any], Iterable[Any]]) -> bool:
    """Whether it has few parts, told without looking at many."""
    front, seen = [start], 0
    while front and seen <= _SIZE:
        seen += 1
        front += islice(parts(front.pop()), _SIZE)
    return seen <= _SIZE


def _constant(node: ast.expr) -> bool:
    return _few(node, ast.iter_child_nodes) and is_literal(node)


def _same(node: ast.expr) -> str:
    return _form(ast.literal_eval(node))


def _form(value: object) -> str:
    """Equal for equal values; a list is as good as a tuple."""
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_form, value))})"
    return repr(value)
