"""What an edit makes of a text, and which files are left alone."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.judges.agent.code_tools import UnreadableCode
from bot.verification.repair.bench import AROUND, edited, lines_of, why_protected
from bot.verification.values import Suite
from tests.support.cases import cases
from tests.support.properties import patient

TEN = "".join(f"line {number}\n" for number in range(1, 11))


@cases
def test_lines_take_the_place_of_lines(text: str, first: int, last: int, new: str, whole: str) -> None:
    assert edited(text, first, last, new)[0] == whole


def test_what_was_done_is_shown_with_its_surroundings() -> None:
    assert edited(TEN, 5, 6, "five\nsix\nseven")[1] == (
        "2 line 2",
        "3 line 3",
        "4 line 4",
        "5 five",
        "6 six",
        "7 seven",
        "8 line 7",
        "9 line 8",
        "10 line 9",
    )
    assert edited(TEN, 1, 10, "")[1] == ()
    assert edited(TEN, 10, 10, "")[1] == ("7 line 7", "8 line 8", "9 line 9")


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (1, 11), (12, 11), (5, 3), (12, 12), (1_000_000, 2)])
def test_lines_that_are_not_there_are_not_edited(first: int, last: int) -> None:
    with pytest.raises(UnreadableCode, match="10 lines"):
        edited(TEN, first, last, "x")


def test_what_is_no_text_is_not_put_into_one() -> None:
    with pytest.raises(UnreadableCode):
        edited(TEN, 1, 1, "a\0b")


LINES = st.text(st.characters(blacklist_characters="\0\r\n", blacklist_categories=["Cs"]), max_size=5)
TEXTS = st.lists(LINES, max_size=8).map("\n".join)


@settings(patient, max_examples=50)
@given(text=TEXTS, new=TEXTS, ends=st.booleans(), data=st.data())
@example(text="a", new="", ends=False, data=None)
def test_everything_else_stays_as_it_is(text: str, new: str, ends: bool, data: st.DataObject | None) -> None:
    text = text + "\n" if ends else text
    before, put = lines_of(text), lines_of(new)
    first = data.draw(st.integers(1, len(before) + 1)) if data else 1
    last = data.draw(st.integers(first - 1, len(before))) if data else 1
    made, lines = edited(text, first, last, new)
    after = lines_of(made)
    assert after == [*before[: first - 1], *put, *before[last:]]
    assert len(lines) <= len(put) + 2 * AROUND
    for line in lines:
        number, _, shown = line.partition(" ")
        assert after[int(number) - 1] == shown
    if last < len(before):
        assert made.endswith("\n") == text.endswith("\n")


@settings(patient, max_examples=50)
@given(text=TEXTS, data=st.data())
def test_an_edit_to_the_same_changes_nothing(text: str, data: st.DataObject) -> None:
    lines = lines_of(text + "\n")
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    same, _ = edited(text + "\n", first, last, "\n".join(lines[first - 1 : last]) + "\n")
    assert same == text + "\n"


@cases
def test_a_fix_must_not_win_by_changing_the_tests(path: str, suite: Suite, said: str) -> None:
    why = why_protected(path, suite)
    assert said in why
    assert bool(why) == bool(said)
