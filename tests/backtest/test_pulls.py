"""What became of a pull request, and what that says."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.backtest.endings import Signal
from bot.backtest.pulls import PULLS, PullEnding, read_pulls
from tests.backtest.exports import DAY, Exported, event, write_export

WHO = {"name": "Ann", "email": "ann@example.org"}
ASKS = {"event": "reviewed", "state": "changes_requested", "user": {"login": "maintainer"}}

APPROVED = ASKS | {"state": "approved", "author_association": "MEMBER"}
BOT = {"login": "review[bot]", "type": "Bot"}


def committed(sha: str, day: int) -> dict[str, Any]:
    who = WHO | {"date": DAY.format(day)}
    return {"event": "committed", "sha": sha * 40, "author": who, "committer": who, "message": "Change it"}


def read(folder: Path, *acts: dict[str, Any], state: str = "closed", merged: bool = False) -> Any:
    write_export(folder, [Exported(1, "Change it", "As asked.", acts)])
    row = {"number": 1, "title": "Change it", "body": "As asked.", "user": {"login": "ann"}, "state": state}
    row |= {"created_at": DAY.format(2), "updated_at": DAY.format(9), "merged_at": DAY.format(5) if merged else None}
    (folder / PULLS).write_text(json.dumps(row | {"merge_commit_sha": "f" * 40}))
    return read_pulls(folder)[0]


@pytest.mark.parametrize(
    ("acts", "state", "merged", "ending", "said"),
    [
        ((), "closed", True, PullEnding.MERGED, Signal.CLEAR),
        ((committed("b", 4),), "closed", True, PullEnding.CHANGED, Signal.NOTHING),
        ((ASKS | {"author_association": "MEMBER"},), "closed", True, PullEnding.ASKED, Signal.UNCLEAR),
        ((ASKS | {"author_association": "NONE"},), "closed", True, PullEnding.MERGED, Signal.CLEAR),
        ((ASKS | {"author_association": "MEMBER", "user": BOT},), "closed", True, PullEnding.MERGED, Signal.CLEAR),
        ((event("merged", "maintainer"),), "closed", True, PullEnding.MERGED, Signal.CLEAR),
        ((event("merged", "ann"),), "closed", True, PullEnding.UNREVIEWED, Signal.NOTHING),
        ((event("merged", "queue[bot]"),), "closed", True, PullEnding.UNREVIEWED, Signal.NOTHING),
        ((event("merged", "cursoragent"),), "closed", True, PullEnding.UNREVIEWED, Signal.NOTHING),
        ((event("merged", "queue[bot]"), APPROVED), "closed", True, PullEnding.MERGED, Signal.CLEAR),
        ((event("merged", "ann"), APPROVED | {"user": BOT}), "closed", True, PullEnding.UNREVIEWED, Signal.NOTHING),
        ((event("closed", "cursoragent"),), "closed", False, PullEnding.WITHDRAWN, Signal.NOTHING),
        ((event("closed", "maintainer"),), "closed", False, PullEnding.REJECTED, Signal.UNCLEAR),
        ((event("closed", "ann"),), "closed", False, PullEnding.WITHDRAWN, Signal.NOTHING),
        ((event("closed", "stale[bot]"),), "closed", False, PullEnding.WITHDRAWN, Signal.NOTHING),
        ((), "open", False, PullEnding.OPEN, Signal.NOTHING),
    ],
)
def test_what_an_ending_says(
    acts: tuple[dict[str, Any], ...], state: str, merged: bool, ending: PullEnding, said: Signal, tmp_path: Path
) -> None:
    found = read(tmp_path, committed("a", 1), *acts, state=state, merged=merged)
    assert (found.ending, found.ending.signal) == (ending, said)
    assert found.head == "a" * 40
    assert found.merged == ("f" * 40 if merged else "")


def test_a_revert_says_that_it_was_wrong() -> None:
    assert PullEnding.REVERTED.signal is Signal.UNCLEAR


def test_commits_of_the_future_are_not_the_openings(tmp_path: Path) -> None:
    found = read(tmp_path, committed("a", 1), committed("b", 2), committed("c", 3))
    assert (found.head, len(found.proposal.commits)) == ("b" * 40, 2)


def test_no_commit_of_before_the_opening_means_that_it_is_not_known(tmp_path: Path) -> None:
    assert read(tmp_path, committed("c", 3)).head == ""
    assert read(tmp_path, committed("a", 1) | {"committer": None}).head == ""
