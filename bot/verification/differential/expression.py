"""Calls as text, and the literals in them: what may be varied of a call, whatever it calls.

An expression is one call, or several in a row of which the last one's value counts: `(o1 := Ferry(5), o1.board(18),
o1.fare(3))[-1]`. Each call in it that is given literals is a site; the name of a site says what is called, and where.
"""

import ast
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from bot.verification.literals import FUNCTION, GIVEN
from bot.verification.syntax import UNREADABLE, is_literal, parse

_HOLE = "\1"
_OBJECT = re.compile(r"\bo\d+\b")
_MEMBER = re.compile(r"\b[A-Z]\w*\.\w+\b(?!\()")
_NOT_VARIED = ("unpickled", "float", FUNCTION)


@dataclass(frozen=True, slots=True)
class Step:
    """One call: its text between literals, these, and which of them each site is given. asks: the site, or what is
    called without a literal. of: what it is a call of, where that is an object with a name."""

    pieces: tuple[str, ...]
    values: tuple[Any, ...]
    sites: tuple[tuple[str, tuple[int, ...]], ...]
    asks: str
    of: str = ""

    def __str__(self) -> str:
        rest = (f"{as_literal(value)}{piece}" for value, piece in zip(self.values, self.pieces[1:], strict=True))
        return self.pieces[0] + "".join(rest)

    @property
    def objects(self) -> set[str]:
        return {name for piece in self.pieces for name in _OBJECT.findall(piece)}


@dataclass(frozen=True, slots=True)
class Expression:
    """steps: in order. The values of all of them are one row."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        *before, last = map(str, self.steps)
        if len(before) == 1:  # an object that is asked once
            name, made, value = before[0].partition(" := ")
            if made and last.count(name) == len(_OBJECT.findall(last)) == 1:
                return last.replace(name, value)
        return f"({', '.join((*before, last))})[-1]" if before else last

    @property
    def values(self) -> tuple[Any, ...]:
        return tuple(value for step in self.steps for value in step.values)

    @property
    def sites(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Name, and where its literals stand in `values`."""
        at = 0
        for step in self.steps:
            yield from ((name, tuple(at + place for place in places)) for name, places in step.sites)
            at += len(step.values)

    def with_values(self, values: Sequence[Any]) -> "Expression":
        """The same calls with other literals."""
        left = list(values)
        steps = (replace(step, values=tuple(left.pop(0) for _ in step.values)) for step in self.steps)
        return Expression(tuple(steps))

    def with_others(self, others: Mapping[int, Any]) -> "Expression":
        """The same calls with others in the place of some literals."""
        return self.with_values([others.get(at, value) for at, value in enumerate(self.values)])

    def with_members(self, members: Mapping[str, Sequence[str]]) -> Iterator["Expression"]:
        """With another member of an enumeration in the place of one. members: of each all that may stand there."""
        for at, step in enumerate(self.steps):
            text = _HOLE.join(step.pieces)
            for found in _MEMBER.finditer(text):
                for other in members.get(found[0], ()):
                    pieces = f"{text[: found.start()]}{other}{text[found.end() :]}".split(_HOLE)
                    yield Expression((*self.steps[:at], replace(step, pieces=tuple(pieces)), *self.steps[at + 1 :]))

    def other_orders(self, others: Sequence[Step], random: Random) -> Iterator["Expression"]:
        """With a step left out, made twice or earlier, with what is asked last asked before as well, and with one more
        that was seen of such an object."""
        steps = self.steps
        free = [at for at, step in enumerate(steps) if " := " not in step.pieces[0] and len(steps) > 1]
        for at in free[:-1]:
            yield Expression((*steps[:at], steps[-1], *steps[at:]))
            yield Expression((*steps[:at], *steps[at + 1 :]))
        for at in free:
            yield Expression((*steps[: at + 1], *steps[at:]))
            if at - 1 in free:
                yield Expression((*steps[: at - 1], steps[at], steps[at - 1], *steps[at + 1 :]))
        name = next(iter(steps[-1].objects), "")
        for step in random.sample(others, min(len(others), 4)) if free and name and steps[-1].of else ():
            if step.of == steps[-1].of:
                more = replace(step, pieces=tuple(_OBJECT.sub(name, piece) for piece in step.pieces))
                yield Expression((*steps, more))
                yield Expression((*steps[:-1], more, steps[-1]))


