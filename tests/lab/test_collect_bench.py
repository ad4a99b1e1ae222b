"""`bouncer bench collect` on a real git history, in the real sandbox: each stage of the funnel, and what is written."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.commands import confirmation
from bot.policy import Policy
from fake_github import FakeGitHub
from lab.bugs.candidates import LeftOut
from lab.bugs.trials import BugTests
from lab.commands import bench_collect
from tests.backtest.exports import DAY
from tests.lab.pasts import POLICY, Past
from tests.support.clones import initialise

REPO = "acme/widgets"
HALF = "def half(number):\n    return number / 2\n"
WHOLE = HALF.replace("/ 2", "// 2")
TEST = "from half import half\n\n\ndef test_even():\n    assert half(4) == 2\n"
ODD = TEST + "\n\ndef test_odd():\n    assert half(5) == 2\n"
# Passes only where the other ran before it.
IN_ORDER = TEST + "\n\nseen = []\n\n\ndef test_one():\n    seen.append(1)\n\n\ndef test_two():\n    assert seen\n"
LONG = "".join(f"VALUE_{number} = {number}\n" for number in range(150))
BASE: dict[str, str | None] = {".github/bouncer.yml": POLICY, "half.py": HALF, "test_half.py": TEST, "NEWS.md": ""}
FIXED: dict[str, str | None] = {"half.py": WHOLE, "test_half.py": ODD, "NEWS.md": LONG}
EDITED = {
    "lastEditedAt": DAY.format(4),
    "includesCreatedEdit": True,
    "userContentEdits": {"nodes": [{"editedAt": DAY.format(1), "diff": "Half of 5 is 2.5."},
                                   {"editedAt": DAY.format(4), "diff": "Use `//` in half.py."}]},
}  # fmt: skip
FUNNEL = {
    "issues": 14,
    "closed": 13,
    "fixed by a merged change": 12,
    "one patch for one bug": 8,
    "at most 149 lines of code": 6,
    "code and tests are changed": 4,
    "a test fails before and passes after": 2,
    "no test is flaky": 1,
}
WHY = {
    1: {"it is open": 1},
    2: {"no merged change is known to fix it": 1},
    3: {"several changes fix it": 1, "its change fixes other issues as well": 2,
        "the commits of its change are not here": 1},
    4: {"its patch is no text, or too large to be read": 1, "more than 149 lines of code are changed": 1},
    5: {"no code is changed": 1, "no test is changed": 1},
    6: {"its tests cannot be run": 1, "no test fails before the patch and passes after it": 1},
    7: {"a test does not always end the same way": 1},
}  # fmt: skip
pytestmark = pytest.mark.usefixtures("equal_jobs_run_once", "own_cache")


@pytest.fixture
def past(tmp_path: Path) -> Past:
    found = Past(tmp_path)
    found.begin({"half.py": HALF, "test_half.py": TEST})
    return found


def run(past: Past, *more: str) -> Result:
    return CliRunner().invoke(main, ["bench", "collect", str(past.written()), "--clone", str(past.clone), *more])


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def kept(past: Past, edits: dict[str, Any] | None = None) -> None:
    """What is written is long, but no code."""
    past.issue(1, body="Use `//` in half.py.", edits=edits)
    past.merged(101, "Fixes #1", FIXED)


def every_stage(past: Past) -> None:
    """One issue for each way out of the funnel, and one that is kept."""
    kept(past, EDITED)
    past.begin(BASE)
    past.issue(2, state="open")
    past.issue(3)
    past.issue(4)
    for number, text in ((102, WHOLE), (103, HALF)):
        past.merged(number, "Fixes #4", {"half.py": text, "test_half.py": TEST + f"# {number}\n"})
    past.issue(5)
    past.issue(6)
    past.merged(104, "Fixes #5, fixes #6", {"half.py": WHOLE, "test_half.py": ODD})
    past.begin(BASE)
    past.issue(7)
    past.merged(105, "Fixes #7", {"half.py": HALF + LONG, "test_half.py": ODD})
    past.begin(BASE)
    past.issue(8)
    past.merged(106, "Fixes #8", {"half.py": WHOLE})
    past.begin(BASE)
    past.issue(9)
    past.merged(107, "Fixes #9", {"test_half.py": ODD})
    past.issue(10)
    past.merged(108, "Fixes #10", {"half.py": HALF + "# Half.\n", "test_half.py": TEST + "# Half.\n"})
    past.begin({".github/bouncer.yml": "verify: {tests: pytest}\n"})
    past.issue(11)
    past.merged(109, "Fixes #11", {"half.py": WHOLE, "test_half.py": ODD})
    past.begin(BASE)
    past.issue(12)
    past.merged(110, "Fixes #12", {"half.py": WHOLE, "test_half.py": IN_ORDER + "    assert half(5) == 2\n"})
    past.issue(13)
    past.merged(111, "Fixes #13", {"half.py": HALF, "test_half.py": ODD}, sha="0" * 40)
    past.issue(14)
    (past.clone / "latin.py").write_bytes("# Hälfte\n".encode("latin-1"))
    past.merged(113, "Fixes #14", {"test_half.py": TEST})


def test_each_stage_leaves_out_what_it_should(past: Past, tmp_path: Path) -> None:
    every_stage(past)
    out = tmp_path / "bugs.jsonl"
    done = run(past, "--out", str(out), "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert {stage["stage"]: stage["left"] for stage in told["funnel"]} == FUNNEL
    assert {place: stage["left_out"] for place, stage in enumerate(told["funnel"]) if stage["left_out"]} == WHY
    (row,) = rows(out)
    assert row["instance_id"] == "acme__widgets-1"
    assert (row["repo"], row["created_at"]) == ("acme/widgets", DAY.format(1))
    assert (row["problem_statement"], row["as_opened"]) == ("Case 1\nHalf of 5 is 2.5.", True)
    assert row["FAIL_TO_PASS"] == ["test_half.py::test_odd"]
    assert row["PASS_TO_PASS"] == ["test_half.py::test_even"]
    assert "test_half.py" not in row["patch"] and "NEWS.md" in row["patch"]
    assert "half.py b/test_half.py" in row["test_patch"] and "NEWS.md" not in row["test_patch"]
    assert told["problems"][0]["issues"] == 1 and "the policy is invalid" in told["problems"][0]["problem"]


def test_it_goes_on_where_it_stopped(past: Past, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(past)
    done = run(past)
    assert done.exit_code == 0, done.output
    assert "Nothing was written. --out FILE writes the bugs" in done.stdout
    assert 'Of 1 the text may have been edited since they were opened: "as_opened" is false there.' in done.stdout
    (journal,) = (tmp_path / "cache").rglob("bugs-*.jsonl")
    with monkeypatch.context() as patch:
        patch.setattr(bench_collect.BugTrials, "_run", lambda *_: pytest.fail("run again"))
        with journal.open("a") as file:
            file.write('["half a verdi')
        assert run(past, "--out", str(tmp_path / "bugs.jsonl")).exit_code == 0
    assert [row["as_opened"] for row in rows(tmp_path / "bugs.jsonl")] == [False]
    journal.write_text(journal.read_text().splitlines()[0] + "\n")
    monkeypatch.setattr(bench_collect.BugTrials, "_run", lambda *_: BugTests(LeftOut.FLAKY))
    assert run(past).exit_code == 3


def test_a_policy_of_ones_own_says_how_tests_run(past: Past, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict under another policy is another verdict."""
    kept(past)
    seen: list[Policy | None] = []

    def looked(trials: bench_collect.BugTrials, _: object) -> BugTests:
        seen.append(trials._policy)
        return BugTests(None, ("a",))

    monkeypatch.setattr(bench_collect.BugTrials, "_run", looked)
    (tmp_path / "mine.yml").write_text("verify:\n  test: nose\n")
    for _ in range(2):
        run(past)
        run(past, "--policy", str(tmp_path / "mine.yml"))
    assert [policy and policy.verify.test for policy in seen] == [None, "nose"]


