"""`make`, `scripts/setup` and `.ci/run`: what they start, and what they say when they cannot."""

import ast
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import cases

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files of a clone that setting up reads."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "scripts/setup", ".ci/run"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def program(directory: Path, name: str, script: str) -> Path:
    directory.mkdir(exist_ok=True)
    path = directory / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def run(checkout: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": f"{checkout / 'bin'}:/usr/bin:/bin", "HOME": str(checkout)}
    return subprocess.run(
        command, cwd=checkout, env={**clean, **environment}, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(("target", "stamp"), [("demo", ".run"), ("lint", ".test")])
def test_setting_up_happens_once(checkout: Path, target: str, stamp: str) -> None:
    before = run(checkout, "make", "--dry-run", target).stdout
    assert before.startswith("scripts/setup ")
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / stamp).touch()
    assert "scripts/setup" not in run(checkout, "make", "--dry-run", target).stdout
    os.utime(checkout / "constraints.txt", (2**31, 2**31))
    assert run(checkout, "make", "--dry-run", target).stdout == before, "other versions are wanted"


def test_the_demo_is_the_command(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    (checkout / ".venv/.run").touch()
    assert run(checkout, "make", "--dry-run", "demo").stdout == "bouncer demo\n"


def test_every_check_is_part_of_make_test(checkout: Path) -> None:
    planned = run(checkout, "make", "--dry-run", "test").stdout
    for command in ("ruff check", "ruff format --check", "mypy", "lint-imports", "pytest"):
        assert command in planned


def test_make_chaos_asks_for_the_long_run_of_the_crash_tests(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / ".venv").mkdir()
    (checkout / ".venv/.test").touch()
    planned = run(checkout, "make", "--dry-run", "chaos").stdout.splitlines()
    assert [line.strip() for line in planned] == [
        "BOUNCER_CHAOS=long pytest -m crash",
        "python -m lab.benchmarks.chaos",
    ]
    for chaos, long in (("long", True), ("", False)):
        monkeypatch.setenv("BOUNCER_CHAOS", chaos)
        assert runpy.run_path(str(ROOT / "tests/support/lengths.py"))["EVERY_DEATH"] is long


def never_long(text: str) -> list[str]:
    """The tests that have a long form which `make chaos` does not run."""
    tree, long = ast.parse(text), {"EVERY_DEATH"}
    for node in tree.body:
        if isinstance(node, ast.Assign) and names_in(node.value) & long:
            long |= names_in(*node.targets)
        if isinstance(node, ast.Assign) and "pytestmark" in names_in(*node.targets) and "crash" in ast.unparse(node):
            return []
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    marked = "pytest.mark.crash"
    return [
        each.name for each in tests if names_in(each) & long and marked not in map(ast.unparse, each.decorator_list)
    ]


def names_in(*nodes: ast.AST) -> set[str]:
    return {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}


def test_make_chaos_runs_every_test_that_has_a_long_form() -> None:
    tests = {path: path.read_text() for path in ROOT.glob("tests/**/test_*.py")}
    assert {path.name: found for path, text in tests.items() if (found := never_long(text))} == {}
    once = "@pytest.mark.parametrize('x', FEW)\ndef test_it(x):\n    pass\n"
    assert never_long(f"FEW = 2 if EVERY_DEATH else 1\n{once}") == ["test_it"]
    assert never_long(f"FEW = 2 if EVERY_DEATH else 1\n@pytest.mark.crash\n{once}") == []


def test_make_test_postgresql_runs_what_needs_a_database(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    (checkout / ".venv/.test").touch()
    planned = run(checkout, "make", "--dry-run", "test-postgresql").stdout
    assert planned.startswith("BOUNCER_TEST_DATABASE=postgresql pytest -m database ")


def test_make_hostile_runs_every_file_that_leaves_cases_to_it(checkout: Path) -> None:
    for stamp in (".venv/.test", "bin/python"):
        (checkout / stamp).parent.mkdir(exist_ok=True)
        (checkout / stamp).touch(0o755)
    program(checkout / "bin", "pytest", 'echo "$BOUNCER_HOSTILE: $*"')
    (checkout / "tests/a/b").mkdir(parents=True)
    for name, text in (("test_c", "x = EVERY_TRICK"), ("test_d", "EVERY_TRICKS = 1"), ("b/test_e", "(EVERY_TRICK)")):
        (checkout / f"tests/a/{name}.py").write_text(text)
    told = run(checkout, "make", "hostile").stdout.splitlines()
    assert sorted(told[0].split()[:3]) == ["all:", "tests/a/b/test_e.py", "tests/a/test_c.py"]


def test_ci_is_make_test_where_nothing_may_be_skipped(checkout: Path) -> None:
    program(checkout / "bin", "make", 'echo "$CI: $*"; exit 7')
    done = run(checkout, str(checkout / ".ci/run"))
    assert (done.stdout, done.returncode) == ("true: test\n", 7)


def test_a_python_that_is_too_old_is_told(checkout: Path) -> None:
    old = program(checkout / "bin", "old-python", "exit 1")
    done = run(checkout, "scripts/setup", "run", PYTHON=str(old))
    assert done.returncode == 1
    assert done.stderr.startswith("Bouncer needs Python 3.11 or later")
    assert "sudo apt-get install python3 python3-venv" in done.stderr
    assert not (checkout / ".venv").exists()


def test_a_python_without_venv_is_told_where_nothing_may_be_installed(checkout: Path) -> None:
    bare = program(
        checkout / "bin", "bare-python", f'case "$*" in *ensurepip*) exit 1;; *) exec {sys.executable} "$@";; esac'
    )
    program(checkout / "bin", "id", "echo 1000")
    program(checkout / "bin", "sudo", "exit 1")
    done = run(checkout, "scripts/setup", "run", PYTHON=str(bare))
    assert done.returncode == 1
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"sudo apt-get install {version}-venv" in done.stderr
    assert not (checkout / ".venv").exists()


@cases
def test_bubblewrap_is_installed_where_it_may_be(checkout: Path, uid: str, says: str, asked: str | None) -> None:
    bin = checkout / "bin"
    for name, script in {
        "id": f"echo {uid}",
        "sudo": "exit 1",
        "apt-get": f"[ $2 = update ] || echo $* > {checkout}/asked",
    }.items():
        program(bin, name, script)
    for name in ("env", "bash", "dirname", "touch", "mktemp", "rm"):
        (bin / name).symlink_to(shutil.which(name) or name)
    (checkout / ".venv").mkdir()
    program(checkout / ".venv/bin", "python", "exit 0")
    done = run(checkout, "scripts/setup", "run", PATH=str(bin))
    assert done.returncode == 0, done.stderr
    assert says in done.stdout
    assert ((checkout / "asked").read_text() if asked else None) == asked


SKIPPED = {
    "test_one.py": "import pytest\ndef test_it():\n    pytest.skip('no server')",
    "test_file.py": "import pytest\npytest.importorskip('absent_')",
    "test_may.py": "import pytest\n@pytest.mark.may_skip('rare')\ndef test_it():\n    pytest.skip('not here')",
}


@pytest.mark.parametrize(("ci", "status", "said"), [("true", 1, 2), ("", 0, 0)])
def test_what_is_skipped_in_ci_fails(tmp_path: Path, ci: str, status: int, said: int) -> None:
    for name, text in SKIPPED.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "tests.support.ci", str(tmp_path)]
    command += ["--continue-on-collection-errors", "-rN"]
    environment = {**os.environ, "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.count("nothing may be skipped")) == (status, said), done.stdout
