"""What others may do with the attributes of objects that calls make, as further calls: read one that a single program
shows, and set one whose value whoever made the object had given.

What objects show is observed where the visible calls are made. An attribute is first set to what it was, so that it
varies as every other literal does.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from bot.verification.calls.equality import attributes_of, equal
from bot.verification.differential.expression import Expression, read
from bot.verification.programs import changed_files, changed_lines
from bot.verification.syntax import parse, tree_of
from bot.verification.values import Ending, Observed, Program

MOST = 40  # further calls of each sort
_STEP = re.compile(r"Step\((\d+)\)")
_Shown = tuple[dict[str, str], dict[str, str]]  # the attributes of an object in both programs


@dataclass(frozen=True, slots=True)
class FurtherCalls:
    """read, set: the attributes with which these do so."""

    calls: Mapping[str, Expression] = field(default_factory=dict)
    read: frozenset[str] = frozenset()
    set: frozenset[str] = frozenset()

    def is_refused(self, call: Expression, *seen: Observed) -> bool:
        """Whether a program lets nobody set such an attribute, which is no question then."""
        at = [_STEP.fullmatch(each.mutated) for each in seen if each.ending is Ending.RAISED]
        ends = [str(call.steps[int(found[1]) - 1 if found else -1]) for found in at]
        return any(end.startswith("setattr(") and f", '{name}', " in end for end in ends for name in self.set)

    def are_alike(self, one: Observed, other: Observed) -> bool:
        """Whether two returned objects are, but for attributes that are read by themselves."""
        own, others = _shown(one.value, other.value)
        apart = own.keys() ^ others.keys()
        return bool(apart) and apart <= self.read and all(equal(own[name], others[name]) for name in own.keys() - apart)


def attributes_of_change(original: Program, fix: Program) -> tuple[set[str], set[str]]:
    """The public attributes that either program stores in the files that differ, and those of them that the lines which
    differ name."""
    stored, named = set[str](), set[str]()
    sides = changed_lines(original, fix), changed_lines(fix, original)
    for path, both in changed_files(original, fix).items():
        for source, lines in zip(both, sides, strict=True) if path.endswith(".py") else ():
            for node in ast.walk(tree_of(source or b"")):
                if isinstance(node, ast.Attribute) and node.attr[0] != "_":
                    stored |= {node.attr} if isinstance(node.ctx, ast.Store) else set()
                    named |= {node.attr} if node.lineno in lines.get(path, ()) else set()
                elif isinstance(node, ast.ClassDef):
                    fields = (each.target for each in node.body if isinstance(each, ast.AnnAssign))
                    stored |= {each.id for each in fields if isinstance(each, ast.Name) and each.id[0] != "_"}
    return stored, stored & named


def further_calls(seen: Sequence[tuple[str, Observed, Observed]], stored: set[str], named: set[str]) -> FurtherCalls:
    """seen: what both programs did on the visible calls. stored, named: see `attributes_of_change`."""
    returned = [row for row in seen if row[1].ending is row[2].ending is Ending.RETURNED]
    rows = [(_steps(call), one, other) for call, one, other in returned]
    makers = {maker: shown for row in rows for maker, shown in _makers(*row)}
    reads = dict(islice((each for row in rows for each in _reads(*row, stored)), MOST))
    asked = [*(steps for steps, *_ in rows), *map(_steps, reads)]
    sets = dict(islice((each for steps in asked for each in _sets(steps, makers, named)), MOST))
    calls = {str(each): each for each in map(read, [*reads, *sets]) if each}
    return FurtherCalls(calls, frozenset(reads.values()), frozenset(sets.values()))


def _steps(call: str) -> list[ast.expr]:
    tree = parse(call, mode="eval").body
    return tree.value.elts if isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Tuple) else [tree]


def _row(steps: Sequence[ast.expr | str]) -> str:
    return f"({', '.join(each if isinstance(each, str) else ast.unparse(each) for each in steps)})[-1]"


def _shown(one: str, other: str) -> _Shown:
    """The attributes of two objects of one class."""
    same = one.partition("(")[0] == other.partition("(")[0]
    return (attributes_of(one) or {}, attributes_of(other) or {}) if same else ({}, {})


def _makers(steps: list[ast.expr], one: Observed, other: Observed) -> Iterator[tuple[str, _Shown]]:
    """What makes the object that a call gives, or that it is asked of, and what that shows."""
    asked = steps[-1].func if isinstance(steps[-1], ast.Call) else steps[-1]
    of = [asked.value] if isinstance(asked, ast.Attribute) else []
    made = {each.target.id: ast.unparse(each.value) for each in steps if isinstance(each, ast.NamedExpr)}
    for node, texts in [(steps[-1], (one.value, other.value)), *((each, (one.mutated, other.mutated)) for each in of)]:
        if any(shown := _shown(*texts)):
            yield made.get(ast.unparse(node), ast.unparse(node)), shown


def _reads(steps: list[ast.expr], one: Observed, other: Observed, stored: set[str]) -> Iterator[tuple[str, str]]:
    """Calls, each with the attribute that a single program shows of the object that is given, and that it reads."""
    name, (own, others) = f"o{len(steps)}", _shown(one.value, other.value)
    for attribute in sorted((own.keys() ^ others.keys()) & stored):
        made = f"{name} := {ast.unparse(steps[-1])}"
        yield _row([*steps[:-1], made, f"{name}.{attribute}"]), attribute


def _sets(steps: list[ast.expr], makers: Mapping[str, _Shown], named: set[str]) -> Iterator[tuple[str, str]]:
    """Calls, each with the attribute that is set in it, right before the last step, of an object that it has to do
    with."""
    namer = _Namer(makers, steps)
    last = namer.visit(parse(ast.unparse(steps[-1]), mode="eval").body)
    if isinstance(last, ast.Name):
        return
    for name, maker in namer.made.items():
        own, others = makers[ast.unparse(maker)]
        words = (each.value for each in maker.keywords)
        given = [ast.unparse(each) for each in (*maker.args, *words) if isinstance(each, ast.Constant | ast.UnaryOp)]
        for attribute in sorted(own.keys() & others.keys() & named):
            if own[attribute] == others[attribute] and own[attribute] in given:
                sets = f"setattr({name}, {attribute!r}, {own[attribute]})"
                yield _row([*steps[:-1], *namer.new, sets, last]), attribute


class _Namer(ast.NodeTransformer):
    """Gives names to the objects in the last step of a row. made: all that have one; new: how it names them."""

    def __init__(self, makers: Mapping[str, _Shown], steps: Sequence[ast.expr]) -> None:
        named = [each for each in steps if isinstance(each, ast.NamedExpr) and ast.unparse(each.value) in makers]
        self.made = {each.target.id: each.value for each in named if isinstance(each.value, ast.Call)}
        self.makers, self.new, self.first = makers, list[str](), len(steps)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node) not in self.makers:
            return self.generic_visit(node)
        name = f"o{self.first + len(self.new)}"
        self.made[name] = node
        self.new.append(f"{name} := {ast.unparse(node)}")
        return ast.Name(name)
