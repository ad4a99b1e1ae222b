"""How an example fails and what should come: as code, value or prose has it, and what is held against nothing."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.already_fixed.project import Project
from bot.already_fixed.reading import classify
from bot.already_fixed.reading.blocks import ReportBlock
from bot.already_fixed.reading.expectations import UNASKED
from bot.already_fixed.reading.expected_value import ShownOutput, wanted
from bot.already_fixed.values import Expectation, Failure
from bot.demo.sample_repository import FIXED
from tests.already_fixed.report import TRACE, only, read
from tests.support.cases import cases
from tests.support.properties import patient


@cases
def test_the_value_that_prose_says_should_come(prose: str, value: str) -> None:
    assert wanted(prose, ShownOutput("half(3)", "1", names={"quarter"})) == value


@settings(patient, max_examples=30)
@given(st.text(max_size=400))
def test_what_prose_says_is_read_whatever_it_is(prose: str) -> None:
    assert isinstance(wanted(prose, ShownOutput("half(3)", "1")), str)


@cases
def test_a_value_alone_below_a_heading(heading: str, right: str) -> None:
    script = "```python\nfrom halves import half\nprint(half(3))\n```\nIt prints `1`."
    for example in (script, "```\n>>> from halves import half\n>>> half(3)\n1\n```"):
        assert only(f"{example}\n\n{heading}\n\n1.5\n").expectation.right == right


def test_a_block_behind_should_be_is_what_should_come() -> None:
    shown = "```\n>>> from halves import half\n>>> half(3)\n1\n```\nbut it should be:\n```\n1.5\n```\n"
    assert only(shown).expectation.right == "1.5"
    assert only(shown.replace("should be", "was")).expectation.right == ""


@cases
def test_what_comes_by_words_below_a_heading_is_what_should_come(said: str, wrong: list[str], right: str) -> None:
    expected = only(f"```python\nfrom halves import half\nprint(half(3))\n```\n\n{said}\n").expectation
    assert (list(expected.wrong), expected.right) == (wrong, right)


NUMBER = ShownOutput("halves.half(3)", "1")


@pytest.mark.parametrize(
    ("prose", "shown", "value"),
    [
        # of what the example gives
        ("But it should have been `1.5`", NUMBER, "1.5"),
        ("The result of `halves.half(3)` should be `1.5`.", NUMBER, "1.5"),
        ("I think the last line should print 1.5", NUMBER, "1.5"),
        ("`half(3)` should return `1.5`", NUMBER, "1.5"),
        ("`half` should return `1.5` here", NUMBER, "1.5"),
        ("The half of three is `1`, but should be `1.5`.", NUMBER, "1.5"),
        ("The halving at 3 could give 1.5 instead of 1.", NUMBER, "1.5"),
        ("Its expected value is `1.5`", NUMBER, "1.5"),
        ("```instead of the expected `Half(2)`", ShownOutput("half(4)", "Half(1)"), "Half(2)"),
        ("It should be `green`.", ShownOutput("print(half(4))", "red"), "green"),
        ("It should be `x**2`.", ShownOutput("half(x)", "2*x"), "x**2"),
        ("Instead of returning `1.5` it fails.", ShownOutput("half(3)"), "1.5"),
        ("`half(3)` is wrong. It should be `1.5`.", NUMBER, "1.5"),
        ("I get a `HalfError`. It should be `1.5`.", ShownOutput("half(3)"), "1.5"),
        ("```\nwhich should be `[1, 2]`, see above", ShownOutput("half(3)"), "[1, 2]"),
        # of something else
        ("The default mode should be `2`", NUMBER, ""),
        ("The default `mode` should be `down`.", NUMBER, ""),
        ("The value of the argument should be `2`.", NUMBER, ""),
        ("`half(5)` should return `2.5`", NUMBER, ""),
        ("`quarter` should return `2.5`", NUMBER, ""),
        ("The check should be `x > 1`.", NUMBER, ""),
        ("Python should be 3.8 at least", NUMBER, ""),
        ("It calls `trunc(3)` instead of `floor(3)`.", NUMBER, ""),
        ("We use `==` rather than `is`.", NUMBER, ""),
        ("The mode is `up`, but should be `3`.", NUMBER, ""),
        ("I never expected `1`", NUMBER, ""),
        ("As a workaround one can use `3 / 2` instead of `half(3)`.", NUMBER, ""),
        ("half is wrong here, one can use `3 / 2` instead of `half(3)`.", NUMBER, ""),
        # of something that could not come
        ("this should be `fixed`", NUMBER, ""),
        ("It should return `self`.", NUMBER, ""),
        ("It should return `self`.", ShownOutput("half(3)"), ""),
        ("It should be `--strict`", ShownOutput("half(3)"), ""),
        ("It should be `isinstance(x, int)`", ShownOutput("half(3)"), ""),
        ("This should be `self.number`", NUMBER, ""),
        ("It should be `much nicer`", NUMBER, ""),
    ],
)
def test_only_a_sentence_about_what_the_example_gives_counts(prose: str, shown: ShownOutput, value: str) -> None:
    assert wanted(prose, shown) == value


def test_what_is_expected_beside_what_comes() -> None:
    found = only(
        "```python\nimport halves\nprint(halves.half(3))\n```\n"
        "### Actual\n\n```\n1\n```\n\n### Expected output\n\n```\n1.5\n```"
    )
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("1\n".strip(),), right="1.5")


@cases
def test_what_prose_says_that_comes_and_should_come(prose: str) -> None:
    found = only(f"```python\nimport halves\nhalves.half(3)\n```\n{prose}")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5")


@cases
def test_what_an_example_shows_by_its_words(code: str, title: str, expected: Expectation) -> None:
    assert only(f"```python\nimport halves\n{code}\n```", title).expectation == expected


def test_a_warning_below() -> None:
    warning = "x.py:2: DeprecationWarning: old() will go\n  halves.old()"
    body = f"```python\nimport halves\nhalves.old()\n```\n```\n{warning}\n```"
    assert only(body).expectation == Expectation(Failure.WARNS, "DeprecationWarning", ("old() will go",))


@cases
def test_what_should_come_in_place_of_an_exception(code: str, said: str, right: str) -> None:
    if code.startswith(">>>"):
        body = f"```python\n>>> import halves\n{code}\n{TRACE}```\n{said}"
    else:
        body = f"```python\nimport halves\n{code}\n```\n```\n{TRACE}```\n{said}"
    assert only(body).expectation == replace(only(body).expectation, failure=Failure.RAISES, right=right)


@cases
def test_an_exception_that_should_come(comes: str, expected: Expectation | None) -> None:
    wanted = "#### Expected output\n```\nValueError: it has no half\n```\n"
    body = f"```python\nimport halves\nhalves.half(3)\n```\n{comes}\n{wanted}"
    assert [one.expectation for one in read(body).reproductions] == [expected] * bool(expected)


def test_what_an_older_version_gave_is_right() -> None:
    session = "```\n>>> from halves import half\n>>> half(3)\n{}\n```\n"
    found = only(f"In halves 1.9:\n{session.format('1.5')}\nIn halves 1.10:\n{session.format('1')}")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5")
    code = "```python\nfrom halves import half\nhalf(3)\n```\n"
    found = only(f"{code}halves 1.9 outputs:\n```\n1.5\n```\nBut halves 1.10 outputs:\n```\n1\n```")
    assert (found.expectation.wrong, found.expectation.right) == (("", "1"), "1.5")


def test_each_example_has_the_words_beside_it() -> None:
    blocks = "```python\nimport halves\nhalves.half({})\n```\ngives `{}`"
    found = read(f"{blocks.format(2, 'KeyError: 2')} and\n{blocks.format(3, 'ValueError: 3')}.").reproductions
    assert [one.expectation for one in found] == [
        Expectation(Failure.RAISES, "KeyError", ("2",)),
        Expectation(Failure.RAISES, "ValueError", ("3",)),
    ]


def test_of_two_outputs_that_prose_names_nobody_can_tell_which_is_wrong() -> None:
    body = "```python\nimport halves\nhalves.half(3)\n```\nIn the old one it gives `1.5`, in the new one it gives `1`."
    assert read(body).reproductions == ()


def test_the_right_value_of_the_demos_fixed_report_is_read() -> None:
    fixed = FIXED[0]
    found = only(fixed.body, fixed.title, Project(frozenset({"kettle"}), package="kettle"))
    assert (found.expectation.exception, found.expectation.right) == ("KeyError", "2")


@cases
def test_an_assertion_that_holds_and_should_not(remark: str, prose: str, fails: bool) -> None:
    found = read(f"```python\nimport halves\nassert halves.half(3) == 1{remark}\n```\n{prose}").reproductions
    assert [one.expectation.exception for one in found] == ["AssertionError"] * fails


@cases
def test_whether_words_say_that_something_is_expected(lead: str, expected: bool) -> None:
    assert classify.is_expected(ReportBlock(True, "2", lead=lead)) is expected
    assert classify.is_expected(ReportBlock(True, "2", lead=f"{lead} ")) is expected


@cases
def test_whether_a_heading_says_that_something_is_expected(heading: str, expected: bool) -> None:
    assert classify.is_expected(ReportBlock(True, "2", heading=heading)) is expected
    assert classify.is_output(ReportBlock(True, "2", heading=heading))


@cases
def test_whether_something_should_fail(lead: str, should: bool) -> None:
    assert classify.should_fail(ReportBlock(True, "", lead=lead)) is should


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
