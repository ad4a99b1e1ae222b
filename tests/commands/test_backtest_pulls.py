"""`bouncer backtest` on agents' pull requests: from a real clone, as of their opening, executed in the real sandbox."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.backtest.pulls import PULLS
from bot.cli import main
from bot.commands import confirmation
from bot.commands.judge_pull import facts_of
from bot.commands.judge_pull_input import Proposed
from bot.pulls.facts import PullFacts
from bot.settings import Settings
from tests.backtest.exports import DAY, FIXED, Exported, comment, event, write_export
from tests.commands.test_judge_pull import ISSUE, POLICY, RIGHT, SHARE, TEST
from tests.support.clones import commit, git, initialise
from tests.support.model import ScriptedModel, completion, reword

AGENT = {"login": "copilot-swe-agent[bot]", "type": "Bot"}
WRONG = SHARE.replace("people]", "people + 1]")  # a test of the base notices
UNEDITED = {"lastEditedAt": None}
MERGED = {"state": "closed", "merged_at": DAY.format(6)}
REJECTED = {"state": "closed", "merged_at": None}
CLOSED = (comment("maintainer", "This loses a cent.", 5), event("closed", "maintainer", 6))
pytestmark = pytest.mark.usefixtures("equal_jobs_run_once", "own_cache")


class History:
    """A clone with a branch for each pull request, and the export that goes with it."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.folder = initialise(folder / "clone"), folder / "export"
        self.folder.mkdir()
        commit(self.clone, {"share.py": SHARE, "test_share.py": TEST, ".github/bouncer.yml": POLICY}, "Begin")
        self.pulls: list[dict[str, Any]] = []
        self.subjects: list[Exported] = []
        title, _, body = ISSUE.removeprefix("# ").partition("\n")
        self.subjects.append(Exported(1, title, body, (FIXED,)))

    def opened(
        self,
        number: int,
        *versions: str,
        ended: dict[str, Any],
        acts: tuple[dict[str, Any], ...] = (),
        edits: dict[str, Any] | None = UNEDITED,
        body: str = "Fixes #1",
        author: dict[str, str] = AGENT,
    ) -> str:
        """Each version of share.py is a commit; the first is there at the opening. The first one's SHA."""
        git(self.clone, "checkout", "--quiet", "-b", f"topic-{number}", "main")
        shas, told = [], []
        for place, text in enumerate(versions):
            when = DAY.format(5) if place else "2024-05-02T12:00:00Z"
            shas.append(commit(self.clone, {"share.py": text}, "Share every cent", when=when))
            who = {"name": "copilot", "email": "copilot@example.org", "date": when}
            told.append({"event": "committed", "sha": shas[-1], "author": who, "committer": who, "message": "Share"})
        git(self.clone, "checkout", "--quiet", "main")
        place = {"head": {"ref": f"topic-{number}"}, "base": {"ref": "main"}, "merge_commit_sha": shas[-1]}
        self.pulls.append(
            {"number": number, "title": "Share every cent", "body": body, "user": author, **place, **ended}
        )
        self.subjects.append(Exported(number, "Share every cent", body, (*told, *acts), edits))
        return shas[0]

    def written(self) -> Path:
        write_export(self.folder, self.subjects)
        rows = [json.loads(line) for line in (self.folder / "issues.jsonl").read_text().splitlines()]
        rows = [row | ({"pull_request": {}} if row["number"] > 1 else {}) for row in rows]
        (self.folder / "issues.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        plain = {"created_at": DAY.format(2), "updated_at": DAY.format(9), "labels": []}
        (self.folder / PULLS).write_text("".join(json.dumps({**plain, **pull}) + "\n" for pull in self.pulls))
        return self.folder


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


def run(history: History, *more: str) -> Result:
    return CliRunner().invoke(main, ["backtest", str(history.written()), "--clone", str(history.clone), *more])


def pulls(history: History, *more: str) -> dict[str, Any]:
    done = run(history, "--json", *more)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)["pulls"]
    return found


