"""Each act, by whom, and what it says."""

from pathlib import Path
from typing import Any

import pytest

from bot.backtest.endings import IssueEnding, Signal, outcome
from bot.backtest.export import read_export
from tests.backtest.exports import ASKED, CLEAR, DAY, DONE, FIXED, Exported, comment, event, write_export

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
        pytest.param((DONE,), "closed", IssueEnding.DONE, Signal.CLEAR, id="closed as done"),
        pytest.param((ASKED, DONE), "closed", IssueEnding.DONE, Signal.UNCLEAR, id="asked, then done"),
        pytest.param((ASKED,), "open", IssueEnding.OPEN, Signal.UNCLEAR, id="asked, and open"),
        pytest.param(
            (event("labeled", "maintainer", 2, label={"name": "needs-info"}), DONE),
            "closed", IssueEnding.DONE, Signal.UNCLEAR, id="a label that asks",
        ),
        pytest.param(
            (event("labeled", "triage[bot]", 2, label={"name": "needs-info"}), DONE),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="a bot's label says nothing",
        ),
        pytest.param(
            (comment("stranger", ASKED["body"], association="NONE"), DONE),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="a stranger asks",
        ),
        pytest.param(
            (comment("reporter", ASKED["body"], association="OWNER"), DONE),
            "closed", IssueEnding.DONE, Signal.CLEAR, id="the reporter asks",
        ),
        pytest.param(
            (comment("helper[bot]", ASKED["body"]), DONE), "closed", IssueEnding.DONE, Signal.CLEAR, id="a bot asks",
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
            (comment("cursoragent", ASKED["body"]), DONE), "closed", IssueEnding.DONE, Signal.CLEAR, id="an agent asks",
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
            (event("closed", "reporter", 3), event("reopened", "maintainer", 4), event("closed", "maintainer", 5)),
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