def read(text: str, module: str = "") -> Expression | None:
    """An expression; nothing where it is no call, or names what nobody knows. module: whose names need no prefix."""
    try:
        tree = parse(text.strip(), mode="eval").body
        parts = tree.value.elts if isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Tuple) else [tree]
        made = dict[str, str]()
        return Expression(tuple(_step(each, module, made) for each in parts))
    except UNREADABLE:
        return None


def _step(node: ast.expr, module: str, made: dict[str, str]) -> Step:
    """Raises ValueError for what is no call. made: object -> what it was made by."""
    holes, name = _Holes(module, made), ""
    if isinstance(node, ast.NamedExpr):
        name, node = node.target.id, node.value
    if not isinstance(node, ast.Call) and not (isinstance(node, ast.Attribute) and (made or _calls(node))):
        raise ValueError
    is_call = isinstance(node, ast.Call)
    called = holes.name_of(node.func if isinstance(node, ast.Call) else node)
    of = called.rpartition(".")[0] or called if holes.named else ""
    text = ast.unparse(holes.visit(node))
    asks = next((site for site, _ in reversed(holes.sites) if is_call and site.startswith(f"{called}(")), called)
    pieces = tuple((f"{name} := {text}" if name else text).split(_HOLE))
    if name:
        made[name] = f"{called}({_functions_in(node)})"
    return Step(pieces, tuple(holes.values), tuple(holes.sites), asks, of)


def _mark(node: ast.AST) -> str:
    """What stands for a function of a test's: what else is given depends on which one it is. Empty for other nodes."""
    given = isinstance(node, ast.Call) and getattr(node.func, "id", "") == FUNCTION
    return f"f{zlib.crc32(ast.dump(node).encode()):x}" if given else ""


def _functions_in(node: ast.AST) -> str:
    """The marks of those that a call is given."""
    return ", ".join(filter(None, map(_mark, node.args))) if isinstance(node, ast.Call) else ""


def _calls(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


class _Holes(ast.NodeTransformer):
    """Takes the literals that calls are given out of an expression."""

    def __init__(self, module: str, made: dict[str, str]) -> None:
        self.module, self.made, self.named = module, made, False
        self.values: list[Any] = []
        self.sites: list[tuple[str, tuple[int, ...]]] = []

    def name_of(self, node: ast.expr) -> str:
        """What is called, with what made the object that it is a method of."""
        match node:
            case ast.Call(func=function):
                return f"{self.name_of(function)}({_functions_in(node)})"
            case ast.Attribute(value=value, attr=name):
                before = ast.unparse(value)
                return name if before == self.module else f"{self.name_of(value)}.{name}"
            case ast.Name(id=name):
                self.named = self.named or name in self.made
                return self.made.get(name, name)
        raise ValueError

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return ast.Name(node.attr) if ast.unparse(node.value) == self.module else self.generic_visit(node)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        raise ValueError

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = self.name_of(node.func)
        sets = name == "setattr" and len(node.args) == 3
        if sets:
            name = f"{self.name_of(node.args[0])}.{ast.literal_eval(node.args[1])}"
        named = name in GIVEN and bool(node.args)
        if named:
            name = f"{name}({ast.unparse(node.args[0])})"
        if name in _NOT_VARIED and all(map(is_literal, node.args)):
            return node
        node.func = self.visit(node.func)
        places, told = list[int](), list[str]()
        given = [*node.args, *(word.value for word in node.keywords)]
        for at, each in enumerate(given):
            varied = is_literal(each) and not (sets and at == 1) and not (named and at == 0)
            if varied:
                places.append(len(self.values))
                self.values.append(ast.literal_eval(each))
                given[at] = ast.Name(_HOLE)
            elif isinstance(each, ast.Name) and each.id not in self.made:
                raise ValueError
            else:
                given[at] = self.visit(each)
            word = node.keywords[at - len(node.args)].arg if at >= len(node.args) else None
            told.append(f"{word}=" * bool(word) + "?" * varied + _mark(each))
        count = len(node.args)
        node.args = given[:count]
        for word_, each in zip(node.keywords, given[count:], strict=True):
            word_.value = each
        if places:
            self.sites.append((f"{name}({', '.join(told)})", tuple(places)))
        return node


def as_literal(value: Any) -> str:
    """A value as an expression."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f"float('{value}')"
    return repr(value)
