"""Breaking one function: what is left is a program, broken there and nowhere else."""

import ast

import pytest

from bot.verification.breaking import BreakForm, broken
from bot.verification.syntax import functions_of
from tests.support.cases import table

SOURCE = table(bytes, __file__, "SOURCE")


def only(name: str, form: BreakForm, which: int = 0) -> dict[str, object]:
    found = [function for function in functions_of("a.py", SOURCE) if function.name == name]
    text = broken(SOURCE, found[which], form)
    assert text is not None
    assert text.count(b"\n") == SOURCE.count(b"\n")
    assert [line.strip() for line in text.splitlines()][-1] == b"LAST = plain"
    scope: dict[str, object] = {}
    exec(compile(text, "a.py", "exec"), scope)
    return scope


CALLS = table(dict[str, str], __file__, "CALLS")


@pytest.mark.parametrize("form", BreakForm)
@pytest.mark.parametrize(("name", "call"), CALLS.items())
def test_what_it_does_is_not_what_it_did(name: str, call: str, form: BreakForm) -> None:
    scope: dict[str, object] = {}
    exec(compile(SOURCE, "a.py", "exec"), scope)
    before = eval(call, scope)
    try:
        after = eval(call, only(name, form))
    except Exception as error:  # noqa: BLE001
        after = error
    assert repr(after) != repr(before)
    if form is BreakForm.RAISES:
        assert isinstance(after, ValueError | TypeError | RuntimeError)
    others = [call for other, call in CALLS.items() if not name.startswith(other) and not other.startswith(name)]
    rest = [call for call in others if "Box" not in call or "Box" not in name]
    assert [eval(call, only(name, form)) for call in rest] == [eval(call, scope) for call in rest]


def test_the_second_of_two_with_one_name_is_broken_alone() -> None:
    scope = only("Box.value", BreakForm.RAISES, which=1)
    assert eval("Box(1).value", scope) == 4


def test_what_does_nothing_cannot_be_broken() -> None:
    idle = next(function for function in functions_of("a.py", SOURCE) if function.name == "idle")
    assert broken(SOURCE, idle, BreakForm.RAISES) is None
    assert broken(b"def idle(:", idle, BreakForm.RAISES) is None


def test_what_is_raised_is_nothing_that_the_file_catches() -> None:
    source = (
        b"def f(a):\n    return a\ntry:\n    f(1)\nexcept (ValueError, RuntimeError):\n    raise KeyError from None\n"
    )
    text = broken(source, functions_of("a.py", source)[0], BreakForm.RAISES)
    assert text is not None
    raised = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Raise)]
    assert ast.unparse(raised[0]) == "raise TypeError"
