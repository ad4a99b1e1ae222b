"""What became of a pull request or an issue: each act, by whom, and what it says."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.backtest.endings import IssueEnding, Signal, asks_for_more, outcome, says_waiting
from bot.backtest.export import read_export
from bot.backtest.pulls import PULLS, PullEnding, read_pulls
from tests.backtest.exports import ASKED, CLEAR, DAY, DONE, FIXED, TOLD, Exported, comment, event, write_export
from tests.support.cases import cases

MERGED = event("cross-referenced", "maintainer", 3, source={"issue": {"pull_request": {"merged_at": DAY.format(3)}}})

ELSEWHERE = event(
    "cross-referenced",
    "reporter",
    3,
    source={
        "issue": {
            "number": 5,
            "repository_url": "https://api.github.com/repos/reporter/own",
            "pull_request": {"merged_at": DAY.format(3)},
        }
    },
)


@pytest.mark.parametrize(
    ("events", "state", "ending", "said"),
    [
        pytest.param((), "open", IssueEnding.OPEN, Signal.NOTHING, id="open"),
        pytest.param((FIXED,), "closed", IssueEnding.FIXED, Signal.CLEAR, id="closed by a commit"),
        pytest.param((MERGED, DONE), "closed", IssueEnding.FIXED, Signal.CLEAR, id="closed by a merge"),
        pytest.param((TOLD, DONE), "closed", IssueEnding.DONE, Signal.CLEAR, id="answered and closed as done"),
        pytest.param((DONE,), "closed", IssueEnding.UNSAID, Signal.NOTHING, id="closed without a word, as spam"),
        pytest.param(
            (comment("triage[bot]", "Thanks!"), DONE),
            "closed", IssueEnding.UNSAID, Signal.NOTHING, id="a bot's answer is no word",
        ),
        pytest.param(
            (*(comment("maintainer", f"Idea {number}.") for number in range(3)), ASKED, DONE),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="asked in the fourth answer, about something else",
        ),
        pytest.param(
            (comment("maintainer", "@other could you share the full log?"), DONE),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="somebody else is asked",
        ),
        pytest.param(
            (comment("maintainer", "@reporter could you share the full log?"), DONE),
            "closed", IssueEnding.DONE, Signal.UNCLEAR, id="the reporter is asked by name",
        ),
        pytest.param((ASKED, DONE), "closed", IssueEnding.DONE, Signal.UNCLEAR, id="asked, then done"),
        pytest.param((ASKED,), "open", IssueEnding.OPEN, Signal.UNCLEAR, id="asked, and open"),
        pytest.param(
            (event("labeled", "maintainer", 2, label={"name": "needs-info"}), DONE),
            "closed", IssueEnding.DONE, Signal.UNCLEAR, id="a label that asks",
        ),
        pytest.param(
            (event("labeled", "triage[bot]", 2, label={"name": "needs-info"}), TOLD, DONE),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="a bot's label says nothing",
        ),
        pytest.param(
            (comment("stranger", ASKED["body"], association="NONE"), TOLD, DONE),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="a stranger asks",
        ),
        pytest.param(
            (comment("reporter", ASKED["body"], association="OWNER"), TOLD, DONE),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="the reporter asks",
        ),
        pytest.param(
            (comment("helper[bot]", ASKED["body"]), TOLD, DONE),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="a bot asks",
        ),
        pytest.param(
            (event("closed", "reporter", state_reason="completed"),),
            "closed", IssueEnding.BY_REPORTER, Signal.NOTHING, id="closed by its reporter",
        ),
        pytest.param(
            (ELSEWHERE, event("closed", "reporter", state_reason="completed")),
            "closed", IssueEnding.BY_REPORTER, Signal.NOTHING, id="closed by its reporter beside a merge elsewhere",
        ),
        pytest.param(
            (ELSEWHERE, DONE), "closed", IssueEnding.FIXED, Signal.CLEAR, id="closed by a maintainer's merge elsewhere",
        ),
        pytest.param(
            (comment("cursoragent", ASKED["body"]), TOLD, DONE),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="an agent asks",
        ),
        pytest.param(
            (event("closed", "openhands-agent", state_reason="completed"),),
            "closed", IssueEnding.BY_BOT, Signal.NOTHING, id="closed by an agent's account",
        ),
        pytest.param(
            (event("closed", "stale[bot]", state_reason="not_planned"),),
            "closed", IssueEnding.BY_BOT, Signal.NOTHING, id="closed by a timer",
        ),
        pytest.param(
            (event("closed", "maintainer", state_reason="not_planned"),),
            "closed", IssueEnding.NOT_PLANNED, Signal.NOTHING, id="not planned",
        ),
        pytest.param(
            (event("closed", "maintainer", state_reason="duplicate"),),
            "closed", IssueEnding.NOT_PLANNED, Signal.NOTHING, id="a duplicate",
        ),
        pytest.param(
            (TOLD, event("closed", "reporter"), event("reopened", "maintainer", 4), event("closed", "maintainer", 5)),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="the last closing counts",
        ),
        pytest.param((), "closed", IssueEnding.BY_BOT, Signal.NOTHING, id="nobody is known to have closed it"),
    ],
)  # fmt: skip
def test_what_an_ending_says(
    events: tuple[dict[str, Any], ...], state: str, ending: IssueEnding, said: Signal, tmp_path: Path
) -> None:
    write_export(tmp_path, [Exported(1, *CLEAR, events, state=state)])
    found = outcome(read_export(tmp_path, "", 9).issues[0])
    assert (found.ending, found.signal) == (ending, said)


def test_an_answer_is_the_reporters_and_comes_after_the_question(tmp_path: Path) -> None:
    answer = comment("reporter", "Here it is.", 4, "NONE")
    before = comment("reporter", "Anybody?", 1, "NONE")
    issues = [
        Exported(1, *CLEAR, (ASKED, answer)),
        Exported(2, *CLEAR, (before, ASKED)),
        Exported(3, *CLEAR, (ASKED, comment("stranger", "Me too.", 4, "NONE"))),
    ]
    past = read_export(write_export(tmp_path, issues), "", 9)
    assert {each.number: outcome(each).answered for each in past.issues} == {1: True, 2: False, 3: False}


WHO = {"name": "Ann", "email": "ann@example.org"}
ASKS = {"event": "reviewed", "state": "changes_requested", "user": {"login": "maintainer"}}

APPROVED = ASKS | {"state": "approved", "author_association": "MEMBER"}
WHY = comment("maintainer", "This returns the wrong total.", 3)
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
        ((event("closed", "maintainer"),), "closed", False, PullEnding.UNSAID, Signal.NOTHING),
        ((WHY, event("closed", "maintainer")), "closed", False, PullEnding.REJECTED, Signal.UNCLEAR),
        (
            (ASKS | {"author_association": "MEMBER", "body": "No"}, event("closed", "maintainer")),
            "closed",
            False,
            PullEnding.REJECTED,
            Signal.UNCLEAR,
        ),
        (
            (comment("ann", "It is wrong.", 3), event("closed", "maintainer")),
            "closed",
            False,
            PullEnding.UNSAID,
            Signal.NOTHING,
        ),
        (
            (comment("stranger", "It is wrong.", 3, "NONE"), event("closed", "maintainer")),
            "closed",
            False,
            PullEnding.UNSAID,
            Signal.NOTHING,
        ),
        (
            (WHY, comment("maintainer", "Superseded by #7.", 4), event("closed", "maintainer")),
            "closed",
            False,
            PullEnding.SUPERSEDED,
            Signal.NOTHING,
        ),
        (
            (comment("maintainer", "Done in https://github.com/a/b/pull/7", 4), event("closed", "maintainer")),
            "closed",
            False,
            PullEnding.SUPERSEDED,
            Signal.NOTHING,
        ),
        ((event("closed", "ann"),), "closed", False, PullEnding.WITHDRAWN, Signal.NOTHING),
        ((event("closed", "stale[bot]"),), "closed", False, PullEnding.WITHDRAWN, Signal.NOTHING),
        ((), "open", False, PullEnding.OPEN, Signal.NOTHING),
    ],
)
def test_what_a_pull_requests_ending_says(
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


ASKING = (
    "Could you share a small example that shows this?",
    "Please provide the full traceback.",
    "Which version of the library is this?",
    "What is your use case?",
    "What do you mean by a broken table?",
    "How did you install it?",
    "I cannot reproduce this on Windows. Could you try with a fresh profile and tell us?",
    "It would be helpful to have the log of the failing run.",
    "You haven't described what you expect.",
    "We need more information to look into this.",
    "Can you clarify?",
    "It is unclear what you want to change.",
    "Without a reproduction we can't do much.",
    "Do you have a small example?",
    "Can you upload debug.txt?",
    "Does it happen with a new profile?",
    "Did you change the theme before it happened?",
    "Please send what you find as an attachment.",
    "Please use the bug report template next time and fill it in.",
)
NOT_ASKING = (
    "Thanks, this was fixed in the last release.",
    "Would you like to open a pull request with a test?",
    "Please add a unit test to your PR.",
    "Good idea! I will work on it next week.",
    "Duplicate of the issue below.",
    "I can reproduce this. The reason is the cache.",
    "> Could you share a log?\n\nHere it is.",
    "```\nPlease provide a config file.\n```\nThat message comes from the parser.",
    "This is by design.",
    "Is this still a problem with version 3?",
    "Are you still seeing this?",
    "Do you want to work on it?",
    "Could you send a patch?",
    "There should be more detail in the event log.",
    "I feel like it would be odd to write the compiler's output to a file.",
    "Without that flag the code still works.",
    "I am not sure what the best output would be.",
    "This needs a summary of the use cases first.",
    "<!-- Please provide the full log. -->",
    "",
)


@pytest.mark.parametrize("text", ASKING)
def test_it_asks(text: str) -> None:
    assert asks_for_more(text)


@pytest.mark.parametrize("text", NOT_ASKING)
def test_it_does_not_ask(text: str) -> None:
    assert not asks_for_more(text)


@cases
def test_what_a_label_says(label: str, waiting: bool) -> None:
    assert says_waiting(label) is waiting
