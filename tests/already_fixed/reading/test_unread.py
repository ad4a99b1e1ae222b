"""No example that shows how it fails is left out without a word."""

import pytest

from bot.already_fixed.reading.drafts import MOST
from tests.already_fixed.report import HALF_ERROR, TRACE, read
from tests.support.cases import cases

AROUND = "an example that is shown as a workaround"


def example(number: int) -> str:
    return f"```python\nimport halves\nhalves.half({number})\n```\n```\n{TRACE}```\n"


@cases
def test_a_traceback_outweighs_words_that_belong_to_the_example_before(between: str) -> None:
    found = read(f"{example(2)}\n{between}\n\n{example(12)}")
    assert [one.code.split("\n")[1] for one in found.reproductions] == ["halves.half(2)", "halves.half(12)"]
    assert found.unread == ()


@cases
def test_what_is_unclear_is_said_to_be_left_out(between: str, unread: tuple[str, ...]) -> None:
    assert read(f"{example(2)}\n{between}\n\n{example(12)}").unread == unread


@pytest.mark.parametrize(
    "text",
    [
        f"{example(2)}\nA workaround:\n```python\nimport halves\nhalves.half(2.0)\n```\n",
        f"{example(2)}\nExpected:\n```python\nimport halves\nprint(halves.half(2))\n```\n",
        f"halves 1.9:\n{example(2)}halves 1.10:\n{example(2)}",  # the same as it was before
    ],
)
def test_what_shows_no_failure_of_its_own_is_left_out(text: str) -> None:
    found = read(text)
    assert (len(found.reproductions), found.unread) == (1, ())


def test_what_should_hold_is_asked_beside_what_fails() -> None:
    found = read(f"{example(2)}\nExpected:\n```python\nimport halves\nassert halves.half(2) == 1\n```\n")
    assert [one.expectation.exception for one in found.reproductions] == ["HalfError", "AssertionError"]


@pytest.mark.parametrize(
    ("more", "unread"),
    [
        (f"```python\nimport halves\nhalves.half(\n```\n```\n{TRACE}```", "an example that cannot be read"),
        (
            f"```\n>>> halves.half(2))\n{TRACE}>>> halves.half(3)\n{TRACE}```",
            "what was typed after a line that cannot",
        ),
        (f"```\n>>> halves.half(cake)\n{TRACE}```", "an example that uses what it does not define"),
        (
            "`halve b.py c.py`\n```\nb.py:1: error: no\nc.py:1: error: no\n```",
            "a command whose files it does not include",
        ),
        (f"It should raise an error:\n```\n>>> halves.half(4)\n{TRACE}```", "an exception that should come"),
    ],
)
def test_what_cannot_be_run_is_said_to_be_left_out(more: str, unread: str) -> None:
    (said,) = read(f"{example(2)}\nAnd then:\n\n{more}").unread
    assert said.startswith(unread)


def test_more_than_is_run() -> None:
    beyond = ("what it shows after the part that is read",)
    examples = [example(number) for number in range(MOST + 1)]
    assert read("".join(examples[:MOST])).unread == ()
    assert read("".join(examples)).unread == beyond
    assert read("".join(examples[:MOST] * 2)).unread == ()  # the same ones
    assert read(f"{example(2)}\n{'and so on ' * 10_000}").unread == beyond


def test_an_output_beside_a_traceback_that_prose_calls_wrong() -> None:
    session = f"```\n>>> import halves\n>>> halves.half(2)\n{TRACE}>>> halves.half(3)\n1\n```\n"
    assert read(session).unread == ()
    (said,) = read(f"{session}And `half(3)` should be `1.5`.").unread
    assert said == "another output that the report calls wrong"


def test_each_output_of_a_session_that_prose_calls_wrong() -> None:
    session = "```\n>>> import halves\n>>> halves.half(3)\n1\n>>> halves.half(5)\n2\n```\n"
    found = read(f"{session}`half(3)` should return `1.5`, and `half(5)` should return `2.5`.").reproductions
    assert [(one.expectation.wrong[-1], one.expectation.right) for one in found] == [("1", "1.5"), ("2", "2.5")]
    found = read(f"{session}`halves.half(3)` should be `1.5`.").reproductions
    assert [(one.steps[-1], one.expectation.right) for one in found] == [("halves.half(3)", "1.5")]


