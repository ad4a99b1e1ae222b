"""What prose alone says, and nothing is held against, is said to be left out."""

import pytest

from bot.already_fixed.reading.expectations import UNASKED
from tests.already_fixed.report import TRACE, only, read
from tests.support.cases import cases

ASSIGNED = f"```python\nfrom halves import half\nrest = half(None)\n```\n```\n{TRACE}```\n"
SHOWN = ASSIGNED.replace("rest = ", "")
TYPED = f">>> from halves import half\n>>> half(None)\n{TRACE}>>> half('')\n{TRACE}"
TESTED = f"```python\nfrom halves import half\n\ndef test_it():\n    half(None)\n```\n```\n{TRACE}```\n"
ASKED = "`half(None)` should return `1.5`."


@pytest.mark.parametrize("example", [ASSIGNED, TYPED, TESTED], ids=["assigned", "typed", "tested"])
def test_an_example_that_does_not_show_its_value_is_held_against_none(example: str) -> None:
    assert read(f"{example}\n{ASKED}\n").unread == (UNASKED,)
    assert read(example).unread == ()


@cases
def test_words_that_ask_for_more_than_that_it_ends(says: str) -> None:
    assert read(f"{SHOWN}\n{says}\n").unread == (UNASKED,)


@cases
def test_words_that_ask_for_no_value(says: str) -> None:
    assert read(f"{SHOWN}\n{says}\n").unread == ()


def test_an_assertion_that_comes_last_tells_what_is_right() -> None:
    asserted = SHOWN.replace("half(None)\n```\n", "assert half(None) == 1.5\n```\n", 1)
    assert read(f"{asserted}\n{ASKED}\n").unread == ()


@cases
def test_a_call_in_prose_of_another_function(says: str, untried: bool) -> None:
    assert ("what it says of another call" in read(f"{SHOWN}\n{says}\n").unread) == untried


@cases
def test_an_assertion_without_a_word_of_failing_may_show_what_should_not_hold(says: str, right: bool) -> None:
    body = f"```python\nfrom halves import half\nassert half(3) == 1\n```\n\n{says}"
    assert only(body, title="Halves of odd numbers").may_fail is right


@pytest.mark.parametrize("leads", ["Expected:", "## Expected behavior", "I expected this:"])
def test_an_assertion_of_what_is_expected_is_one_of_what_should_hold(leads: str) -> None:
    one = only(
        f"{leads}\n\n```python\nfrom halves import half\nassert half(3) == 1.5\n```\n", title="Halves of odd numbers"
    )
    assert (one.expectation.exception, one.may_fail) == ("AssertionError", False)


@cases
def test_what_asks_for_a_better_message_may_still_raise_nearly_the_same(says: str, right: bool) -> None:
    body = f"```python\nfrom halves import half\nhalf(None)\n```\n\n```\n{TRACE}\n```\n\n{says}"
    assert only(body).may_fail is right
