"""What a report shows, read as something to run."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.fixed import python, sessions
from bot.fixed.claims import MOST as MOST_CLAIMS
from bot.fixed.claims import Claim, claims
from bot.fixed.extract import Extracted, extract
from bot.fixed.files import runnable
from bot.fixed.pieces import pieces
from bot.fixed.project import Project
from bot.fixed.reading.drafts import MOST
from bot.fixed.values import Expectation, Failure, Form, Reproduction
from bot.fixed.variants import variants
from bot.fixed.wanted import Shown, wanted
from tests.support.properties import patient

PROJECT = Project(
    frozenset({"halves", "_halves"}), frozenset({"halve"}), "halves", frozenset({"half", "Half", "quarter"})
)
TRACE = """Traceback (most recent call last):
  File "x.py", line 2, in <module>
    half(None)
halves.errors.HalfError: nothing has no half
"""
HALF_ERROR = Expectation(Failure.RAISES, "HalfError", ("nothing has no half",))


MODULES = replace(
    PROJECT,
    modules={"halves.more": frozenset({"third"}), "halves.a": frozenset({"fifth"}), "halves.b": frozenset({"fifth"})},
)


def read(body: str, title: str = "A report", project: Project = PROJECT) -> Extracted:
    return extract(title, body, project)


def only(body: str, title: str = "A report", project: Project = PROJECT) -> Reproduction:
    (found,) = read(body, title, project).reproductions
    return found


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


def test_what_is_expected_beside_what_comes() -> None:
    found = only(
        "```python\nimport halves\nprint(halves.half(3))\n```\n"
        "### Actual\n\n```\n1\n```\n\n### Expected output\n\n```\n1.5\n```"
    )
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("1\n".strip(),), right="1.5")


def test_a_cell_shows_the_value_of_its_last_line() -> None:
    found = only("```python\nimport halves\nhalves.half(3)\n```\nOutput:\n```\n1\n```")
    assert (found.form, found.steps) == (Form.SESSION, ("import halves", "halves.half(3)"))
    assert found.expectation.wrong == ("", "1")


@pytest.mark.parametrize(
    "prose",
    [
        "returns `1` but should return `1.5`",
        "I expect the output `1.5`, but I get `1`",
        "It gives `1` instead of `1.5`.",
        "It should give `1.5`. It prints `1`.",
    ],
)
def test_what_prose_says_that_comes_and_should_come(prose: str) -> None:
    found = only(f"```python\nimport halves\nhalves.half(3)\n```\n{prose}")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5")


def test_a_value_that_reads_like_code_is_an_output() -> None:
    found = only(
        "```python\nimport halves\nhalves.half(3)\n```\nreturns\n```\nHalf(1)\n```\nExpected:\n```\nHalf(1.5)\n```"
    )
    assert (found.expectation.wrong, found.expectation.right) == (("", "Half(1)"), "Half(1.5)")


def test_the_end_of_a_traceback_without_its_head() -> None:
    found = only(
        "```python\nimport halves\nhalves.half(3)\n```\n```\n-> 12 return a\n   13\n\nIndexError: no such half\n```"
    )
    assert found.expectation == Expectation(Failure.RAISES, "IndexError", ("no such half",))


def test_definitions_of_an_earlier_block_are_taken_along() -> None:
    body = (
        "```python\nimport halves\nclass Cake:\n    pass\n```\nand then\n"
        f"```python\nhalves.half(Cake())\n```\nfails:\n```\n{TRACE}```"
    )
    assert only(body).code == "import halves\nclass Cake:\n    pass\nhalves.half(Cake())"


def test_only_imports_are_taken_along_where_they_are_enough() -> None:
    body = (
        f"```python\nimport halves\nhalves.half(1)\n```\nand then\n```python\nhalves.half(None)\n```\n```\n{TRACE}```"
    )
    assert read(body).reproductions[-1].code == "import halves\nhalves.half(None)"
    body = ">>> import halves\n>>> halves.set(1)\n\nand then\n\n>>> halves.half(3)\n1\n"
    assert only(body).steps == ("import halves\nhalves.set(1)", "halves.half(3)")  # at the same prompt


def test_what_everybody_imports_alike_is_imported() -> None:
    found = only(f"```python\nhalves.half(np.array([1]))\n```\n```\n{TRACE}```")
    assert found.code == "import halves\nimport numpy as np\nhalves.half(np.array([1]))"


def test_names_that_the_package_offers_are_taken_from_it() -> None:
    assert only(f"```python\nquarter(half(None))\n```\n```\n{TRACE}```").code.startswith("from halves import *\n")


def test_an_example_that_cannot_be_whole_is_said_to_be_left_out() -> None:
    assert read(f"```python\nfrom halves import half\nhalf(cake)\n```\n```\n{TRACE}```") == Extracted(
        unread=("an example that uses what it does not define",)
    )
    assert read(f"```python\nfrom halves import half\nhalf(...)\n```\n```\n{TRACE}```") == Extracted(
        unread=("an example that leaves something out",)
    )


def test_pythons_second_version() -> None:
    found = only(f"```python\nimport halves\nprint halves.half(None)\n```\n```\n{TRACE}```")
    assert found.code == "import halves\nprint(halves.half(None))"


@pytest.mark.parametrize(
    ("code", "title", "expected"),
    [
        ("halves.half(2)  # raises KeyError: no", "A report", Expectation(Failure.RAISES, "KeyError")),
        ("assert halves.half(3) == 1.5", "A report", Expectation(Failure.RAISES, "AssertionError")),
        ("halves.half(2)", "half() hangs with two", Expectation(Failure.HANGS)),
        ("halves.half(2)", "half() raises ZeroDivisionError", Expectation(Failure.RAISES, "ZeroDivisionError")),
        ("halves.half(2)", "half() crashes", Expectation(Failure.RAISES)),
        ("halves.half(2)", "half() should raise a ValueError", Expectation(Failure.MISSES, "ValueError")),
        ("halves.half(2)", "half() does not raise `ValueError`", Expectation(Failure.MISSES, "ValueError")),
        ("halves.half(2)", "half() should work but raises ValueError", Expectation(Failure.RAISES, "ValueError")),
        ("halves.half(2)", "half() does not work: ValueError", Expectation(Failure.RAISES, "ValueError")),
        ("halves.half(2)", "half() passes, expected a ValueError", Expectation(Failure.MISSES, "ValueError")),
        ("halves.half(2)", "half() should not raise a ValueError", Expectation(Failure.RAISES, "ValueError")),
        (
            "halves.half(2)",
            "half() raises KeyError instead of ValueError",
            Expectation(Failure.RAISES, "KeyError", right="ValueError"),
        ),
        ("halves.half(2)  # should raise ValueError", "A report", Expectation(Failure.MISSES, "ValueError")),
    ],
)
def test_what_an_example_shows_by_its_words(code: str, title: str, expected: Expectation) -> None:
    assert only(f"```python\nimport halves\n{code}\n```", title).expectation == expected


def test_a_warning_below() -> None:
    warning = "x.py:2: DeprecationWarning: old() will go\n  halves.old()"
    body = f"```python\nimport halves\nhalves.old()\n```\n```\n{warning}\n```"
    assert only(body).expectation == Expectation(Failure.WARNS, "DeprecationWarning", ("old() will go",))


def test_a_test_of_pytest() -> None:
    body = f"```python\nimport halves\n\ndef test_half():\n    halves.half(None)\n```\n```\n{TRACE}```"
    assert (only(body).form, only(body).expectation) == (Form.TESTS, HALF_ERROR)


def test_a_command_of_the_project() -> None:
    found = only(f"```console\n$ halve --twice 3\n{TRACE}```")
    assert (found.form, found.steps, found.expectation) == (Form.COMMAND, ("halve", "--twice", "3"), HALF_ERROR)


def test_code_on_the_command_line_that_only_prose_says_something_of() -> None:
    found = only("```\npython -c 'import halves; halves.half(None)'\n```\n\nIt fails with a HalfError.")
    assert (found.code, found.expectation.exception) == ("import halves; halves.half(None)", "HalfError")


@pytest.mark.parametrize("line", ["rm -rf /", "halve 3 | sh", "curl example.org", "python -m http.server", "$(halve)"])
def test_no_other_command(line: str) -> None:
    assert read(f"```sh\n$ {line}\n{TRACE}```").reproductions == ()


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


def test_examples_about_another_package() -> None:
    assert read(f"```python\nimport thirds\nthirds.third(None)\n```\n```\n{TRACE}```").foreign == ("thirds",)


def test_there_are_only_so_many() -> None:
    examples = "".join(f"```python\nimport halves\nhalves.half({n})\n```\n```\n{TRACE}```\n" for n in range(20))
    assert len(read(examples).reproductions) == MOST


def test_a_variant_for_each_call_that_the_report_names() -> None:
    body = f"```python\nimport halves\nhalves.half(None)\n```\n```\n{TRACE}```\nThe same for `half([])` and `half(x)`."
    assert [one.code for one in variants(only(body), body)] == ["import halves\nhalves.half([])"]


def test_what_is_printed_is_printed_of_other_inputs_too() -> None:
    body = (
        "```python\nimport halves\nprint(halves.half(3))\n```\nIt prints:\n```\n1\n```\n`half(3)`, but also `half(5)`."
    )
    assert [one.code for one in variants(only(body), body)] == ["import halves\nprint(halves.half(5))"]


def test_a_value_is_right_for_its_own_input_alone() -> None:
    named = "\nThe same for `half(5)`. It should return `1.5`."
    body = f"```python\nimport halves\nhalves.half(3)\n```\n```\n{TRACE}```{named}"
    (other,) = variants(only(body), body)
    assert (only(body).expectation.right, other.expectation.right) == ("1.5", "")
    body = "`half(3)` fails, and so does `half(5)`. It should raise ValueError instead of KeyError.\n"
    body += "```python\nimport halves\nhalves.half(3)\n```"
    (other,) = variants(only(body), body)
    assert other.expectation == Expectation(Failure.RAISES, "KeyError", right="ValueError")


@pytest.mark.parametrize(
    ("code", "said", "right"),
    [
        ("halves.half(3)", "It should return `1.5`.", "1.5"),
        ("print(halves.half(3))", "It should return `1.5`.", "1.5"),
        ("halves.half(3)", "Expected output:\n```\n1.5\n```", "1.5"),
        ("halves.half(3)  # should be 1.5", "", "1.5"),
        ("halves.half(3)", "", ""),
        ("number = halves.half(3)", "It should return `1.5`.", ""),  # nobody sees it
        (">>> halves.half(3)", "It should return `1.5`.", "1.5"),
        (">>> number = halves.half(3)", "It should return `1.5`.", ""),
    ],
)
def test_what_should_come_in_place_of_an_exception(code: str, said: str, right: str) -> None:
    if code.startswith(">>>"):
        body = f"```python\n>>> import halves\n{code}\n{TRACE}```\n{said}"
    else:
        body = f"```python\nimport halves\n{code}\n```\n```\n{TRACE}```\n{said}"
    assert only(body).expectation == replace(only(body).expectation, failure=Failure.RAISES, right=right)


@pytest.mark.parametrize(
    ("comes", "expected"),
    [
        ("", Expectation(Failure.MISSES, "ValueError")),
        ("```\nKeyError: 3\n```", Expectation(Failure.RAISES, "KeyError", ("3",), right="ValueError")),
        ("```\nValueError: not this\n```", None),  # which of two messages comes is not compared
    ],
)
def test_an_exception_that_should_come(comes: str, expected: Expectation | None) -> None:
    wanted = "#### Expected output\n```\nValueError: it has no half\n```\n"
    body = f"```python\nimport halves\nhalves.half(3)\n```\n{comes}\n{wanted}"
    assert [one.expectation for one in read(body).reproductions] == [expected] * bool(expected)


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


# What prose says


@pytest.mark.parametrize(
    ("prose", "value"),
    [
        ("It should be `1.5`.", "1.5"),
        ("The answer should be 3/2.", "3/2"),
        ("This returns `1` instead of `1.5`.", "1.5"),
        ("half(3) returns 1 instead of 1.5", "1.5"),
        ("half could return 1.5 instead of nan.", "1.5"),
        ("It could give `1.5` rather than `1`.", "1.5"),
        ("and not the 1, instead of the expected `half(3)`.", "half(3)"),
        ("The right answer is `1.5`", "1.5"),
        ("It should return True, but it returns None.", "True"),
        ("It works as expected returning `1`, but gives `2` instead of `1`", "1"),
        ("It should be improved, first of all.", ""),
        ("It should be `1.5` or stay as it is.", ""),
        ("It should give 1.5 or nothing", ""),
        ("It should be easy.", ""),
        ("Use the other one instead of the first.", ""),
        ("It should give quarter", "quarter"),  # what the package offers
        ("", ""),
    ],
)
def test_the_value_that_prose_says_should_come(prose: str, value: str) -> None:
    assert wanted(prose, Shown("half(3)", "1", names={"quarter"})) == value


@pytest.mark.parametrize(
    ("title", "prose", "claim"),
    [
        ("half(3) should return 1.5", "", Claim("half(3)", right="1.5")),
        ("half(3) returns 1 instead of 1.5", "", Claim("half(3)", "1", "1.5")),
        ("half(None) raises TypeError", "", Claim("half(None)", exception="TypeError")),
        ("half(3)", "It gives nonsense. The right answer is 3/2.", Claim("half(3)", right="3/2")),
        ("", "Evaluating `half(3)` yields `1`, but it should yield `1.5`.", Claim("half(3)", "1", "1.5")),
        ("", "`half(3)` gives\n`1` instead of `1.5`", Claim("half(3)", "1", "1.5")),
        ("", "`half(3)` should equal `3 / 2`", Claim("half(3)", right="3 / 2")),
        ("", "`half([])` raises a `TypeError: no` here.", Claim("half([])", exception="TypeError", message="no")),
        (
            "",
            "Calling `half([])` raises a `TypeError` instead of `[]`",
            Claim("half([])", right="[]", exception="TypeError"),
        ),
    ],
)
def test_a_report_that_is_one_sentence(title: str, prose: str, claim: Claim) -> None:
    assert claims(title, prose) == (claim,)


@pytest.mark.parametrize(
    ("title", "prose"),
    [
        ("half() raises TypeError", ""),  # only the name of the function
        ("", "`half()` raises `TypeError`"),
        ("Half of it should be done", ""),
        ("half(3) should not return 1", ""),
        ("", "`half(3)` is in `halves.py` and should not be `1`"),
        ("", "Have `half(3)` and `1`."),
        ("", "`half(...)` should return `1`"),
    ],
)
def test_no_claim(title: str, prose: str) -> None:
    assert claims(title, prose) == ()


def test_a_claim_is_a_reproduction_where_nothing_else_is() -> None:
    found = only("`half(3)` returns `1` but should return `1.5`.")
    assert found.steps == ("from halves import *", "half(3)")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5")


# Which of several outputs is wrong, and what it should be


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


def test_what_an_older_version_gave_is_right() -> None:
    session = "```\n>>> from halves import half\n>>> half(3)\n{}\n```\n"
    found = only(f"In halves 1.9:\n{session.format('1.5')}\nIn halves 1.10:\n{session.format('1')}")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5")
    code = "```python\nfrom halves import half\nhalf(3)\n```\n"
    found = only(f"{code}halves 1.9 outputs:\n```\n1.5\n```\nBut halves 1.10 outputs:\n```\n1\n```")
    assert (found.expectation.wrong, found.expectation.right) == (("", "1"), "1.5")


def test_a_sentence_inside_of_a_session_says_what_is_right() -> None:
    found = only(
        "```\n>>> import halves\n>>> halves.half(3)\n1\n\nThe answer should be 3/2\n\n>>> halves.half(2)\n1\n```"
    )
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="3/2")


def test_a_comment_that_names_an_expression_and_its_value() -> None:
    code = "import halves\na = halves.half(3)\n# wrong\n# a.x => 1\n# b = 3 # some other day"
    found = only(f"```python\n{code}\n```")
    assert found.steps == ("import halves", "a = halves.half(3)", "a.x")
    assert found.expectation.wrong == ("", "", "1")


@pytest.mark.parametrize("remark", ["# halves[0] = 3", "# (see below", "# not yet", "# 3 of them"])
def test_a_comment_that_says_something_else(remark: str) -> None:
    assert read(f"```python\nimport halves\nhalves.half(3)  {remark}\n```").reproductions == ()


def test_several_lines_that_come_are_no_code() -> None:
    code = "```python\nimport halves\nhalves.show()\n```\n"
    found = only(f"{code}The result is\n```\nHalf(1)\nHalf(2)\n{TRACE}```")
    assert (found.code, found.expectation) == ("import halves\nhalves.show()", HALF_ERROR)


def test_what_is_incorrect_is_not_what_is_right() -> None:
    session = "```\n>>> import halves\n>>> halves.half({})\n{}\n```\n"
    found = read(f"Look:\n{session.format(3, 1)}The incorrect results are based on:\n{session.format(5, 2)}")
    assert [one.expectation.right for one in found.reproductions] == ["", ""]


def test_several_calls_are_no_output() -> None:
    setup = "```python\nimport halves\ndef write(x):\n    halves.write(x)\n```\n"
    found = only(f"{setup}The result of this is wrong:\n```python\nwrite(1)\nhalves.show()\n```\nIt raises KeyError.")
    assert found.code.endswith("write(1)\nhalves.show()")


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
    assert found.expectation == Expectation(Failure.PRINTS, right="1.5")


def test_a_value_that_is_drawn_is_not_compared() -> None:
    body = "```\nIn [1]: import halves\n\nIn [2]: halves.half(3)\nOut[2]: ½⋅3\n```\nIt should be `1.5`."
    assert only(body).expectation == Expectation(Failure.PRINTS, right="1.5")


def test_an_output_of_which_nothing_is_said_beside_one_that_is_wrong() -> None:
    other = "And:\n```\n>>> import halves\n>>> halves.half(8)\n4\n```\n"
    wrong = "So:\n```\n>>> import halves\n>>> halves.half(3)\n1\n```\nIt should be `1.5`.\n"
    assert only(wrong + other).steps[-1] == "halves.half(3)"
    assert len(read(wrong + f"\nThis is wrong.\n{other}").reproductions) == 2
    assert only(other).steps[-1] == "halves.half(8)"
    script = "And:\n```python\nimport halves\nhalves.half(8)\n```\nOutput:\n```\n4\n```\n"
    assert only(wrong + script).steps[-1] == "halves.half(3)"
    assert only(script).steps[-1] == "halves.half(8)"


def test_of_outputs_that_are_drawn_the_others_count() -> None:
    found = only("```\nIn [1]: import halves\n\nIn [2]: halves.x\nOut[2]: ½⋅3\n\nIn [3]: halves.y\nOut[3]: 1\n```")
    assert found.expectation.wrong == ("", "", "1")


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


# Code that says less than all


def test_names_of_a_module_of_the_project() -> None:
    found = only(f"```python\nthird(4)\n```\n```\n{TRACE}```", project=MODULES)
    assert found.code == "from halves.more import third\nthird(4)"


def test_names_that_several_modules_define_alike() -> None:
    assert read(f"```python\nfifth(4)\n```\n```\n{TRACE}```", project=MODULES).reproductions == ()


def test_not_every_failure_counts_where_names_were_guessed() -> None:
    assert read("```python\nthird(4)\n```\nIt fails.", project=MODULES).reproductions == ()


def test_a_star_import_of_the_project_brings_what_it_offers_and_no_more() -> None:
    found = only(f"```python\nfrom halves import *\nhalf(third(4))\n```\n```\n{TRACE}```", project=MODULES)
    assert found.code.split("\n") == ["from halves.more import third", "from halves import *", "half(third(4))"]


def test_code_that_is_not_set_as_code() -> None:
    found = only(
        f"When I run\n\nfrom halves import half\n\nx = None\nhalf(x)\n\nI see this.\n\n{TRACE}", "half raises HalfError"
    )
    assert found.code == "from halves import half\n\nx = None\nhalf(x)"


# Files and a command

LINT = "```\n************* Module a\n/tmp/a.py:3:0: W0611: Unused import abc (unused-import)\n```\n"


def test_several_named_files_and_a_command() -> None:
    body = (
        "`a.py`:\n```python\nimport halves\n```\n```ini\n# halve.ini\n[halve]\nx = 1\n```\nsub/b.txt\n```\n1 2\n```\n"
        f"Run\n```sh\n$ halve --twice a.py\n```\n```\n{TRACE}```"
    )
    found = only(body)
    assert (found.form, found.steps) == (Form.COMMAND, ("halve", "--twice", "a.py"))
    assert found.files == (("a.py", "import halves\n"), ("halve.ini", "[halve]\nx = 1\n"), ("sub/b.txt", "1 2\n"))
    assert found.expectation == HALF_ERROR


def test_a_message_that_should_not_come() -> None:
    body = f"```python\nimport abc\n```\n`halve a.py` says\n{LINT}`unused-import` should not be emitted."
    wrong = ("/tmp/a.py:3:0: W0611: Unused import abc (unused-import)",)
    assert only(body).expectation == Expectation(Failure.WARNS, wrong=wrong)
    assert only(body).files == (("a.py", "import abc\n"),)


def test_a_message_that_should_come() -> None:
    body = (
        "```python\n# A: yes\n# ?: no\n```\n`halve a.py --notes=A,?`\n\n### Output\n```\na.py:1:1: A: yes\n```\n"
        "### Expected behavior\n```\na.py:1:1: A: yes\na.py:2:1: ?: no\n```"
    )
    assert only(body).expectation == Expectation(Failure.PRINTS, right="a.py:2:1: ?: no")


def test_the_projects_main_command_for_the_file_of_which_an_output_speaks() -> None:
    project = Project(frozenset({"halve"}), frozenset({"halve"}), "halve")
    found = extract("A false positive", f"```python\nimport abc\n```\n\nNow:\n{LINT}", project).reproductions
    assert [one.steps for one in found] == [("halve", "a.py")]


@pytest.mark.parametrize(
    "body",
    [
        f"`halve a.py` says\n{LINT}",  # the file is not shown
        "```sh\n$ halve /etc/passwd\n```\n```\nerror: no\n```",
        "```sh\n$ halve ../a.py\n```\n```\nerror: no\n```",
        "```sh\n$ halve --version\n```\n```\nerror: no\n```",
        "```\nhalve 1.2.3\n```\n```\nerror: no\n```",
        "```sh\n$ halve x > y\n```\n```\nerror: no\n```",
        "```sh\n$ rm a.py\n```\n```\nerror: no\n```",
        "../a.py:\n```python\nimport abc\n```\n```sh\n$ halve\n```\n```\nall is well\n```",
    ],
)
def test_no_command(body: str) -> None:
    assert [one for one in read(body).reproductions if one.form is Form.COMMAND] == []


@settings(patient, max_examples=30)
@given(st.text(max_size=200), st.text(max_size=400))
def test_what_prose_says_is_read_whatever_it_is(title: str, prose: str) -> None:
    assert len(claims(title, prose, {"a"})) <= MOST_CLAIMS
    assert isinstance(wanted(prose, Shown("half(3)", "1")), str)


def test_long_prose_is_read_in_linear_time() -> None:
    for text in (
        "`f(1)` returns ",
        "should be ",
        "instead of ",
        "`" * 50,
        "import a ",
        "should be f(",
        "a.py:1: error: ",
    ):
        assert extract(text * 100, f"{text * 2}\n" * 5_000, PROJECT) is not None


# Whatever stands in a report

_LINES = r"""import halves|from halves import *|def test_a():|    assert half(1) == 2|half(...)|print 'a'|class A(half):
    pass|```|```python|~~~|>>> half(1)|... 2|In [1]: half|Out[1]: 3|$ halve 3|    half(1)|> quoted|'''|\|# Expected
**Actual**|should be `3`|It raises KeyError.|hangs|half(1)  # should be 2|&gt;&gt;&gt; a|try:|except A, b:|
Traceback (most recent call last):|  File "x.py", line 1, in <module>|ValueError: no|E   KeyError: no"""
_lines = st.sampled_from([*re.split(r"[|\n]", _LINES), "\thalf(2)", "\x00", "\ud800", "x" * 300])
_reports = st.lists(st.one_of(_lines, st.text(st.characters(codec=None), max_size=40)), max_size=30).map("\n".join)


@settings(patient, max_examples=30)
@given(_reports, _reports)
def test_every_report_is_read(title: str, body: str) -> None:
    found = extract(title, body, PROJECT)
    assert len(found.reproductions) <= MOST
    for one in found.reproductions:
        everything = (one, *variants(one, body))
        for each in everything:
            compile(runnable(each), "one.py", "exec", dont_inherit=True)
            if each.form is not Form.COMMAND:
                assert python.tree_of(each.code) is not None


@settings(patient, max_examples=30)
@given(_reports)
def test_pieces_and_sessions_lose_nothing_and_raise_nothing(body: str) -> None:
    assert sum(len(piece.text) for piece in pieces(body)) <= len(body) * 4 + 8
    for step in sessions.steps(body):
        assert python.tree_of(step.source) is not None


def test_a_long_report_is_read_in_linear_time() -> None:
    for line in (">>> half(1)", "```", "    x = 1", "Traceback (most recent call last):", "#" * 50, "a.b.c." * 20):
        assert extract("A report", f"{line}\n" * 20_000, PROJECT) is not None


def test_only_so_many_examples_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.fixed.extract._MOST_READ", 3)
    unfinished = "```python\nx = half(\n```\ntext\n"
    example = f"```python\nfrom halves import half\nhalf(None)\n```\n```\n{TRACE}```\n"
    assert read(unfinished * 2 + example).reproductions
    assert not read(unfinished * 3 + example).reproductions
