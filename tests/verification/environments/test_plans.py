"""What a project's own CI installs and runs, from the files of its base."""

import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.policy import Verify
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.verification.environments.ci.expressions import UNKNOWN, resolve, value_of
from bot.verification.environments.ci.named import of_make
from bot.verification.environments.ci.plans import read_plans
from bot.verification.environments.detect import as_judged, detect, suites
from bot.verification.environments.manifests import PYTHON, SCRIPT, Manifests, Way
from bot.verification.environments.prepare import Prepared, Setup, prepare
from bot.verification.testing.run import run_suite
from bot.verification.values import Origin, Program, TestStatus
from tests.support.cases import cases
from tests.support.needs import missing
from tests.verification.environments.house import settings as settings_of

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


def test_what_ci_installs_by_an_action_is_installed_as_manifests_say() -> None:
    """A package of a workspace with all others; CI's own installer stands where there is one."""
    files = {
        "package.json": '{"workspaces": ["a", "b"]}',
        "a/package.json": '{"scripts": {"test": "vitest"}, "devDependencies": {"vitest": "1"}}',
        "b/package.json": '{"scripts": {"unit": "mocha"}}',
        "package-lock.json": "{}",
    }
    ci = "- uses: house/setup@v1\n- run: npm run build --prefix a\n- run: npm test --workspaces"
    (found,) = suites(of(with_ci(files, ci)))
    assert (found.folder, found.set_up(Way.CI), found.ways) == ("a", ("npm ci",), (Way.CI,))
    found, beside = suites(of(with_ci(files, "- run: npm install\n- run: npm --prefix b run unit")))
    assert (beside.folder, beside.inside) == ("a", True)
    assert (found.folder, found.set_up(Way.CI), found.ways) == ("b", ("npm install",), (Way.CI, Way.LOCKED))


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


def test_a_folder_goes_by_what_the_policy_says_of_it() -> None:
    ci = "on: push\njobs: {t: {runs-on: x, steps: [{run: pytest -q, working-directory: web}, {run: pytest -q}]}}"
    files = with_ci({"web/package.json": '{"scripts": {"test": "jest"}}', "web/a.py": "", "a.py": ""}, ci)
    policy = Verify.model_validate(
        {"paths": ({"path": "web", "setup": ("npm ci",), "test": "npm test"}, {"path": "api"})}
    )
    found = [(each.folder, each.language, each.setup, each.test) for each in suites(of(files), policy.paths)]
    assert found == [
        ("web", SCRIPT, ("cd web && npm ci",), "npm test"),
        ("api", PYTHON, (), "pytest"),
        ("", PYTHON, (), "pytest -q"),
    ]


FOLDERS = {
    WORKFLOW: JOB.replace("    steps:", "    defaults: {run: {working-directory: app}}\n    env: {UNIT: g}\n    steps:")
    + "      - run: pytest -q checks\n      - {run: node --test, working-directory: web}\n",
    "app/near.txt": "near",
    "app/sums.py": "def one():\n    return 1\n",
    "app/checks/test_sums.py": "import os, sums\ndef test_one():\n    assert sums.one() == 1\n"
    "def test_place():\n    assert open('near.txt').read() + os.environ['UNIT'] == 'nearg'\n",
    "web/a.test.js": "require('node:test')('near', () => require('fs').readFileSync('a.test.js'))\n",
}


@cases
def test_tests_run_in_the_folder_and_are_named_from_the_root(
    suite: tuple[str, str], names: list[str], tmp_path: Path
) -> None:
    executor = BubblewrapExecutor()
    if not executor.probe().usable:
        missing(f"bubblewrap: {executor.probe().problem}")
    for path, text in FOLDERS.items():
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_text(text)
    base = Program(tmp_path / "tree", {})
    head = Program(base.tree, {WORKFLOW: FOLDERS[WORKFLOW].replace("pytest", "true").replace("node", "true").encode()})
    prepared = prepare(Setup(executor, Verify(), settings_of(tmp_path), Origin("1"), detect(base, *suite)), base, head)
    assert isinstance(prepared, Prepared)
    with prepared:
        run = run_suite(executor, base, prepared.suite(prepared.base))
        assert prepared.head
        of_head = run_suite(executor, prepared.head.program, prepared.suite(prepared.head, select=(names[0],)))
    assert [(each.name, each.status) for each in run.results] == [(name, TestStatus.PASSED) for name in names], run
    assert of_head.passing.keys() == {names[0]}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("runner.os == 'linux'", True),
        (" ! matrix.old ", True),
        ("matrix.python != 3.11", False),
        ("matrix.python == env.DEFAULT", UNKNOWN),
        ("matrix.a == null", True),
        ("secrets.X", UNKNOWN),
        ("secrets.X == 'a'", UNKNOWN),
        ("matrix.a.b", None),
        ("failure()", False),
        ("hashFiles('**')", UNKNOWN),
        ("matrix.old || true", UNKNOWN),
        ("(" * 900, UNKNOWN),
        (" " * 100_000 + "matrix.old", False),
        (" " * 100_000 + "|", UNKNOWN),
        ("a b", UNKNOWN),
    ],
)
def test_expressions(text: str, value: object) -> None:
    assert value_of(text, {"matrix": {"python": 3.11, "old": False}, "runner": {"os": "Linux"}}) == value


def test_marks_that_nothing_closes_are_read_once() -> None:
    text = "${{ " * 50_000
    assert resolve(f"{text}env.A }}}}", {"env": {"A": "x"}}) == f"{text[:-4]}x"


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="abc=$(){}[]'\"\\ \n;&|<>-.:/#\t", max_size=80), st.sampled_from(["ci", "make"]))
def test_no_text_breaks_the_reader(text: str, where: str) -> None:
    files = with_ci({}, "- run: tox -e a\n- run: make\n- run: |\n" + textwrap.indent(text, "    "))
    files |= {"tox.ini": f"[testenv]\ndeps =\n  {text}\n", "Makefile": f"a:\n\t{text}\n"}
    assert isinstance(read_plans(Manifests(of(files))), tuple), where


def test_variables_of_make_that_grow_and_targets_without_end_are_cut() -> None:
    """Three variables made a line of a million millions of characters, and targets in a chain took quadratic time."""
    grows = "".join(f"{name}={f'$({more})' * 9_000}\n" for name, more in ("AB", "BC", "CD"))
    chain = "".join(f"t{at}: t{at + 1}\n\techo {at}\n" for at in range(5_000))
    lines = of_make(f"{grows}t: t0\n\techo $(A)\n{chain}", ["t"]).commands
    assert len(lines) <= 200
    assert of_make(f"{chain}t: t4990\n", ["t"]).commands == [f"echo {at}" for at in range(4_999, 4_989, -1)]
    wide = " ".join(f"a{at}" for at in range(300))
    assert of_make(f"{wide}: {wide}\n\tx\n" * 300, ["a0"]).commands == ["x"] * 200
    assert max(map(len, of_make(f"{grows}t:\n\techo $(A)\n", ["t"]).commands)) <= 2_000
