"""Which reports are told to show the same symptoms, and what is asked for the like by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.already_fixed.reading.tracebacks import Symptoms, alike, symptoms
from tests.support.cases import cases


def trace(exception: str, *functions: str, folder: str = "/usr/lib") -> str:
    frames = "".join(f'  File "{folder}/{name}.py", line {len(name)}, in {name}\n    {name}()\n' for name in functions)
    return f"```\nTraceback (most recent call last):\n{frames}{exception}\n```\n"


REPORT = symptoms("load() raises KeyError in `read_header`", trace("KeyError: 'name'", "load", "parse_table"))


@pytest.mark.parametrize(
    ("title", "text", "same"),
    [
        ("It fails", trace("KeyError: 'other'", "main", "load", "parse_table", folder="/home/x"), True),
        ("`read_header` fails", trace("KeyError: 1", "scan", "parse_table"), True),
        ("It fails", trace("ValueError: 'name'", "load", "parse_table"), False),
        ("It fails", trace("KeyError: 'name'", "save", "write_table"), False),
        ("It fails", trace("KeyError: 'name'", "scan", "parse_table"), False),
        ("KeyError", "KeyError everywhere", False),
        ("It is slow", "", False),
    ],
)
def test_the_same_exception_at_the_same_place(title: str, text: str, same: bool) -> None:
    other = symptoms(title, text)
    assert alike(REPORT, other) is same
    assert alike(other, REPORT) is same


def test_the_same_exception_about_the_same_names() -> None:
    one = symptoms("`read_header` and `to_frame` raise KeyError", "")
    assert alike(one, symptoms("KeyError", "`to_frame` calls `read_header`"))
    assert not alike(one, symptoms("KeyError", "`to_frame` calls `write_header`"))


@cases
def test_only_plain_words_are_asked_for_and_never_one_alone(found: Symptoms, words: tuple[str, ...]) -> None:
    assert found.words == words


@given(st.text(), st.text())
def test_any_text_has_symptoms(title: str, text: str) -> None:
    found = symptoms(title, text)
    assert alike(found, found) in (True, False)
    assert all(word.isidentifier() for word in found.words)
