"""How an example fails, and what should come."""

from dataclasses import replace

from bot.already_fixed.project import Project
from bot.already_fixed.values import Expectation, Failure
from bot.demo.sample_repository import FIXED
from tests.already_fixed.report import TRACE, only, read
from tests.support.cases import cases


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
