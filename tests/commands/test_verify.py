"""`bouncer verify`: one document, plain refusals with exit 2; files, directories and diffs."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.commands.shared import own_settings
from bot.commands.verify import verify
from bot.policy import Verify
from tests.support.cases import cases
from tests.support.closed import assert_closed
from tests.support.model import Answering, says

KEYS = ["case", "verdict", "distinguishing_input", "tests", "strength", "executor", "limits_enforced", "seconds"]
UPPER = "def middle(xs):\n    return xs[len(xs) // 2]\n"
LOWER = "def middle(xs):\n    return xs[(len(xs) - 1) // 2]\n"
TESTS = "from solution import middle\n\ndef test_odd():\n    assert middle([1, 2, 3]) == 2\n"
DIFF = """--- a/pkg/core.py
+++ b/pkg/core.py
@@ -1,2 +1,2 @@
 def middle(xs):
-    return xs[len(xs) // 2]
+    return xs[(len(xs) - 1) // 2]
"""
pytestmark = pytest.mark.usefixtures("equal_jobs_run_once", "offline", "own_cache")


def test_the_cache_of_a_command_is_made_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOUNCER_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    settings = own_settings()
    assert settings.cache_dir == tmp_path / "cache" / "bouncer"
    assert_closed(settings.cache_dir)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name, text in {"p.py": UPPER, "f.py": LOWER, "t.py": TESTS}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(here: Path, *, original: str = "p.py", fix: str | None = "f.py", tests: str = "t.py", more: str = "") -> Result:
    given = ["--original", str(here / original), "--tests", str(here / tests), "--json", *more.split()]
    return CliRunner().invoke(verify, [*given, "--fix", str(here / fix)] if fix else given)


def document(done: Result) -> dict[str, Any]:
    (line,) = done.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    assert list(found)[:8] == KEYS
    return found


def test_a_pair_that_no_test_decides(here: Path) -> None:
    done = run(here)
    found = document(done)
    assert (found["case"], found["verdict"], done.exit_code) == ("undecided", "UNAVAILABLE", 3)
    assert found["distinguishing_input"].startswith("middle([")
    assert found["executor"] == "bubblewrap"
    assert "network" in found["limits_enforced"]
    assert found["tests"]["original"]["passed"] == 1
    assert found["question"]["a"].startswith("returns ")


def test_an_example_in_the_specification_decides(here: Path) -> None:
    (here / "spec.md").write_text("The lower of two middles:\n\n    >>> middle([1, 2])\n    1\n")
    done = run(here, more=f"--spec {here / 'spec.md'}")
    assert (document(done)["case"], document(done)["verdict"], done.exit_code) == ("repair_success", "BOUNCE", 0)


def test_what_a_model_answered_is_shown_and_not_asked_for_again(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lower = "The lower of two middles."
    model = Answering(
        tests=says(tests=[{"clause": lower, "call": "middle([1, 2])", "expected": "1"}]),
        settled=says(working="", settled=True, clause=lower, expected="1"),
    )
    monkeypatch.setenv("BOUNCER_JUDGE", "openai")
    monkeypatch.setenv("BOUNCER_MODEL_BASE_URL", model.base_url)
    (here / "spec.md").write_text(f"Give the middle. {lower}\n")
    first = run(here, more=f"--spec {here / 'spec.md'}")
    found = document(first)
    assert (found["verdict"], first.exit_code, len(model.requests)) == ("BOUNCE", 0, 3), found["reasons"]
    heard = {"call": "middle([1, 2])", "expected": "1", "clause": lower, "problem": ""}
    assert found["heard"] == [{"judge": "gpt-4.1 with blind-demand/1", **heard}] * 2
    given = ["--original", str(here / "p.py"), "--fix", str(here / "f.py"), "--tests", str(here / "t.py")]
    again = CliRunner().invoke(verify, [*given, "--spec", str(here / "spec.md")])
    model.close()
    told = " ".join(again.stdout.replace("│", "").split())
    assert "asked 2 times, expects this" in told and "middle([1, 2]) gives 1: The lower of two middles." in told
    assert len(model.requests) == 3


def test_the_terminal_says_what_would_decide(here: Path) -> None:
    given = ["--original", str(here / "p.py"), "--fix", str(here / "f.py"), "--tests", str(here / "t.py")]
    done = CliRunner().invoke(verify, given)
    assert done.exit_code == 3
    for text in ("Which behaviour is right?", "≠ middle([", "add to the tests", "assert middle(["):
        assert text in done.stdout


@cases
def test_no_fix(fix: str | None, content: str, said: str, here: Path) -> None:
    if content:
        (here / str(fix)).write_text(content)
    done = run(here, fix=fix)
    found = document(done)
    assert (found["case"], found["verdict"], done.exit_code) == ("no_fix", "UNAVAILABLE", 3)
    assert said in found["reasons"][0]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("p.py", None, "No such file"),
        ("p.py", b"\xff\xfe\x00", "not UTF-8"),
        ("p.py", b"\n", "is empty"),
        ("f.py", None, "No such file"),
        ("f.py", b"--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n", "does not parse"),
        ("t.py", None, "No such file"),
        ("t.py", b"\xff\xfe\x00", "not UTF-8"),
        ("t.py", b"", "is empty"),
        ("t.py", b"def test_a(:\n", "syntax error in line 1"),
        ("t.py", b"# solution\nassert 1 == 1\n", "never imports solution"),
    ],
)
def test_bad_input_is_refused_with_the_mend(here: Path, name: str, content: bytes | None, said: str) -> None:
    if content is None:
        (here / name).unlink()
    else:
        (here / name).write_bytes(content)
    done = run(here)
    found = document(done)
    if said == "does not parse":  # a diff called .py is Python that is broken
        assert found["case"] == "no_fix"
        return
    assert (done.exit_code, found["case"], found["verdict"]) == (2, None, "UNAVAILABLE")
    assert said in found["error"]
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("given", [{"original": "loop"}, {"fix": "loop"}, {"tests": "loop"}])
def test_a_link_to_itself_is_refused(here: Path, given: dict[str, str]) -> None:
    (here / "loop").symlink_to("loop")
    done = run(here, **given)
    assert done.exit_code == 2
    assert document(done)["error"].startswith(str(here / "loop"))


def test_a_directory_of_tests_must_not_bring_the_program(here: Path) -> None:
    (here / "tests").mkdir()
    (here / "tests" / "test_it.py").write_text(TESTS)
    (here / "tests" / "solution.py").write_text(LOWER)
    done = run(here, tests="tests")
    assert done.exit_code == 2
    assert "of its own" in document(done)["error"]


def test_a_diff_on_a_single_file(here: Path) -> None:
    (here / "fix.diff").write_text(DIFF.replace("pkg/core.py", "p.py"))
    assert document(run(here, fix="fix.diff"))["case"] == "undecided"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A repository with a package and its tests, and a diff on it."""
    (tmp_path / "house" / "pkg").mkdir(parents=True)
    (tmp_path / "house" / "tests").mkdir()
    (tmp_path / "house" / "pkg" / "__init__.py").write_text("")
    (tmp_path / "house" / "pkg" / "core.py").write_text(UPPER)
    (tmp_path / "house" / "tests" / "test_core.py").write_text(TESTS.replace("solution", "pkg.core"))
    (tmp_path / "fix.diff").write_text(DIFF)
    (tmp_path / "same.diff").write_text(DIFF.replace("(len(xs) - 1) // 2", "int(len(xs) / 2)"))
    return tmp_path


def test_a_directory_and_a_diff_on_top_of_it(house: Path) -> None:
    found = document(run(house, original="house", fix="fix.diff", tests="house/tests"))
    assert found["case"] == "undecided"
    assert found["distinguishing_input"].startswith("middle([")
    assert sorted(path.name for path in (house / "house").rglob("*") if path.is_file()) == [
        "__init__.py",
        "core.py",
        "test_core.py",
    ]


def test_a_package_without_tests_and_manifest_is_run_by_the_tests_that_are_named(house: Path) -> None:
    (house / "house" / "tests" / "test_core.py").rename(house / "test_core.py")
    (house / "house" / "pkg" / "__init__.py").unlink()
    assert document(run(house, original="house", fix="fix.diff", tests="test_core.py"))["case"] == "undecided"
    done = run(house, original="same.diff", fix="fix.diff", tests="test_core.py", more=f"--repo {house / 'house'}")
    assert document(done)["case"] == "undecided"


def test_two_diffs_against_a_repository(house: Path) -> None:
    done = run(house, original="same.diff", fix="fix.diff", tests="house/tests", more=f"--repo {house / 'house'}")
    assert document(done)["case"] == "undecided"


@cases
def test_diffs_that_cannot_be_used(house: Path, original: str, fix: str, more: str, said: str) -> None:
    (house / "bad.diff").write_text(DIFF.replace("len(xs) // 2]\n+", "len(xs)]\n+"))
    done = run(house, original=original, fix=fix, tests="house/tests", more=more)
    assert done.exit_code == 2
    assert said in document(done)["error"]


def test_a_policy_that_is_invalid_is_said(house: Path) -> None:
    (house / "house" / ".github").mkdir()
    (house / "house" / ".github" / "bouncer.yml").write_text("verify: {tests: pytest}\n")
    done = run(house, original="house", fix="fix.diff", tests="house/tests")
    assert done.exit_code == 2
    assert "policy is invalid" in document(done)["error"]


def test_a_setup_that_fails_is_shown_with_what_it_printed(house: Path) -> None:
    (house / "house" / ".github").mkdir()
    policy = "verify: {setup: ['true', 'echo no such package; exit 1']}\n"
    (house / "house" / ".github" / "bouncer.yml").write_text(policy)
    done = run(house, original="house", fix="fix.diff", tests="house/tests")
    found = document(done)
    assert (found["case"], found["verdict"], done.exit_code) == (None, "UNAVAILABLE", 3)
    assert found["reasons"][0] == "line 2 of setup failed"
    (failed,) = found["tests"]["original"]["failing"]
    assert failed["name"] == "echo no such package; exit 1"
    assert "no such package" in failed["message"]
    assert found["seconds"] > 0


def test_a_test_has_ten_seconds_and_everything_five_minutes() -> None:
    defaults = {option.name: option.default for option in verify.params}
    assert (defaults["test_timeout"], Verify().timeout) == (10, 300)


@pytest.mark.parametrize("option", ["--timeout", "--test-timeout"])
def test_a_time_is_a_number(here: Path, option: str) -> None:
    done = run(here, more=f"{option} nan")
    assert done.exit_code == 2
    assert "nan is not in the range" in done.stderr


def test_nothing_runs_without_a_sandbox(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_CONTAINER_COMMAND", "/nowhere/podman")
    done = run(here, more="--executor container")
    found = document(done)
    assert (found["case"], found["verdict"], done.exit_code) == (None, "UNAVAILABLE", 3)
    assert "container" in found["reasons"][0]
    assert found["executor"] is None
