"""What comes and what should come, wherever a report writes it."""

from bot.already_fixed.project import Project
from bot.already_fixed.reading import python
from bot.already_fixed.reading.blocks import SHOWN, pieces
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.reading.prompt_sessions import steps
from bot.already_fixed.values import Expectation, Failure, Reproduction
from tests.support.cases import cases

PROJECT = Project(
    frozenset({"halves"}),
    package="halves",
    names=frozenset({"half"}),
    modules={"halves.odd.exact": frozenset({"exactly"})},
)
CODE = "```python\nfrom halves import half\nprint(half(3))\n```\n\n"


def only(body: str) -> Reproduction:
    (found,) = extract("A report", body, PROJECT).reproductions
    return found


@cases
def test_an_output_that_is_not_set_as_code(below: str, wrong: str, right: str) -> None:
    assert only(f"{CODE}{below}").expectation == Expectation(Failure.PRINTS, wrong=(wrong,), right=right)


@cases
def test_words_pictures_and_versions_are_no_output(text: str) -> None:
    assert [part for part in pieces(text) if part.language == SHOWN] == []


@cases
def test_code_with_what_it_shows_below_in_the_same_block(text: str, code: str, rest: str | None) -> None:
    assert python.leading(text) == (code, text if rest is None else rest)


def test_code_above_the_first_prompt_is_typed_first() -> None:
    typed = steps("import halves\nx = halves.half(3)\n\n>>> x\n1")
    assert [(step.source, step.gave) for step in typed] == [("import halves\nx = halves.half(3)", ""), ("x", "1")]
    assert [step.source for step in steps("Look:\n>>> x\n1")] == ["x"]


def test_the_same_example_in_an_older_version_shows_what_is_right() -> None:
    code = "```\nimport halves\nhalves.half(3)\n```\n"
    found = only(f"In halves 1.0:\n{code}returns\n`1.5`\n\nNow in halves 1.1:\n{code}returns\n`1`\n")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5")


def test_a_value_below_a_session_that_is_expected() -> None:
    found = only("```\n>>> from halves import half\n>>> half([3])\n[1]\n```\n\nExpected:\n\n```python\n[1.5]\n```\n")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "[1]"), right="[1.5]")


def test_a_patch_is_no_output() -> None:
    body = f"{CODE}I get:\n\n```\n1\n```\n\nExpected output:\n\n```diff\n-1\n+1.5\n```\n"
    assert only(body).expectation == Expectation(Failure.PRINTS, wrong=("1",))


def test_a_module_of_the_package_by_its_name() -> None:
    found = only("```\n>>> odd.halve(3)\nTraceback (most recent call last):\nTypeError: no\n```\n")
    assert found.steps == ("from halves import odd", "odd.halve(3)")


@cases
def test_what_fails_by_its_own_hand(code: str, fails: bool) -> None:
    assert python.fails_always(code) is fails
