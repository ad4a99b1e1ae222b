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


@pytest.mark.parametrize(
    "encoding", ["unicode_escape", "utf-16", "utf-7", "rot13", "hex", "undefined", "punycode", "x"]
)
def test_an_encoding_that_makes_other_lines_of_a_file_is_not_read(encoding: str) -> None:
    code = f"# coding: {encoding}\ndef half(n):\n    # whole\\n    n = n + 0\\n\\n\n    return n +AC8AIA- 2\n"
    with pytest.raises(SyntaxError):
        syntax.parse(code.encode())
    assert syntax.functions_of("half.py", code.encode()) == ()


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252", "ascii", "shift_jis"])
def test_an_encoding_in_which_plain_characters_are_themselves_is_read(encoding: str) -> None:
    source = f"# coding: {encoding}\ndef half(n):\n    return n / 2  # {'é' if encoding == 'latin-1' else ''}\n"
    assert [each.last for each in syntax.functions_of("half.py", source.encode(encoding))] == [3]


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_what_takes_too_long_is_refused_and_not_tried_twice(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SyntaxError, match="took too long"):
        syntax.parse(source)
    monkeypatch.setattr(syntax, "run_in_child", None)
    with pytest.raises(SyntaxError, match="took too long"):
        syntax.parse(source)
