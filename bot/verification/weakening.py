"""What a patch takes away from the tests: read from their syntax, nothing is run.

Each finding is evidence for a reader, not a verdict: a test may be removed for a good reason.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bot.changes.demands import LineDemands, demands_of
from bot.verification.syntax import UNREADABLE, Node, parse, source_of, statements


class Weakened(StrEnum):
    """How a test came to demand less."""

    REMOVED = "removed"  # the test is gone
    UNREADABLE = "unreadable"  # its file no longer parses
    SKIPPED = "skipped"  # marked skip or xfail, or skips itself
    FEWER_CHECKS = "fewer checks"
    LOOSER_CHECK = "looser check"  # equality gave way to something more is equal to
    EMPTY_CHECK = "empty check"  # a check that always holds, such as `assert True`
    BROADER_EXCEPT = "broader except"  # swallows or expects more exceptions than before


@dataclass(frozen=True, slots=True)
class Weakening:
    """One finding. `path` and `test` come from strangers; `line` is the head's, or the base's for a removed test."""

    how: Weakened
    path: str
    test: str
    line: int


_Test = tuple[int, LineDemands]  # its line, and what its own lines demand


def weakened(changed: Mapping[str, tuple[bytes | None, bytes | None]]) -> tuple[Weakening, ...]:
    """What files of tests that a patch touches demand less: path -> content before and after, `None` where there is no
    such file."""
    found: list[Weakening] = []
    tests = {path: both for path, both in changed.items() if path.endswith(".py")}
    elsewhere = Counter(name for old, new in tests.values() if not old for name in _tests(new) or ())
    for path, (old, new) in sorted(tests.items()):
        before, after = _tests(old), _tests(new)
        if before is None:
            continue
        if after is None:
            found.append(Weakening(Weakened.UNREADABLE, path, "", 1))
            continue
        for name, (line, demanded) in before.items():
            if name in after:
                now, demands = after[name]
                found += (Weakening(how, path, name, now) for how in _compared(demanded, demands))
            elif elsewhere[name]:
                elsewhere[name] -= 1  # it moved to another file
            else:
                found.append(Weakening(Weakened.REMOVED, path, name, line))
    return tuple(found)


def _tests(source: bytes | None) -> dict[str, _Test] | None:
    """Its tests, and the module itself under an empty name; `None` when it does not parse."""
    try:
        module = parse(source or b"")
    except UNREADABLE:
        return None
    own = [node for node in module.body if not isinstance(node, Node | ast.ClassDef)]
    return {"": (1, demands_of(_lines(own))), **dict(_inside(module.body, "", []))}


def _inside(body: list[ast.stmt], prefix: str, marks: list[ast.expr]) -> Iterator[tuple[str, _Test]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _inside(node.body, f"{prefix}{node.name}::", [*marks, *node.decorator_list])
        elif isinstance(node, Node) and node.name.startswith("test"):
            lines = [f"@{line}" for line in _lines([*marks, *node.decorator_list])]
            yield f"{prefix}{node.name}", (node.lineno, demands_of([*lines, *_lines(statements(node))]))


def _lines(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """As the unparser has them, each statement on one, without what texts and messages say; a check that always holds
    is `assert True`."""
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                part.value = ""
            elif isinstance(part, ast.Assert):
                part.msg, holds = None, isinstance(part.test, ast.Constant | ast.Tuple)
                part.test = ast.Constant(True) if holds else part.test
        yield from (source_of(node) or "").splitlines()


def _compared(before: LineDemands, after: LineDemands) -> Iterator[Weakened]:
    if after.skips > before.skips:
        yield Weakened.SKIPPED
    if after.checks < before.checks:
        yield Weakened.FEWER_CHECKS
    elif after.empty > before.empty:
        yield Weakened.EMPTY_CHECK
    elif after.strict < before.strict:
        yield Weakened.LOOSER_CHECK
    if after.swallows > before.swallows:
        yield Weakened.BROADER_EXCEPT
