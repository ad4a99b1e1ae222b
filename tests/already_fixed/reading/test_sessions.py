"""What was typed at a prompt in a report, and variants of it."""

import pytest

from bot.already_fixed.values import Expectation, Failure, Form
from bot.already_fixed.variants import variants
from tests.already_fixed.report import HALF_ERROR, TRACE, only, read


def test_a_session_whose_statement_raises() -> None:
    found = only(f"```\n>>> from halves import half\n>>> half(2)\n1\n>>> half(None)\n{TRACE}```")
    assert found.form is Form.SESSION
    assert found.steps == ("from halves import half", "half(2)", "half(None)")
    assert found.expectation == HALF_ERROR  # and nothing is made of what went well before


def test_each_statement_that_raises_is_one_of_its_own() -> None:
    found = read(f">>> from halves import half\n>>> half(None)\n{TRACE}>>> half('a')\n{TRACE}").reproductions
    assert [one.steps[-1] for one in found] == ["half(None)", "half('a')"]
    assert "half(None)" not in found[1].steps


def test_a_session_that_prints_something_wrong() -> None:
    found = only("```pycon\n>>> import halves\n>>> halves.half(3)\n1\n```\nIt should be `1.5`.")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5")


def test_a_notebook() -> None:
    found = only("```\nIn [1]: from halves import half\n   ...: x = half(3)\n\nIn [2]: x\nOut[2]: 1\n```")
    assert found.steps == ("from halves import half\nx = half(3)", "x")
    assert found.expectation.wrong == ("", "1")


def test_the_statement_that_a_remark_calls_wrong() -> None:
    found = only(
        "```\n>>> from halves import half\n>>> half(2)\n1\n>>> half(3)  <--- not correct\n1\n>>> half(4)\n2\n```"
    )
    assert found.steps == ("from halves import half", "half(2)", "half(3)")
    assert found.expectation.wrong == ("", "", "1")


def test_a_session_that_shows_how_it_should_go() -> None:
    session = "```\n>>> from halves import half\n>>> half(2)\n1\n>>> half(3)\n{}\n>>> half(4)\n2\n```\n"
    found = only(f"Now:\n{session.format('1')}Correct output is:\n{session.format('1.5')}")
    assert found.steps[-1] == "half(3)"
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "", "1"), right="1.5")


def test_a_sentence_inside_of_a_session_says_what_is_right() -> None:
    found = only(
        "```\n>>> import halves\n>>> halves.half(3)\n1\n\nThe answer should be 3/2\n\n>>> halves.half(2)\n1\n```"
    )
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="3/2")


def test_what_is_incorrect_is_not_what_is_right() -> None:
    session = "```\n>>> import halves\n>>> halves.half({})\n{}\n```\n"
    found = read(f"Look:\n{session.format(3, 1)}The incorrect results are based on:\n{session.format(5, 2)}")
    assert [one.expectation.right for one in found.reproductions] == ["", ""]


def test_the_output_that_looks_like_the_right_one() -> None:
    shown = ">>> import halves\n>>> halves.all(3)\nHalf([1, 1])\n>>> halves.source()\n1\n"
    found = only(f"```\n{shown}```\nIt should be `Half([1, 2])`.")
    assert (found.steps[-1], found.expectation.wrong) == ("halves.all(3)", ("", "Half([1, 1])"))
    assert only(f"```\n{shown}```\nIt should be `2`.").expectation.wrong == ("", "Half([1, 1])", "1")


def test_a_truth_value_that_is_wrong() -> None:
    found = only("This is wrong:\n```\n>>> import halves\n>>> halves.is_half(1, 2)\nFalse\n```")
    assert found.expectation.right == "True"
    assert only("See:\n```\n>>> import halves\n>>> halves.is_half(1, 2)\nFalse\n```").expectation.right == ""


def test_a_statement_that_shows_nothing_and_should_show_something() -> None:
    found = only("```\n>>> import halves\n>>> halves.half(3)\n```\nshould return `1.5`, but it returns `None`.")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "None"), right="1.5")


def test_what_comes_of_a_session_may_stand_in_a_block_below() -> None:
    typed = ">>> from halves import half\n>>> for n in (1, 2):\n...     print(half(n))\n"
    below = "```\n{}```\ngives\n```\n0\n1\n```\nbut it should print\n```\n0.5\n1.0\n```\n"
    expected = Expectation(Failure.PRINTS, wrong=("0\n1",), right="0.5\n1.0")
    assert only(below.format(typed)).expectation == expected
    shown = only(below.format(f"{typed}3\n"))  # its own output is the one that counts
    assert shown.expectation.wrong == ("", "3")
    assert read(f"It fails:\n```\n{typed}```\n").reproductions == ()  # nobody says what comes


