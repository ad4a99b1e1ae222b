"""Calls that agree, and whether they go both ways through what a fix changes: by running marked programs."""

import ast

import pytest

from bot.verification.differential.branches import ONE_WAY, one_way
from bot.verification.differential.compare import VisibleCalls
from bot.verification.values import Program
from tests.support.cases import cases
from tests.support.sandbox import BUBBLEWRAP

LIMIT = "def step(n):\n    return n + 1 if n < 2000 else 0\n"
PLAIN = "def step(n):\n    return n + 1\n"
SMALL, BOTH = ("step(4)", "step(11)"), ("step(4)", "step(2000)")


def seen(original: str, fix: str, calls: tuple[str, ...], **more: str) -> str:
    programs = [{"solution.py": text, **more} for text in (original, fix)]
    pair = [Program(None, {path: text.encode() for path, text in each.items()}) for each in programs]
    return one_way(BUBBLEWRAP, (pair[0], pair[1]), calls, VisibleCalls(dict.fromkeys(calls)), seconds=10.0)


@cases
def test_a_condition_that_only_one_of_them_has(original: str, calls: list[str], both: bool) -> None:
    name = ast.parse(original).body[-1].name  # type: ignore[attr-defined]
    fix = f"def {name}(n):\n    return n + 1\n"
    for pair in ((original, fix), (fix, original)):
        assert (seen(*pair, tuple(calls)) == "") is both


def test_a_program_that_breaks_once_it_is_marked_is_not_seen() -> None:
    trap = f"{LIMIT}if 'n < 2000' not in open(__spec__.origin).read().replace('n < 2' + '000', '', 1):\n    raise 1\n"
    assert seen(trap, PLAIN, BOTH) == ONE_WAY


def test_nothing_is_run_where_no_function_does_otherwise() -> None:
    told = 'def step(n: int) -> int:\n    """The next one."""\n    return n + 1\n'
    assert one_way(None, *_unrun(PLAIN, told), seconds=1.0) == ""  # type: ignore[arg-type]


STAIR = (
    "class Stair:\n    def __init__(self, n):\n        self.n = n\n\n    def step(self):\n        return self.n + 1\n"
)
TURNED = STAIR.replace("self.n + 1", "1 + self.n")


def test_a_function_that_does_otherwise_must_be_entered() -> None:
    assert seen(STAIR, TURNED, ("Stair(4)",)) == ONE_WAY
    assert seen(STAIR, TURNED, ("Stair(4)", "Stair(4).step()")) == ""
    assert seen(STAIR, f"{STAIR}\ndef other():\n    return []\n", ("Stair(4)",)) == ""


def _unrun(original: str, fix: str) -> tuple[tuple[Program, Program], tuple[str, ...], VisibleCalls]:
    pair = tuple(Program(None, {"solution.py": text.encode()}) for text in (original, fix))
    return (pair[0], pair[1]), SMALL, VisibleCalls({})


@pytest.mark.parametrize("broken", ["def step(n:\n", "x = '\0'\n"])
def test_what_does_not_parse_is_left_as_it_is(broken: str) -> None:
    assert seen(LIMIT, PLAIN, BOTH) == ""
    assert one_way(None, *_unrun(broken, PLAIN), seconds=1.0) == ""  # type: ignore[arg-type]
