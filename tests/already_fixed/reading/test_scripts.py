"""Blocks of Python in a report."""

import pytest

from bot.already_fixed.reading.expectations import tells_right
from bot.already_fixed.values import Expectation, Failure, Form
from tests.already_fixed.report import HALF_ERROR, TRACE, only, read


def test_code_with_its_traceback_below() -> None:
    found = only(f"```python\nfrom halves import half\nhalf(None)\n```\n\nThis gives:\n\n```\n{TRACE}```\n")
    assert (found.form, found.code) == (Form.SCRIPT, "from halves import half\nhalf(None)")
    assert (found.expectation, found.where) == (HALF_ERROR, "the first example")


def test_code_and_traceback_in_one_block() -> None:
    found = only(f"```\nfrom halves import half\nhalf(None)\n{TRACE}```")
    assert (found.code, found.expectation) == ("from halves import half\nhalf(None)", HALF_ERROR)


def test_an_indented_block_with_an_empty_line() -> None:
    found = only(f"Look:\n\n    import halves\n\n    halves.half(None)\n\nand then\n\n{TRACE}")
    assert (found.code, found.expectation) == ("import halves\n\nhalves.half(None)", HALF_ERROR)


def test_the_end_of_a_traceback_without_its_head() -> None:
    found = only(
        "```python\nimport halves\nhalves.half(3)\n```\n```\n-> 12 return a\n   13\n\nIndexError: no such half\n```"
    )
    assert found.expectation == Expectation(Failure.RAISES, "IndexError", ("no such half",))


def test_pythons_second_version() -> None:
    found = only(f"```python\nimport halves\nprint halves.half(None)\n```\n```\n{TRACE}```")
    assert found.code == "import halves\nprint(halves.half(None))"


def test_a_test_of_pytest() -> None:
    body = f"```python\nimport halves\n\ndef test_half():\n    halves.half(None)\n```\n```\n{TRACE}```"
    assert (only(body).form, only(body).expectation) == (Form.TESTS, HALF_ERROR)


@pytest.mark.parametrize(
    "body",
    [
        f"```\n{TRACE}```",
        "```\n2024-05-01 12:00:00 ERROR halves: cannot halve\n2024-05-01 12:00:01 INFO  bye\n```",
        '```json\n{"a": 1}\n```',
        "```python\nfrom halves import half\nhalf(2)\n```\nThis works as it should.",
        "A workaround:\n```python\nfrom halves import half\nhalf(2)\n```\nand the error is gone.",
        "### Environment\n```python\nimport halves\nhalves.version()\n```\nIt fails.",
        "```python\nfrom halves import half\ndef test_it():\n    assert False\n```\nFails.",
        "```js\nhalves.half(null)\n```\nfails",
        "",
    ],
)
def test_what_shows_nothing_to_run(body: str) -> None:
    assert read(body).reproductions == ()


def test_several_lines_that_come_are_no_code() -> None:
    code = "```python\nimport halves\nhalves.show()\n```\n"
    found = only(f"{code}The result is\n```\nHalf(1)\nHalf(2)\n{TRACE}```")
    assert (found.code, found.expectation) == ("import halves\nhalves.show()", HALF_ERROR)


def test_several_calls_are_no_output() -> None:
    setup = "```python\nimport halves\ndef write(x):\n    halves.write(x)\n```\n"
    found = only(f"{setup}The result of this is wrong:\n```python\nwrite(1)\nhalves.show()\n```\nIt raises KeyError.")
    assert found.code.endswith("write(1)\nhalves.show()")


def test_a_comment_that_names_an_expression_and_its_value() -> None:
    code = "import halves\na = halves.half(3)\n# wrong\n# a.x => 1\n# b = 3 # some other day"
    found = only(f"```python\n{code}\n```")
    assert found.steps == ("import halves", "a = halves.half(3)", "a.x")
    assert found.expectation.wrong == ("", "", "1")


@pytest.mark.parametrize("remark", ["# halves[0] = 3", "# (see below", "# not yet", "# 3 of them"])
def test_a_comment_that_says_something_else(remark: str) -> None:
    assert read(f"```python\nimport halves\nhalves.half(3)  {remark}\n```").reproductions == ()


@pytest.mark.parametrize(
    "remark", ["# -> 1", "# output: 1", "# result is 1", "# gives 1", "# 1", "\n# 1", "\n# Output: 1"]
)
def test_a_comment_that_says_what_comes(remark: str) -> None:
    found = only(f"```python\nfrom halves import half\nx = 3\nhalf(x) {remark}\nx = 4\n```\nIt should be `1.5`.")
    assert found.steps[2].startswith("half(x)")
    assert len(found.steps) == 3
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "", "1"), right="1.5")


def test_a_prompt_before_what_comes() -> None:
    found = only("```python\nimport halves\nhalves.half(None)\n\n>>> TypeError: nothing has no half\n```")
    assert found.expectation == Expectation(Failure.RAISES, "TypeError")
    found = only("```\nimport halves\nhalves.half(3)\n>> 1\n```\nwrong")
    assert (found.steps[1].split("\n")[0], found.expectation.wrong) == ("halves.half(3)", ("", "1"))


def test_the_exception_and_not_its_messages_lines() -> None:
    trace = TRACE + "SyntaxError: inside of the message\n"
    assert only(f"```python\nimport halves\nhalves.half(None)\n```\n```\n{trace}```").expectation == HALF_ERROR


def test_code_that_is_not_set_as_code() -> None:
    found = only(
        f"When I run\n\nfrom halves import half\n\nx = None\nhalf(x)\n\nI see this.\n\n{TRACE}", "half raises HalfError"
    )
    assert found.code == "from halves import half\n\nx = None\nhalf(x)"


def test_a_cell_shows_the_value_of_its_last_line() -> None:
    found = only("```python\nimport halves\nhalves.half(3)\n```\nOutput:\n```\n1\n```")
    assert (found.form, found.steps) == (Form.SESSION, ("import halves", "halves.half(3)"))
    assert found.expectation.wrong == ("", "1")


def test_a_value_that_reads_like_code_is_an_output() -> None:
    found = only(
        "```python\nimport halves\nhalves.half(3)\n```\nreturns\n```\nHalf(1)\n```\nExpected:\n```\nHalf(1.5)\n```"
    )
    assert (found.expectation.wrong, found.expectation.right) == (("", "Half(1)"), "Half(1.5)")


def test_what_prose_says_of_a_name_that_the_code_gives() -> None:
    given = "```python\nfrom halves import half\nhalved = half(3)\n```\n"
    found = only(f"{given}`halved` is `1`\n\n**Expected behavior**\n\n`halved` should be `1.5`.")
    assert (found.code, found.expectation) == (
        "from halves import half\nhalved = half(3)\nprint(halved)",
        Expectation(Failure.PRINTS, wrong=("1",), right="1.5"),
    )
    assert only(f"{given}`halved` is `a`, and should be empty.").expectation.right == "''"
    assert read(f"{given}`other` is `1`\n\n**Expected behavior**\n\n`other` should be `1.5`.").reproductions == ()
    raised = only(f"{given}```\n{TRACE}```\n`halved` is not set.")
    assert (raised.code, raised.expectation) == ("from halves import half\nhalved = half(3)", HALF_ERROR)


def test_a_class_of_tests_is_run_by_pytest() -> None:
    tests = (
        "class TestHalf(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(halves.half(3), 1.5)\n"
    )
    found = only(f"This fails:\n```python\nimport unittest\nimport halves\n\n{tests}```\n")
    assert found.form is Form.TESTS
    assert tells_right(found)
