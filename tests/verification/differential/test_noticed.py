"""Calls that agree, and whether they go both ways through what a fix changes: by running programs with a defect."""

import ast

import pytest

from bot.verification.differential.compare import VisibleCalls
from bot.verification.differential.noticed import MINDS, ONE_WAY, unnoticed
from bot.verification.values import Program
from tests.support.cases import cases
from tests.support.sandbox import BUBBLEWRAP

LIMIT = "def step(n):\n    return n + 1 if n < 2000 else 1 + n\n"
PLAIN = "def step(n):\n    return n + 1\n"
SMALL, BOTH = ("step(4)", "step(11)"), ("step(4)", "step(2000)")


def seen(original: str, fix: str, calls: tuple[str, ...], **more: str) -> str:
    programs = [{"solution.py": text, **more} for text in (original, fix)]
    pair = [Program(None, {path: text.encode() for path, text in each.items()}) for each in programs]
    return unnoticed(BUBBLEWRAP, (pair[0], pair[1]), calls, VisibleCalls(dict.fromkeys(calls)), seconds=600)


@cases
def test_a_condition_that_only_one_of_them_has(original: str, calls: list[str], both: bool) -> None:
    name = ast.parse(original).body[-1].name  # type: ignore[attr-defined]
    fix = f"def {name}(n):\n    return n + 1\n"
    for pair in ((original, fix), (fix, original)):
        assert (seen(*pair, tuple(calls)) == "") is both


@cases
def test_a_constant_that_only_one_of_them_has(original: str, fix: str, calls: list[str], noticed: bool) -> None:
    pair = [f"def f(items):\n    return {body}\n" for body in (original, fix)]
    assert (seen(pair[0], pair[1], tuple(calls)) == "") is noticed


FORGED = """

def _forge():
    import sys

    main = vars(sys.modules["__main__"])
    if "call_once" in main:
        real = main["call_once"]
        main["call_once"] = lambda told, *a, **k: real(told, *a, **k) if told == "step(4)" else ("returned", "1", "")


_forge()
"""


def test_answers_that_both_programs_put_in_the_place_of_theirs_do_not_count() -> None:
    """What makes the calls lies in the program's own process, where it can be another."""
    wrong, right = "def step(n):\n    return {4: 5}.get(n, 0)\n", PLAIN
    pair = _unrun(wrong + FORGED, right + FORGED)[0]
    shown, calls = VisibleCalls({"step(4)": None}), ("step(4)", "step(7)", "step(9)")
    assert unnoticed(BUBBLEWRAP, pair, calls, shown, seconds=600) == ONE_WAY
    assert unnoticed(BUBBLEWRAP, _unrun(PLAIN, "def step(n):\n    return 1 + n\n")[0], calls, shown, seconds=600) == ""


def test_a_program_that_looks_at_its_text_is_not_believed() -> None:
    trap = f"{LIMIT}if 'n < 2000' not in open(__spec__.origin).read().replace('n < 2' + '000', '', 1):\n    raise 1\n"
    assert seen(trap, PLAIN, BOTH) == MINDS


def test_nothing_is_run_where_no_function_does_otherwise() -> None:
    told = 'def step(n: int) -> int:\n    """The next one."""\n    return n + 1\n'
    assert unnoticed(None, *_unrun(PLAIN, told), seconds=1.0) == ""  # type: ignore[arg-type]


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
    assert unnoticed(None, *_unrun(broken, PLAIN), seconds=1.0) == ""  # type: ignore[arg-type]


def test_a_program_that_does_otherwise_when_it_is_not_the_first_is_not_believed() -> None:
    """Numbers of processes tell how many there were before."""
    later = "def step(n):\n    return n + 1 if n < 2000 else 1 + n\n\nimport os\nif os.getpid() > 4:\n    step = None\n"
    told = seen(later, later.replace("1 + n", "n + 1"), BOTH)
    assert told and seen(LIMIT, LIMIT.replace("1 + n", "n + 1"), BOTH) == ""
