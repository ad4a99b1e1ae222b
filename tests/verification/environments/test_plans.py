"""What a project's own CI installs and runs, from the files of its base."""

import textwrap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.verification.environments.ci.expressions import UNKNOWN, value_of
from bot.verification.environments.ci.plans import read_plans
from bot.verification.environments.detect import as_judged, detect
from bot.verification.environments.manifests import Manifests, Way
from bot.verification.values import Program
from tests.support.cases import cases

JOB = "on: pull_request\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
WORKFLOW = ".github/workflows/ci.yml"


def of(files: dict[str, str]) -> Program:
    return Program(None, {path: text.encode() for path, text in files.items()})


def with_ci(files: dict[str, str], ci: str) -> dict[str, str]:
    """ci: the steps of the one job of a workflow, or all of it."""
    whole = ci if ci.startswith("on:") else JOB + textwrap.indent(ci, "      ")
    return {**files, WORKFLOW: whole} if ci else files


@cases
def test_what_ci_would_run(files: dict[str, str], ci: str, plans: list[list[Any]]) -> None:
    found = read_plans(Manifests(of(with_ci(files, ci))))
    assert [[each.folder, list(each.setup), each.test, dict(each.variables)] for each in found] == plans


def test_what_else_ci_runs_may_fail_and_comes_second() -> None:
    files = with_ci(
        {"setup.py": ""}, "- run: make -C native\n- run: pip install -e . pytest\n- run: pytest\n- run: make publish"
    )
    found = detect(of(files))
    assert found.ways[:2] == (Way.CI, Way.WHOLE)
    assert found.set_up(Way.CI) == ("pip install -e . pytest",)
    assert found.set_up(Way.WHOLE) == ("timeout 300 sh -c 'make -C native' || :", "pip install -e . pytest")
    assert "publish" not in str(found)


def test_a_head_has_no_say_in_how_ci_tests_it() -> None:
    """But in what it needs: its own requirements are installed, for it alone."""
    base = of(
        {
            **with_ci({"r.txt": "a"}, "- run: pip install -r r.txt\n- run: make test"),
            "Makefile": "test:\n\tpytest tests",
        }
    )
    named = {"r.txt": b"b", "Makefile": b"test:\n\ttrue", WORKFLOW: b"", ".github/workflows/a.yml": JOB.encode()}
    head = Program(None, {**base.files, **named})
    assert detect(as_judged(head, base)) == detect(base)
    assert detect(as_judged(head, base)).test == "pytest tests"
    assert as_judged(head, base).files["r.txt"] == b"b"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'it''s'", "it's"),
        ("1 == '1' && !false", True),
        ("secrets.X", UNKNOWN),
        ("secrets.X || 'b'", "b"),
        ("secrets.X && false", False),
        ("matrix.a.b", None),
        ("matrix['x-y']", "z"),
        ("contains(fromJSON('[\"a\"]'), 'a')", True),
        ("format('{0}-{1}', 'a', 2)", "a-2"),
        ("hashFiles('**')", UNKNOWN),
        ("(" * 900, UNKNOWN),
        ("a b", UNKNOWN),
    ],
)
def test_expressions(text: str, value: object) -> None:
    assert value_of(text, {"matrix": {"x-y": "z"}}) == value


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="abc=$(){}[]'\"\\ \n;&|<>-.:/#\t", max_size=80), st.sampled_from(["ci", "tox", "make", "nox"]))
def test_no_text_breaks_the_reader(text: str, where: str) -> None:
    files = with_ci({}, "- run: tox -e a\n- run: nox\n- run: make\n- run: |\n" + textwrap.indent(text, "    "))
    files |= {"tox.ini": f"[testenv]\ncommands =\n  {text}\n", "noxfile.py": text, "Makefile": f"a:\n\t{text}\n"}
    assert isinstance(read_plans(Manifests(of(files))), tuple), where
