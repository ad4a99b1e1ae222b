"""Versions of a change in which one of its conditions is missing: an operand of `and` or `or`, a guard, a filter."""

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence

from lab.variants.splice import Function, exchanged, functions, text_of

_LOOSE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)  # bind more loosely than what may stand around them
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def without_conditions(before: str, after: str) -> Iterator[str]:
    """The source `after` with one condition less, for each condition that a function of `before` does not have.

    Raises `SyntaxError` and the like where one of both cannot be read.
    """
    known = functions(before)
    for name, function in functions(after).items():
        old = {ast.dump(node) for node in ast.walk(known[name])} if name in known else set()
        yield from _of_function(after, function, old)


def _of_function(source: str, function: Function, old: set[str]) -> Iterator[str]:
    """old: the dumps of what the function held before."""
    later = _elifs(function)
    for node in ast.walk(function):
        if isinstance(node, ast.If) and ast.dump(node.test) not in old:
            yield from _without_guard(source, node, later)
        elif isinstance(node, ast.expr) and ast.dump(node) not in old:
            for text in _weaker(node):
                yield exchanged(source, node, node, text)


def _elifs(function: Function) -> Mapping[ast.If, ast.If]:
    """Each `elif` with the `if` that it belongs to: there is no other place to write it anew."""
    found: dict[ast.If, ast.If] = {}
    for node in ast.walk(function):  # outer ones come first
        if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(below := node.orelse[0], ast.If):
            found[below] = found.get(node, node)
    return found


def _without_guard(source: str, guard: ast.If, elifs: Mapping[ast.If, ast.If]) -> Iterator[str]:
    """What it guards always happens, or never."""
    whole = elifs.get(guard, guard)
    for kept in (guard.body, guard.orelse or [ast.Pass()]):
        text = text_of(kept) if whole is guard else ast.unparse(_with(whole, guard, kept))
        yield exchanged(source, whole, whole, text)


def _with(whole: ast.If, branch: ast.If, kept: Sequence[ast.stmt]) -> ast.If:
    """A copy of an `if` in which these statements stand for one of its later branches."""
    made = copy.copy(whole)
    below = whole.orelse[0]
    made.orelse = list(kept) if below is branch else [_with(below, branch, kept)] if isinstance(below, ast.If) else []
    return made


def _weaker(node: ast.expr) -> Iterator[str]:
    """The expression with one condition less."""
    match node:
        case ast.BoolOp(op=sign, values=values):
            for at in range(len(values)):
                rest = values[:at] + values[at + 1 :]
                yield _written(rest[0]) if len(rest) == 1 else ast.unparse(ast.BoolOp(sign, rest))
        case ast.IfExp(body=body, orelse=other):
            yield from map(_written, (body, other))
        case ast.Compare(left=left, ops=[first, *further], comparators=[middle, *right]) if further:
            yield ast.unparse(ast.Compare(middle, further, right))
            yield ast.unparse(ast.Compare(left, [first, *further[:-1]], [middle, *right[:-1]]))
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield from _unfiltered(node)


def _written(node: ast.expr) -> str:
    return f"({ast.unparse(node)})" if isinstance(node, _LOOSE) else ast.unparse(node)


def _unfiltered(node: _Comprehension) -> Iterator[str]:
    """The comprehension without one of its filters."""
    for place, loop in enumerate(node.generators):
        for at in range(len(loop.ifs)):
            made = copy.copy(node)
            less = ast.comprehension(loop.target, loop.iter, loop.ifs[:at] + loop.ifs[at + 1 :], loop.is_async)
            made.generators = [*node.generators[:place], less, *node.generators[place + 1 :]]
            yield ast.unparse(made)
