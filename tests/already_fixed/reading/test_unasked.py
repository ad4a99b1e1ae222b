"""What prose alone says, and nothing is held against, is said to be left out."""

import pytest

from bot.already_fixed.reading.unasked import UNASKED
from tests.already_fixed.report import TRACE, only, read

ASSIGNED = f"```python\nfrom halves import half\nrest = half(None)\n```\n```\n{TRACE}```\n"
SHOWN = ASSIGNED.replace("rest = ", "")
TYPED = f">>> from halves import half\n>>> half(None)\n{TRACE}>>> half('')\n{TRACE}"
TESTED = f"```python\nfrom halves import half\n\ndef test_it():\n    half(None)\n```\n```\n{TRACE}```\n"
ASKED = "`half(None)` should return `1.5`."


@pytest.mark.parametrize("example", [ASSIGNED, TYPED, TESTED], ids=["assigned", "typed", "tested"])
def test_an_example_that_does_not_show_its_value_is_held_against_none(example: str) -> None:
    assert read(f"{example}\n{ASKED}\n").unread == (UNASKED,)
    assert read(example).unread == ()


@pytest.mark.parametrize(
    "says",
    [
        "It should return an empty text.",
        "It ought to give 1.5 apples.",
        "It should be the same as `half(0)`.",
        "Expected: 1.5",
        "**Expected:** `1.5`",
        "### Expected behavior\n\nAn empty list.",
        "### Expected behavior\n\n`half(None)` returns `None`",
        "Expected behaviour is that it returns 1.5.",
        "I expected it to return the same as `half(0)`.",
        "This should be a ValueError.",
        "I would expect a `ValueError` that says what is wrong.",
        "A more helpful error message would be nice.",
        "It should give a better error.",
    ],
)
def test_words_that_ask_for_more_than_that_it_ends(says: str) -> None:
    assert read(f"{SHOWN}\n{says}\n").unread == (UNASKED,)


@pytest.mark.parametrize(
    "says",
    [
        "It should return `1.5`.",  # which is held against it
        "It should not fail.",
        "It should return without an error.",
        "This should work.",
        "### Expected behavior\n\nNo error.",
        "### Expected output\n\nA working program.",
        "I expect one of two things to be true.",
        "It should never return that error.",
        "It should never give a `HalfError`.",
        "Here is the output you asked for; I hope that this helps.",
    ],
)
def test_words_that_ask_for_no_value(says: str) -> None:
    assert read(f"{SHOWN}\n{says}\n").unread == ()


def test_an_assertion_that_comes_last_tells_what_is_right() -> None:
    asserted = SHOWN.replace("half(None)\n```\n", "assert half(None) == 1.5\n```\n", 1)
    assert read(f"{asserted}\n{ASKED}\n").unread == ()


@pytest.mark.parametrize(
    ("says", "untried"),
    [
        ("Also, `quarter(3)` fails, with `KeyError`.", True),
        ("And `quarter(3)` gives `1`, but should give `0.75`.", True),
        ("And `half(3)` raises `KeyError`.", False),  # a variant of the example
        ("Or is it like `quarter(3)`?", False),
    ],
)
def test_a_call_in_prose_of_another_function(says: str, untried: bool) -> None:
    assert ("what it says of another call" in read(f"{SHOWN}\n{says}\n").unread) == untried


@pytest.mark.parametrize(
    ("says", "right"),
    [
        ("The remainder must not be lost.", True),
        ("This fails.", False),
        ("This should hold.", False),
        ("It raises an `AssertionError`.", False),
    ],
)
def test_an_assertion_without_a_word_of_failing_may_show_what_should_not_hold(says: str, right: bool) -> None:
    body = f"```python\nfrom halves import half\nassert half(3) == 1\n```\n\n{says}"
    assert only(body, title="Halves of odd numbers").may_fail is right


@pytest.mark.parametrize("leads", ["Expected:", "## Expected behavior", "I expected this:"])
def test_an_assertion_of_what_is_expected_is_one_of_what_should_hold(leads: str) -> None:
    one = only(
        f"{leads}\n\n```python\nfrom halves import half\nassert half(3) == 1.5\n```\n", title="Halves of odd numbers"
    )
    assert (one.expectation.exception, one.may_fail) == ("AssertionError", False)


@pytest.mark.parametrize(
    ("says", "right"),
    [
        ("A more helpful error message would be nice.", True),
        ("There should be a better exception.", True),
        ("The message is clear, the behaviour is not.", False),
        ("It should return `0`.", False),
    ],
)
def test_what_asks_for_a_better_message_may_still_raise_nearly_the_same(says: str, right: bool) -> None:
    body = f"```python\nfrom halves import half\nhalf(None)\n```\n\n```\n{TRACE}\n```\n\n{says}"
    assert only(body).may_fail is right
