"""Variants of what a report shows."""

from bot.already_fixed.values import Expectation, Failure
from bot.already_fixed.variants import variants
from tests.already_fixed.report import TRACE, only


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
