"""Which patch belongs to which bug, and what the runs of its tests say: without running anything."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.backtest.export import read_export
from bot.backtest.pulls import read_pulls
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.verification.stage import Stage
from bot.verification.values import Base, Environment, Program, Suite, TestResult, TestRun, TestStatus
from lab.bugs.candidates import BugCandidate, Fix, LeftOut, candidate, fixes, funnel
from lab.bugs.trials import judge_tests, sides
from tests.backtest.exports import event
from tests.lab.pasts import Past
from tests.support.clones import commit, git, initialise

BASE = {"half.py": "def half(n):\n    return n / 2\n", "tests/test_half.py": "def test():\n    pass\n"}
FIXED = {"half.py": "def half(n):\n    return n // 2\n", "tests/test_half.py": "def test():\n    assert True\n"}


def named(pull: int, merged: str, url: str = "acme/widgets") -> dict[str, object]:
    """That a pull request names the issue."""
    home = f"https://api.github.com/repos/{url}"
    source = {"issue": {"number": pull, "repository_url": home, "pull_request": {"merged_at": merged}}}
    return event("cross-referenced", "ann", 2, source=source)


def found(past: Past) -> dict[int, tuple[Fix, ...]]:
    folder = past.written()
    return fixes(read_export(folder, "acme/widgets", 100), read_pulls(folder))


@pytest.mark.parametrize("merge", ["squash", "merge", "rebase"])
def test_the_patch_starts_where_the_change_was_merged(merge: str, tmp_path: Path) -> None:
    past = Past(tmp_path)
    past.begin(BASE)
    before = git(past.clone, "rev-parse", "HEAD")
    past.issue(1)
    after = past.merged(7, "Fixes #1", FIXED, merge=merge)
    (issue,) = read_export(past.written(), "", 10).issues
    bug = candidate(past.clone, issue, found(past)[1])
    assert isinstance(bug, BugCandidate)
    assert (bug.base, bug.fixed, bug.tests) == (before, after, ("tests/test_half.py",))


def test_the_patches_make_of_the_base_what_was_merged(tmp_path: Path) -> None:
    """Also where a test was moved, a binary file changed, and a path is no plain word."""
    past = Past(tmp_path)
    past.begin(BASE)
    (past.clone / "ä b.bin").write_bytes(bytes(range(256)))
    past.begin({})
    past.issue(1)
    (past.clone / "ä b.bin").write_bytes(bytes(reversed(range(256))))
    moved = {"half.py": FIXED["half.py"], "tests/test_half.py": None, "tests/test_all.py": BASE["tests/test_half.py"]}
    after = past.merged(7, "Fixes #1", moved)
    (issue,) = read_export(past.written(), "", 10).issues
    bug = candidate(past.clone, issue, found(past)[1])
    assert isinstance(bug, BugCandidate)
    assert set(bug.tests) == {"tests/test_half.py", "tests/test_all.py"}
    git(past.clone, "checkout", "--quiet", "-b", "again", bug.base)
    for text in (bug.patch, bug.test_patch):
        (tmp_path / "a.patch").write_text(text)
        git(past.clone, "apply", "--index", str(tmp_path / "a.patch"))
    assert git(past.clone, "write-tree") == git(past.clone, "rev-parse", f"{after}^{{tree}}")


@pytest.mark.parametrize(("lines", "why"), [(149, None), (150, LeftOut.LONG)])
def test_added_and_removed_lines_of_code_count(lines: int, why: LeftOut | None, tmp_path: Path) -> None:
    past = Past(tmp_path)
    past.begin(BASE)
    past.issue(1)
    more = BASE["half.py"].replace("/", "//") + "# More.\n" * (lines - 2)
    past.merged(7, "Fixes #1", {**FIXED, "half.py": more, "docs/a.md": "Long.\n" * 999, "setup.cfg": "[a]\n" * 999})
    (issue,) = read_export(past.written(), "", 10).issues
    bug = candidate(past.clone, issue, found(past)[1])
    assert (bug if isinstance(bug, LeftOut) else None) is why


def test_a_commit_that_closed_an_issue_fixes_it(tmp_path: Path) -> None:
    past = Past(tmp_path)
    sha = commit(past.clone, BASE, "Halve. Fixes #1")
    past.issue(1, event("closed", "maintainer", 6, commit_id=sha))
    assert found(past) == {1: (Fix(0, sha, (), (1,)),)}


def test_one_change_that_is_known_in_two_ways_is_one(tmp_path: Path) -> None:
    """By its text, and by what GitHub says closed the issue: here a commit that a rebase made."""
    past = Past(tmp_path)
    merged = past.merged(7, "Fixes #1", FIXED, merge="rebase")
    closed = event("closed", "maintainer", 6, commit_id="c" * 40)
    past.issue(1, named(7, closed["created_at"]), closed)
    assert [(fix.pull, fix.commit) for fix in found(past)[1]] == [(7, merged)]


def test_the_commit_of_a_merge_is_its_pull_request(tmp_path: Path) -> None:
    past = Past(tmp_path)
    merged = past.merged(7, "See #1", FIXED)
    past.issue(1, event("closed", "maintainer", 6, commit_id=merged))
    assert [(fix.pull, fix.commit) for fix in found(past)[1]] == [(7, merged)]


@pytest.mark.parametrize("body", ["Fixes acme/others#1", "See #1", "`Fixes #1`"])
def test_what_only_names_an_issue_is_no_fix(body: str, tmp_path: Path) -> None:
    past = Past(tmp_path)
    past.issue(1)
    past.merged(7, body, FIXED)
    past.pulls[0]["head"] = {"ref": "issue-1"}
    assert found(past) == {1: ()}


def test_a_pull_request_that_was_not_read_is_still_a_fix(tmp_path: Path) -> None:
    past = Past(tmp_path)
    closed = event("closed", "maintainer", 6)
    past.issue(1, named(8, closed["created_at"]), named(9, closed["created_at"], "acme/others"), closed)
    past.issue(2, named(8, "2026-01-01T00:00:00Z"), closed)
    assert found(past) == {1: (Fix(8, "", (), (1,)),), 2: ()}


def test_a_fix_without_a_commit_before_it_is_left_out(tmp_path: Path) -> None:
    past = Past(tmp_path)
    past.issue(1)
    (issue,) = read_export(past.written(), "", 10).issues
    first = git(past.clone, "rev-list", "--max-parents=0", "HEAD")
    assert candidate(past.clone, issue, [Fix(0, first, (), (1,))]) is LeftOut.ABSENT
    assert candidate(initialise(tmp_path / "other"), issue, [Fix(0, first, (), (1,))]) is LeftOut.ABSENT


P, F, E, S = TestStatus.PASSED, TestStatus.FAILED, TestStatus.ERROR, TestStatus.SKIPPED
FLAKY = TestStatus.FLAKY


def ran(problem: str = "", **tests: TestStatus) -> TestRun:
    """`a_b=P`: the test b of the file a.py passed; `a=E`: the file cannot be read."""
    names = {key.replace("_", ".py::", 1) if "_" in key else f"{key}.py": status for key, status in tests.items()}
    return TestRun(tuple(TestResult(name, status) for name, status in names.items()), 1.0, problem)


@pytest.mark.parametrize(
    ("before", "after", "why", "turned"),
    [
        (ran(a_x=F, a_y=P), ran(a_x=P, a_y=P), None, ["a.py::x"]),
        (ran(a=E), ran(a_x=P), None, ["a.py::x"]),
        (ran(a_x=F, a_y=F), ran(a_x=P, a_y=F), None, ["a.py::x"]),
        (ran(a_x=P), ran(a_x=P), LeftOut.NONE_TURNS, []),
        (ran(a_x=F), ran(a_x=F), LeftOut.NONE_TURNS, []),
        (ran(a_x=F), ran(a_x=S), LeftOut.NONE_TURNS, []),
        (ran(a_x=S), ran(a_x=P), LeftOut.NONE_TURNS, []),
        (ran(a_x=F, a_y=P), ran(a_x=P, a_y=F), LeftOut.FAILS_AFTER, []),
        (ran(a_x=FLAKY), ran(a_x=P), LeftOut.FLAKY, []),
        (ran(a_x=F, a_y=P), ran(a_x=P, a_y=FLAKY), LeftOut.FLAKY, []),
        (ran("ran out of time", a_x=F), ran(a_x=P), LeftOut.NOT_RUN, []),
        (ran(a_x=F), ran("no tests were found"), LeftOut.NOT_RUN, []),
    ],
)
def test_what_the_runs_say(before: TestRun, after: TestRun, why: LeftOut | None, turned: Sequence[str]) -> None:
    found = judge_tests(before, after)
    assert (found.left_out, list(found.fail_to_pass)) == (why, turned)
    assert bool(found.problem) is (why is LeftOut.NOT_RUN)


def test_the_tests_of_the_patch_stand_on_the_base() -> None:
    """With the data beside them, without those that it takes away, and in the base's own environment."""
    own = Environment(image="the base's")
    old = Program(None, {"a.py": b"", "tests/test_old.py": b"def test_old(): pass\n"})
    new = Program(None, {"a.py": b"1", "tests/test_new.py": b"def test_new(): pass\n", "tests/data.json": b"{}"})
    stage = Stage(BubblewrapExecutor(), Base(old, Suite(environment=own)), new, new, Suite(), 1.0)
    (before, suite), (after, suite_after) = sides(stage, ["tests/test_old.py", "tests/test_new.py", "tests/data.json"])
    assert before.files == {"a.py": b"", "tests/test_old.py": None}
    assert (set(suite.files), suite.select) == ({"tests/test_new.py", "tests/data.json"}, ("tests/test_new.py",))
    assert (suite.environment, after, suite_after.select) == (own, new, ("tests/test_new.py",))


def test_every_reason_is_at_one_stage() -> None:
    stages = funnel(100, list(LeftOut))
    assert sorted(why for stage in stages for why, _ in stage.out) == sorted(LeftOut)
    assert (stages[0].left, stages[-1].left) == (100, 100 - len(LeftOut))
