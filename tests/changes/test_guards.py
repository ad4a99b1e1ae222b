"""Which edits are nothing but guards around what was there."""

from hypothesis import given
from hypothesis import strategies as st

from bot.changes.evidence import only_guards
from tests.changes.parts import change_of
from tests.support.cases import cases
from tests.support.properties import patient

BEFORE = "def area(shape):\n    side = shape.side\n    return side * side\n"


@cases
def test_guards(path: str, before: str, after: str, only: bool) -> None:
    assert only_guards(change_of((path, before, after)).files) is only


def test_a_line_that_is_longer_than_any_guard_is_none() -> None:
    after = BEFORE.replace("    side", f"    if {'x' * 1000} is None:\n        return\n    side", 1)
    assert not only_guards(change_of(("a.py", BEFORE, after)).files)


def test_one_real_edit_is_enough() -> None:
    guard = ("a.js", "f(a)\n", "if (!a) return;\nf(a)\n")
    assert not only_guards(change_of(guard, ("b.js", "f(a)\n", "f(b)\n")).files)


@patient
@given(st.text())
def test_any_text(text: str) -> None:
    only_guards(change_of(("a.py", "x\n", "x\n" + text)).files if text else ())
