"""What a report shows, read as something to run: commands, and what stands in front of an example."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.already_fixed.project import Project, project_of
from bot.already_fixed.reading import prompt_sessions, python
from bot.already_fixed.reading.blocks import pieces
from bot.already_fixed.reading.drafts import MOST
from bot.already_fixed.reading.extract import Extracted, extract
from bot.already_fixed.script import runnable
from bot.already_fixed.values import Expectation, Failure, Form
from bot.already_fixed.variants import variants
from tests.already_fixed.report import HALF_ERROR, MODULES, PROJECT, TRACE, only, read
from tests.support.cases import cases
from tests.support.properties import patient


def test_examples_about_another_package() -> None:
    assert read(f"```python\nimport thirds\nthirds.third(None)\n```\n```\n{TRACE}```").foreign == ("thirds",)


def test_there_are_only_so_many() -> None:
    examples = "".join(f"```python\nimport halves\nhalves.half({n})\n```\n```\n{TRACE}```\n" for n in range(20))
    assert len(read(examples).reproductions) == MOST


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
    for step in prompt_sessions.steps(body):
        assert python.tree_of(step.source) is not None


def test_a_long_report_is_read_in_linear_time() -> None:
    for line in (">>> half(1)", "```", "    x = 1", "Traceback (most recent call last):", "#" * 50, "a.b.c." * 20):
        assert extract("A report", f"{line}\n" * 20_000, PROJECT) is not None


def test_only_so_many_examples_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.already_fixed.reading.extract._MOST_READ", 3)
    unfinished = "```python\nx = half(\n```\ntext\n"
    example = f"```python\nfrom halves import half\nhalf(None)\n```\n```\n{TRACE}```\n"
    assert read(unfinished * 2 + example).reproductions
    assert not read(unfinished * 3 + example).reproductions


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


@cases
def test_modules_of_the_project_of_which_something_is_read(code: str, imports: list[str]) -> None:
    project = replace(MODULES, modules={**MODULES.modules, "halves.a.deep": frozenset()})
    found = only(f"```python\n{code}\n```\n```\n{TRACE}```", project=project)
    assert found.code.split("\n") == [*imports, *code.split("\n")]


def test_a_module_and_what_it_defines_may_have_one_name() -> None:
    project = Project(frozenset({"shout"}), package="shout", names=frozenset({"shout"}))
    found = only("`shout(' tea ')` should return `'TEA'`.", project=project)
    assert found.code == "from shout import *\nshout(' tea ')"


def test_a_package_below_the_projects_is_a_module(tmp_path: Path) -> None:
    texts = {
        "__init__.py": "x = 1\n",
        "more/__init__.py": "def third(): pass\n",
        "more/less.py": "def fourth(): pass\n",
    }
    for name in ("more", "more/_own", "more/tests"):
        texts |= {f"{name}/__init__.py": texts.get(f"{name}/__init__.py", "def own(): pass\n")}
    for name, text in texts.items():
        (tmp_path / "halves" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "halves" / name).write_text(text)
    modules = {"halves.more": frozenset({"third"}), "halves.more.less": frozenset({"fourth"})}
    assert project_of(tmp_path).modules == modules


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
