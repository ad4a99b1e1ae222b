"""Commands of a project in a report."""

import pytest

from bot.already_fixed.project import Project
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.values import Expectation, Failure, Form
from tests.already_fixed.report import HALF_ERROR, TRACE, only, read
from tests.support.cases import cases

LINT = "```\n************* Module a\n/tmp/a.py:3:0: W0611: Unused import abc (unused-import)\n```\n"


def test_a_command_of_the_project() -> None:
    found = only(f"```console\n$ halve --twice 3\n{TRACE}```")
    assert (found.form, found.steps, found.expectation) == (Form.COMMAND, ("halve", "--twice", "3"), HALF_ERROR)


@pytest.mark.parametrize("line", ["rm -rf /", "halve 3 | sh", "curl example.org", "python -m http.server", "$(halve)"])
def test_no_other_command(line: str) -> None:
    assert read(f"```sh\n$ {line}\n{TRACE}```").reproductions == ()


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


@cases
def test_no_command(body: str) -> None:
    assert [one for one in read(body).reproductions if one.form is Form.COMMAND] == []
