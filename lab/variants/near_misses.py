"""Near-miss versions of a right change: what an author may hand in who has looked at the issue's example alone.

Of Python, by its syntax tree; nothing is run here. Whether a version is really wrong, tests must say that were hidden
from its author. The kinds follow what passes weak tests in strengthened benchmarks: of the variants that survive there
half alter a condition, and half of the new tests bring another input (STING, research questions 1 and 4). Versions that
work for the issue's example alone do so by the right code, or by its answer written down.
"""

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.changes.kinds import is_test_by_path
from bot.verification.literals import exception, interface_of
from bot.verification.syntax import parse
from lab.scores.counts import draw
from lab.variants.splice import Function, body_of, functions, replace_nodes, text_of
from lab.variants.told_examples import Example, examples_in

MOST = 3  # of each kind, of one change
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class VariantKind(StrEnum):
    """How a version is made from the right change."""

    NARROWED = "narrowed to the example"
    DROPPED = "a condition dropped"
    SPECIAL_CASED = "an input special-cased"


@dataclass(frozen=True, slots=True)
class Variant:
    """One version of a change. files: path -> text of every product file that it changes, as it leaves them."""

    kind: VariantKind
    files: Mapping[str, str]


def variants(
    before: Mapping[str, str], after: Mapping[str, str], issue: str, *, most: int = MOST, seed: int = 0
) -> tuple[Variant, ...]:
    """Versions of the change from `before` to `after`, at most so many of each kind, drawn by the seed.

    before, after: path -> text of each file that the change touches; those that are no Python, and tests, are left out.
    issue: the text that says what is wanted. What is the same program as one of both, or as another version, is left
    out as well, by its syntax tree.
    """
    old = {path: text for path, text in before.items() if is_product(path)}
    new = {path: text for path, text in after.items() if is_product(path) and text != old.get(path)}
    seen = {_shape(new, old), _shape({}, old)}
    if None in seen or len(seen) == 1:
        return ()
    found: list[Variant] = []
    for kind, make in _MAKERS.items():
        fresh = []
        for files in make(old, new, issue):
            if (shape := _shape(files, old)) is not None and shape not in seen:
                seen.add(shape)
                fresh.append(Variant(kind, files))
        found += draw(fresh, most, seed)
    return tuple(found)


def is_product(path: str) -> bool:
    """Whether versions may differ in it."""
    return path.endswith(".py") and not is_test_by_path(path)


def _shape(files: Mapping[str, str], old: Mapping[str, str]) -> tuple[str, ...] | None:
    """What tells two programs apart; `None` where one cannot be read."""
    try:
        return tuple(sorted(f"{path}\0{ast.dump(parse(text))}" for path, text in {**old, **files}.items()))
    except _UNREADABLE:
        return None


def _narrowed(old: Mapping[str, str], new: Mapping[str, str], issue: str) -> Iterator[Mapping[str, str]]:
    for path in sorted(new):
        yield from ({**new, path: text} for text in narrow(old.get(path, ""), new[path], issue))


def _dropped(old: Mapping[str, str], new: Mapping[str, str], _: str) -> Iterator[Mapping[str, str]]:
    for path in sorted(new):
        yield from ({**new, path: text} for text in without_conditions(old.get(path, ""), new[path]))


def _special_cased(old: Mapping[str, str], new: Mapping[str, str], issue: str) -> Iterator[Mapping[str, str]]:
    """The old code, except for one answer."""
    for path in sorted(new.keys() & old.keys()):
        yield from ({path: text} for text in special_cased(old[path], issue))


_MAKERS: Mapping[VariantKind, Callable[[Mapping[str, str], Mapping[str, str], str], Iterator[Mapping[str, str]]]] = {
    VariantKind.NARROWED: _narrowed,
    VariantKind.DROPPED: _dropped,
    VariantKind.SPECIAL_CASED: _special_cased,
}


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
                yield replace_nodes(source, node, node, text)


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
        yield replace_nodes(source, whole, whole, text)


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


def narrow(before: str, after: str, issue: str) -> Iterator[str]:
    """The source `after`, where what changed in the example's function happens for the example's values alone.

    Where several arguments are given, also for each of them alone, whatever the others are.
    Raises `SyntaxError` and the like where a source cannot be read.
    """
    old, new = functions(before), functions(after)
    for example in examples_of(before, issue):
        name = example.call.function
        if name not in new or name not in old or ast.dump(old[name].args) != ast.dump(new[name].args):
            continue
        if ast.dump(old[name]) == ast.dump(new[name]):
            continue  # what it calls was changed
        for condition in _conditions(example):
            both = body_of(new[name]), body_of(old[name])
            if all(both):
                yield _with_body(after, new[name], [ast.If(condition, *both)])


def special_cased(before: str, issue: str) -> Iterator[str]:
    """The source `before` with the example's answer written down for the example's values.

    Raises `SyntaxError` and the like where it cannot be read.
    """
    old = functions(before)
    for example in examples_of(before, issue):
        function = old[example.call.function]
        for condition in _conditions(example)[:1]:
            case = ast.If(condition, [_answer(example)], [])
            yield _with_body(before, function, [case, *body_of(function)])


def examples_of(source: str, issue: str) -> tuple[Example, ...]:
    """The issue's examples of the module's functions, each call once: those that the text demands, else all."""
    interface = interface_of(source, "module")
    found = tuple(examples_in(issue, interface)) or tuple(examples_in(issue, interface, tried=True))
    return tuple({example.call: example for example in found}.values())


def _conditions(example: Example) -> list[ast.expr]:
    """That all arguments are the example's; where there are several, also that one of them is."""
    equal = [parse(f"{name} == {value}", mode="eval").body for name, value in example.call.arguments]
    if len(equal) < 2:
        return equal
    return [ast.BoolOp(ast.And(), equal), *equal]


def _answer(example: Example) -> ast.stmt:
    raised = exception(example.expected)
    return parse(f"raise {raised}" if raised else f"return {example.expected}").body[0]


def _with_body(source: str, function: Function, body: Sequence[ast.stmt]) -> str:
    old = body_of(function)
    return replace_nodes(source, old[0], old[-1], text_of(body)) if old else source