def test_a_value_that_is_drawn_is_not_compared() -> None:
    body = "```\nIn [1]: import halves\n\nIn [2]: halves.half(3)\nOut[2]: ½⋅3\n```\nIt should be `1.5`."
    assert only(body).expectation == Expectation(Failure.PRINTS, right="1.5")


def test_of_outputs_that_are_drawn_the_others_count() -> None:
    found = only("```\nIn [1]: import halves\n\nIn [2]: halves.x\nOut[2]: ½⋅3\n\nIn [3]: halves.y\nOut[3]: 1\n```")
    assert found.expectation.wrong == ("", "", "1")


def test_an_output_of_which_nothing_is_said_beside_one_that_is_wrong() -> None:
    other = "And:\n```\n>>> import halves\n>>> halves.half(8)\n4\n```\n"
    wrong = "So:\n```\n>>> import halves\n>>> halves.half(3)\n1\n```\nIt should be `1.5`.\n"
    assert only(wrong + other).steps[-1] == "halves.half(3)"
    assert len(read(wrong + f"\nThis is wrong.\n{other}").reproductions) == 2
    assert only(other).steps[-1] == "halves.half(8)"
    script = "And:\n```python\nimport halves\nhalves.half(8)\n```\nOutput:\n```\n4\n```\n"
    assert only(wrong + script).steps[-1] == "halves.half(3)"
    assert only(script).steps[-1] == "halves.half(8)"


@pytest.mark.parametrize("words", ["gives us an unexpected result:", "is not the expected output:"])
def test_what_is_unexpected_is_not_what_is_expected(words: str) -> None:
    found = only(f"Halving {words}\n```\n>>> import halves\n>>> halves.half(3)\n1\n```\nIt should be `1.5`.")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5")


def test_a_variant_for_each_call_that_the_report_names() -> None:
    body = f"```python\nimport halves\nhalves.half(None)\n```\n```\n{TRACE}```\nThe same for `half([])` and `half(x)`."
    assert [one.code for one in variants(only(body), body)] == ["import halves\nhalves.half([])"]


def test_what_is_printed_is_printed_of_other_inputs_too() -> None:
    body = (
        "```python\nimport halves\nprint(halves.half(3))\n```\nIt prints:\n```\n1\n```\n`half(3)`, but also `half(5)`."
    )
    assert [one.code for one in variants(only(body), body)] == ["import halves\nprint(halves.half(5))"]


def test_a_value_is_right_for_its_own_input_alone() -> None:
    named = "\nIt should return `1.5`. The same for `half(5)`."
    body = f"```python\nimport halves\nhalves.half(3)\n```\n```\n{TRACE}```{named}"
    (other,) = variants(only(body), body)
    assert (only(body).expectation.right, other.expectation.right) == ("1.5", "")
    body = "`half(3)` fails, and so does `half(5)`. It should raise ValueError instead of KeyError.\n"
    body += "```python\nimport halves\nhalves.half(3)\n```"
    (other,) = variants(only(body), body)
    assert other.expectation == Expectation(Failure.RAISES, "KeyError", right="ValueError")


def test_what_is_no_number_is_wrong_for_other_inputs_too() -> None:
    body = "```python\n>>> import halves\n>>> halves.half(3)\nnan\n```\nIt should return `1.5`."
    found = variants(only(body), body)
    assert [one.steps[-1] for one in found] == [
        "assert str(halves.half(4)) != 'nan'",
        "assert str(halves.half(2)) != 'nan'",
    ]
    assert {one.expectation for one in found} == {Expectation(Failure.RAISES, "AssertionError")}
    assert variants(only(body.replace("nan", "False")), body) == ()  # of another input it may be right


def test_other_inputs_of_a_failure_that_no_input_deserves() -> None:
    trace = TRACE.replace("halves.errors.HalfError: nothing has no half", "IndexError: list index out of range")
    body = f"```python\nimport halves\nprint(halves.half(3, 'ab'))\n```\n```\n{trace}```"
    found = variants(only(body), body)
    assert [one.code for one in found] == [
        "import halves\nprint(halves.half(4, 'ab'))",
        "import halves\nprint(halves.half(2, 'ab'))",
        "import halves\nprint(halves.half(3, 'abb'))",
    ]
    assert {one.variant_of for one in found} == {"reproduction_1"}


def test_no_other_inputs_of_what_a_check_may_refuse() -> None:
    body = f"```python\nimport halves\nhalves.half(3)\n```\n```\n{TRACE}```"
    assert variants(only(body), body) == ()
