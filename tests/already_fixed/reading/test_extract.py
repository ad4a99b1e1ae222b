"""What a report shows, read as something to run."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.already_fixed.reading import prompt_sessions, python
from bot.already_fixed.reading.blocks import pieces
from bot.already_fixed.reading.drafts import MOST
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.script import runnable
from bot.already_fixed.values import Form
from bot.already_fixed.variants import variants
from tests.already_fixed.report import PROJECT, TRACE, read
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