def test_what_could_not_be_set_up_is_tried_again_when_asked_for(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    """That takes long, and may be an index of packages that was down."""
    kept(past)
    tries: list[BugTests] = [BugTests(LeftOut.NOT_RUN, problem="no index"), BugTests(None, ("a",))]
    monkeypatch.setattr(bench_collect.BugTrials, "_run", lambda *_: tries.pop(0))
    done = run(past)
    assert (done.exit_code, "1 could not be run: no index\n\n--retry tries these again" in done.stdout) == (3, True)
    assert [run(past, *more).exit_code for more in ((), ("--retry",), ())] == [3, 0, 0]


def test_what_the_machine_failed_at_is_always_tried_again(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(past)
    tries: list[BugTests] = [BugTests(LeftOut.NOT_RUN, problem="no sandbox", ours=True), BugTests(None, ("a",))]
    monkeypatch.setattr(bench_collect.BugTrials, "_run", lambda *_: tries.pop(0))
    assert [run(past).exit_code for _ in range(2)] == [3, 0]


def test_the_set_feeds_the_other_benchmarks(past: Past, tmp_path: Path) -> None:
    kept(past)
    folder = tmp_path / "data"
    folder.mkdir()
    run(past, "--out", str(folder / "issues_unannotated.jsonl"))
    (row,) = rows(folder / "issues_unannotated.jsonl")
    patches = [
        {"instance_id": row["instance_id"], "submission": name, "model_patch": patch, "resolved": right}
        for name, patch, right in (("people", row["patch"], True), ("agent", row["patch"].replace("//", "/"), False))
    ]
    (folder / "patches.jsonl").write_text("".join(json.dumps(each) + "\n" for each in patches))
    shown = ["bench", "output", "--data", str(folder / "patches.jsonl"), "--weights", "packaged", "--json"]
    done = CliRunner().invoke(main, shown)
    assert done.exit_code == 0, done.output
    labelled = [row | {"underspecified": 0}, row | {"underspecified": 3, "instance_id": "acme__widgets-2"}]
    (folder / "issues.jsonl").write_text("".join(json.dumps(each) + "\n" for each in labelled))
    done = CliRunner().invoke(main, ["bench", "input", "--data", str(folder / "issues.jsonl"), "--json"])
    assert done.exit_code == 0, done.output


def test_a_long_run_is_asked_for(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirmation, "LONG", -1)
    kept(past)
    done = run(past)
    assert (done.exit_code, "Add --yes, or smaller --issues and --pulls." in done.stderr) == (2, True)


def test_without_a_sandbox_nothing_is_said_of_the_tests(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_CONTAINER_COMMAND", "/nowhere/podman")
    kept(past)
    done = run(past, "--executor", "container", "--json")
    assert (done.exit_code, "run in a sandbox alone" in done.stderr) == (3, True)
    assert json.loads(done.stdout)["kept"] == 0


def test_a_cache_that_cannot_be_written_is_said_plainly(
    past: Past, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept(past)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BOUNCER_CACHE_DIR", str(tmp_path / "file" / "cache"))
    done = run(past, "--json")
    assert (done.exit_code, "Set BOUNCER_CACHE_DIR to another" in done.stderr) == (2, True), done.output


def test_where_no_bug_is_left_nothing_is_written(past: Past, tmp_path: Path) -> None:
    past.issue(1)
    out = tmp_path / "bugs.jsonl"
    done = run(past, "--out", str(out))
    assert (done.exit_code, out.exists(), "No bug is left." in done.stdout) == (3, False, True)


def test_what_cannot_be_read_is_said_plainly(past: Past, tmp_path: Path) -> None:
    kept(past)
    folder, empty = str(past.written()), initialise(tmp_path / "empty")
    (tmp_path / "nothing").mkdir()
    for given, said in (
        ((folder,), "Name a clone of the repository with --clone."),
        ((folder, "--clone", str(empty)), "there is no commit in it"),
        ((folder, "--clone", str(tmp_path / "nowhere")), "is no git repository"),
        ((str(tmp_path / "nothing"),), "there is no issues.jsonl in it"),
        (("nowhere",), "it is not OWNER/REPO"),
        ((folder, "--clone", str(past.clone), "--out", str(tmp_path / "gone" / "a")), "Make it first."),
    ):
        done = CliRunner().invoke(main, ["bench", "collect", *given, "--json"])
        assert (done.exit_code, said in done.stderr) == (2, True), done.output
        assert json.loads(done.stdout)["funnel"] == []


@pytest.fixture
def on_github(public_github: FakeGitHub) -> FakeGitHub:
    """With an issue that is fixed, and whose text was edited later."""
    public_github.push(REPO, {"README.md": None, **BASE})
    issue = public_github.open_issue(REPO, "Halves are not whole", "Half of 5 is 2.5.")
    pull = public_github.open_pull(REPO, "Halve", FIXED, body=f"Fixes #{issue}")
    public_github.merge_pull(REPO, pull)
    public_github.close_issue(REPO, issue, by="maintainer")
    public_github.clock = lambda: datetime.now(UTC) + timedelta(hours=1)
    public_github.edit_issue(REPO, issue, body="Use `//`.")
    return public_github


def test_it_collects_from_github(
    on_github: FakeGitHub, fake_installation: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on_github.access.token_lifetime = timedelta(days=3650)
    monkeypatch.setenv("BOUNCER_GITHUB_TOKEN", on_github.access.issue_token(fake_installation)[0])
    done = CliRunner().invoke(main, ["bench", "collect", REPO, "--out", str(tmp_path / "bugs.jsonl")])
    assert done.exit_code == 0, done.output
    (row,) = rows(tmp_path / "bugs.jsonl")
    assert row["problem_statement"] == "Halves are not whole\nHalf of 5 is 2.5."
    assert (row["as_opened"], row["FAIL_TO_PASS"]) == (True, ["test_half.py::test_odd"])
    assert on_github.writes(REPO) == []


def test_without_a_token_it_says_what_it_cannot_see(on_github: FakeGitHub) -> None:
    done = CliRunner().invoke(main, ["bench", "collect", REPO])
    assert (done.exit_code, "pull requests are not read. Set BOUNCER_GITHUB_TOKEN" in done.stdout) == (3, True)


@pytest.mark.parametrize("name", ["acme/secret", "acme/nothing"])
def test_a_private_repository_without_a_token_is_said_plainly(on_github: FakeGitHub, name: str) -> None:
    on_github.create_repository("acme/secret", private=True)
    done = CliRunner().invoke(main, ["bench", "collect", name])
    assert (done.exit_code, "BOUNCER_GITHUB_TOKEN to a token of yours if it is private" in done.stderr) == (2, True)
