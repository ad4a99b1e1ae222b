"""What a patch takes away from the tests: read from their syntax, nothing is run.

Each finding is evidence for a reader, not a verdict: a test may be removed for a good reason.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.changes.demands import SKIPS
from bot.verification.syntax import UNREADABLE, parse


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


@dataclass(frozen=True, slots=True)
class _Test:
    name: str
    line: int
    checks: int
    strict: int
    empty: int
    skips: int
    swallows: int


_STRICT = re.compile(r"assert(?!Almost|Not|Greater|Less)\w*Equal|assertIs|assertRaises\w*|raises|assert_\w+_with")
_BROAD = frozenset({"Exception", "BaseException"})


def weakened(changed: Mapping[str, tuple[bytes | None, bytes | None]]) -> tuple[Weakening, ...]:
    """What files of tests that a patch touches demand less: path -> content before and after, `None` where there is no
    such file."""
    found: list[Weakening] = []
    tests = {path: both for path, both in changed.items() if path.endswith(".py")}
    elsewhere = Counter(test.name for old, new in tests.values() if not old for test in _tests(new) or ())
    for path, (old, new) in sorted(tests.items()):
        before, after = _tests(old), _tests(new)
        if before is None:
            continue
        if after is None:
            found.append(Weakening(Weakened.UNREADABLE, path, "", 1))
            continue
        now = {test.name: test for test in after}
        for test in before:
            if test.name in now:
                found += (
                    Weakening(how, path, test.name, now[test.name].line) for how in _compared(test, now[test.name])
                )
            elif elsewhere[test.name]:
                elsewhere[test.name] -= 1  # it moved to another file
            elif test.name:
                found.append(Weakening(Weakened.REMOVED, path, test.name, test.line))
    return tuple(found)


def _tests(source: bytes | None) -> list[_Test] | None:
    """Its tests, and the module itself under an empty name; `None` when it does not parse."""
    try:
        module = parse(source or b"")
    except UNREADABLE:
        return None
    own = [node for node in module.body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    return [_test("", 1, own), *_inside(module.body, "")]


def _inside(body: list[ast.stmt], prefix: str) -> Iterator[_Test]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            marks = _skips(_parts(node.decorator_list))
            for test in _inside(node.body, f"{prefix}{node.name}::"):
                yield replace(test, skips=test.skips + marks)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            yield _test(f"{prefix}{node.name}", node.lineno, [*node.decorator_list, *node.body])


def _test(name: str, line: int, nodes: Iterable[ast.AST]) -> _Test:
    parts = _parts(nodes)
    checks = [part for part in parts if _is_check(part)]
    return _Test(
        name,
        line,
        checks=len(checks),
        strict=sum(map(_is_strict, checks)),
        empty=sum(isinstance(part, ast.Assert) and isinstance(part.test, ast.Constant | ast.Tuple) for part in checks),
        skips=_skips(parts),
        swallows=sum(map(_swallows, parts)),
    )


def _compared(before: _Test, after: _Test) -> Iterator[Weakened]:
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


def _is_check(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return True
    name = _called(node)
    return name.startswith("assert") or name in ("raises", "warns", "fail")


def _is_strict(node: ast.AST) -> bool:
    """Whether just one value, or one named exception, satisfies the check."""
    if isinstance(node, ast.Assert):
        test = node.test
        return isinstance(test, ast.Compare) and any(isinstance(operator, ast.Eq | ast.Is) for operator in test.ops)
    return bool(_STRICT.fullmatch(_called(node))) and not _swallows(node)


def _swallows(node: ast.AST) -> bool:
    """`except:`, `except Exception:`, `pytest.raises(Exception)` or `suppress(Exception)`, which take anything."""
    if isinstance(node, ast.ExceptHandler):
        return node.type is None or _names_broad(node.type)
    if isinstance(node, ast.Call) and _called(node) in ("raises", "assertRaises", "suppress"):
        return any(map(_names_broad, node.args))
    return False


def _names_broad(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Name) and part.id in _BROAD for part in ast.walk(node))


def _skips(parts: list[ast.AST]) -> int:
    return sum(getattr(part, "attr", getattr(part, "id", "")) in SKIPS for part in parts)


def _parts(nodes: Iterable[ast.AST]) -> list[ast.AST]:
    return [part for node in nodes for part in ast.walk(node)]


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""
