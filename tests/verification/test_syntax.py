"""Source of any size is read, or refused in time."""

import ast

import pytest

from bot.child_process import SMALL
from bot.verification import syntax

LONG = "".join(f"value_{number} = {number}\n" for number in range(2_000))
HOSTILE = {
    "more than the seconds of a child": "(a,)\n" * 1_600_000,
    "more than there is stack for": "-" * 500_000 + "1",
}


def test_a_long_file_is_read_as_a_short_one() -> None:
    assert len(LONG) > SMALL
    assert ast.dump(syntax.parse(LONG)) == ast.dump(ast.parse(LONG))


def test_what_is_wrong_with_a_long_file_is_said_as_python_says_it() -> None:
    with pytest.raises(SyntaxError, match="was never closed"):
        syntax.parse(LONG + "(")


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_what_takes_too_long_is_refused_and_not_tried_twice(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SyntaxError, match="took too long"):
        syntax.parse(source)
    monkeypatch.setattr(syntax, "run_in_child", None)
    with pytest.raises(SyntaxError, match="took too long"):
        syntax.parse(source)