def test_they_are_executed_as_they_were_opened_and_a_second_run_executes_nothing(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was pushed later would pass; the opening did not."""
    history.opened(2, RIGHT, ended=MERGED)
    history.opened(3, WRONG, ended=REJECTED, acts=CLOSED)
    history.opened(4, WRONG, RIGHT, ended=MERGED)
    found = pulls(history)
    assert {case["number"]: (case["verdict"], case["ending"]) for case in found["cases"]} == {
        2: ("plausible", "merged as it was opened"),
        3: ("would be bounced", "closed by a maintainer who said why"),
        4: ("would be bounced", "changed before it was merged"),
    }
    figures = found["figures"]
    assert [figures[name] for name in ("judged", "held", "right", "wrong", "missed", "fine")] == [3, 2, 1, 0, 0, 1]
    monkeypatch.setattr("bot.commands.backtest_pulls.facts_of", lambda *_: pytest.fail("judged again"))
    assert pulls(history)["figures"] == figures
    text = " ".join(run(history).stdout.split())
    assert "3 judged: 2 bounced, 0 not decided or for a person." in text
    assert "right, of the bounced: 1 of 1: 100%" in text


def test_a_verdict_that_was_written_by_half_is_reached_again_and_the_others_are_kept(
    history: History, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    history.opened(2, RIGHT, ended=MERGED)
    history.opened(3, WRONG, ended=REJECTED, acts=CLOSED)
    figures = pulls(history)["figures"]
    (kept,) = (tmp_path / "cache").rglob("verdicts.jsonl")
    head, first, *_ = kept.read_bytes().splitlines(keepends=True)
    kept.write_bytes(head + first + b'{"key": "a"}\n[]\n["b", {"seconds": 1, "result": "{}"}]\n' + first[:200])
    assert pulls(history)["figures"] == figures
    monkeypatch.setattr("bot.commands.backtest_pulls.facts_of", lambda *_: pytest.fail("judged again"))
    assert pulls(history)["figures"] == figures


def test_another_writer_of_tests_judges_anew(
    history: History, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever checks reviews or writes tests counts as much as whoever reviews."""
    history.opened(2, RIGHT, ended=MERGED)
    asked: list[str] = []

    def counted(proposed: Proposed, settings: Settings) -> PullFacts:
        asked.append(settings.writer_model)
        return facts_of(proposed, settings.model_copy(update={"judge": "offline"}))

    monkeypatch.setattr("bot.commands.backtest_pulls.facts_of", counted)
    scripted_model.always(completion(label="WELL_SPECIFIED"))
    settings = scripted_model.settings()
    for name in ("model", "model_base_url"):
        monkeypatch.setenv(f"BOUNCER_{name.upper()}", getattr(settings, name))
    monkeypatch.setenv("BOUNCER_JUDGE", "openai")
    monkeypatch.setenv("BOUNCER_MODELS", '[{"model": "claude-a"}, {"model": "claude-b"}]')
    for writer in ("claude-a", "claude-b", "claude-b"):
        monkeypatch.setenv("BOUNCER_WRITER_MODEL", writer)
        pulls(history, "--yes")
    assert asked == ["claude-a", "claude-b"]
    reword(monkeypatch, "specification-tests")
    pulls(history, "--yes")
    assert asked == ["claude-a", "claude-b", "claude-b"], "what was asked in other words"


def test_without_execution_there_are_risks_and_no_figures(history: History) -> None:
    history.opened(2, "import os\nos._exit(0)\n" + SHARE, ended=MERGED)
    found = pulls(history, "--no-execute")
    assert (found["figures"], found["executed"]) == (None, False)
    (case,) = found["cases"]
    assert case["verdict"] == "not judged" and any("ends the process" in risk for risk in case["risks"])


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"acts": (event("head_ref_force_pushed", "copilot", 4),)}, "its branch was rewritten"),
        ({"edits": None, "body": "Fixes #1\n\nEdit: and more"}, "its text was edited"),
        ({"body": "Fixes #77"}, "what it names as its issue is not known"),
    ],
)
def test_what_is_not_known_as_of_the_opening_is_left_out_and_counted(
    given: dict[str, Any], why: str, history: History
) -> None:
    history.opened(2, RIGHT, ended=MERGED, **given)
    found = pulls(history)
    ((said, count),) = found["left_out"].items()
    assert (why in said, count, found["cases"], found["figures"]["judged"]) == (True, 1, [], 0)


def test_commits_that_are_not_in_the_clone_are_said(history: History) -> None:
    history.opened(2, RIGHT, ended=MERGED)
    row = next(each for each in history.subjects if each.number == 2)
    row.events[0]["sha"] = "0" * 40
    assert list(pulls(history)["left_out"]) == ["its commits, or its base branch, are not in the clone"]


def test_peoples_are_not_judged_and_a_revert_counts(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    history.opened(2, RIGHT, ended=MERGED, author={"login": "ann", "type": "User"})
    sha = history.opened(3, RIGHT, ended=MERGED)
    git(history.clone, "merge", "--quiet", "--ff-only", "topic-3")
    commit(history.clone, {"share.py": SHARE}, f"Revert\n\nThis reverts commit {sha}.", when=DAY.format(8))
    found = pulls(history, "--no-execute")
    assert found["people"] == 1
    assert [case["ending"] for case in found["cases"]] == ["merged, and reverted later"]


def test_a_long_execution_is_asked_for(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirmation, "LONG", -1)
    history.opened(2, RIGHT, ended=MERGED)
    done = run(history)
    assert (done.exit_code, "Add --yes, a smaller --pulls, or --no-execute." in done.stderr) == (2, True)


def test_without_a_clone_they_are_left_out_and_without_a_sandbox_they_are_not_executed(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.opened(2, RIGHT, ended=MERGED)
    done = CliRunner().invoke(main, ["backtest", str(history.written()), "--json"])
    told = json.loads(done.stdout)
    assert told["pulls"] is None and any("Pull requests are left out" in note for note in told["notes"])
    monkeypatch.setenv("BOUNCER_CONTAINER_COMMAND", "/nowhere/podman")
    done = run(history, "--json", "--executor", "container")
    told = json.loads(done.stdout)
    assert any("only named risks are shown" in note for note in told["notes"]) and not told["pulls"]["executed"]