def test_a_right_value_belongs_to_the_example_of_its_sentence() -> None:
    found = read(f"{example(2)}\nIt should return `1`. And with 12 it should return `6`:\n{example(12)}").reproductions
    assert [one.expectation.right for one in found] == ["1", "6"]


@cases
def test_what_is_said_to_be_right_is_held_against_nobody(lead: str, fine: bool) -> None:
    for shown in (example(12), f"```\n>>> import halves\n>>> halves.half(12)\n{TRACE}```\n"):
        found = read(f"{example(2)}\nLook.\n\n{lead}\n\n{shown}")
        assert len(found.reproductions) == 2 - fine
        assert found.unread == (("an example that is said to be right",) if fine else ())


@pytest.mark.parametrize(
    ("behind", "fine"),
    [("This error is expected.", True), ("as it should be", True), ("This is wrong.", False), ("That is right", True)],
)
def test_what_is_called_right_below_it_is_held_against_nobody(behind: str, fine: bool) -> None:
    found = read(f"{example(12)}\n{behind}\n\nLook.\n\n{example(2)}")
    assert len(found.reproductions) == 2 - fine
    assert found.unread == (("an example that is said to be right",) if fine else ())


def test_a_traceback_of_another_exception() -> None:
    other = TRACE.replace("halves.errors.HalfError", "KeyError")
    (said,) = read(f"{example(2)}\nAnd with three I get\n\n```\n{other}```\n").unread
    assert said == "a traceback that ends with another exception"
    assert read(f"{example(2)}\nAnd with three I get\n\n```\n{TRACE}```\n").unread == ()


def test_code_and_its_traceback_in_one_block_are_of_no_other_example() -> None:
    found = read(
        f"```python\nimport halves\nhalves.half(2)\n```\n```\nimport halves\nhalves.half(3)\n{TRACE}```\nIt fails."
    )
    assert [one.code.split("\n")[1] for one in found.reproductions] == ["halves.half(2)", "halves.half(3)"]
    assert found.reproductions[1].expectation == HALF_ERROR


SESSION = "```\n>>> import halves\n>>> halves.half(5)\n{}\n```\n"


@cases
def test_an_output_of_its_own_that_nobody_looks_at(lead: str, unread: tuple[str, ...]) -> None:
    found = read(f"{example(2)}\nIt should return `1`.\n\n{lead}\n\n{SESSION.format(2)}")
    assert len(found.reproductions) == 1
    assert found.unread == unread


def test_what_should_come_of_the_same_statement_is_looked_at() -> None:
    found = read(f"I get:\n\n{SESSION.format(2)}\nExpected:\n\n{SESSION.format(2.5)}")
    assert [one.expectation.right for one in found.reproductions] == ["2.5"]
    assert found.unread == ()
    script = "```python\nimport halves\nprint(halves.half({0}))\n```\n\nThe output\n\n```\n{0}\n```\n"
    (said,) = read(f"I get:\n\n{SESSION.format(2)}\nExpected of another one:\n\n{script.format(7)}").unread
    assert said == "an example of what should come"


INSIDE = "```\n>>> halves.half.way\n1\n```\n"


@cases
def test_words_that_tell_a_right_value_belong_to_one_of_two_sessions(between: str) -> None:
    first = "```\n>>> import halves\n>>> halves.half(3)\n1\n```\n"
    (found,) = read(f"This is unexpected:\n\n{first}\n{between}\n\n{INSIDE}\nIt comes from there.").reproductions
    assert (found.steps[-1], found.expectation.right) == ("halves.half(3)", "1.5")


def test_what_should_come_is_not_what_came() -> None:
    found = read(f"I get:\n\n```\n>>> import halves\n>>> halves.half(3)\n1\n```\n\nThis should be `2`:\n\n{INSIDE}")
    assert [one.expectation.right for one in found.reproductions] == [""]
    assert found.unread == ("an example of what should come",)
