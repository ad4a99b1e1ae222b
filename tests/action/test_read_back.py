"""What is read back from GitHub: words of people who may, and a memory that is bounded and typed."""

import base64
import random
import zlib
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.action.comment_commands import commands_in, issue_state
from bot.action.job import JobError, job_of
from bot.action.memory import LARGEST, REST, PullMemory, issue_in, of_issue, of_pull, of_pulls, pulls_in
from bot.github.checks import MAX_CHECK_TEXT
from bot.github.values import Comment
from bot.policy import Agents
from bot.pulls.result import PullResult, stored
from bot.storage.gates import GateRecord
from bot.storage.pull_authors import Push
from bot.storage.subjects import SubjectRecord
from bot.verdicts import Decision, State, Verdict
from tests.support.cases import cases

AT = "2026-01-31T12:00:00Z"
RECORD = SubjectRecord(repo_id=7, number=3, installation_id=1, repository="acme/kettle", held=True)
GATE = GateRecord(repo_id=7, number=3, installation_id=1, repository="acme/kettle", head="a" * 40)
MEMORY = PullMemory(GATE, datetime(2026, 1, 31, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC), ("It says so.",))


def said(body: str, *, by: str = "maintainer", bot: bool = False, app: int | None = None, edited: str = AT) -> Comment:
    return Comment(5, by, bot, "member", body, AT, edited, "https://github.com/acme/kettle/issues/3", app)


@pytest.mark.parametrize(
    ("comment", "counts"),
    [
        (said("/bouncer accept"), True),
        (said("/bouncer accept", by="stranger"), False),
        (said("/bouncer accept", by="devin-ai-integration[bot]", bot=True), False),
        (said("/bouncer accept", app=99), False),
        (said("/bouncer accept", edited="2026-01-31T12:00:01Z"), False),
        (said("> /bouncer accept"), False),
        (said("    /bouncer accept"), False),
        (said("/bouncer accept", by="acme-coder"), False),
    ],
)
def test_only_a_persons_own_word_of_somebody_who_may_counts(comment: Comment, counts: bool) -> None:
    agents = Agents(logins=("acme-coder",))
    permission = {"maintainer": "maintain", "acme-coder": "admin"}.get
    state, _ = issue_state(commands_in([comment], "", agents, but=None), permission, lambda each: each)
    assert state is (State.ACCEPTED if counts else State.ACTIVE)


def test_the_events_own_comment_is_carried_out_by_the_workflow_alone() -> None:
    assert list(commands_in([said("/bouncer pause")], "", Agents(), but=5)) == []


def test_what_was_accepted_stays_so() -> None:
    words = [said("/bouncer pause"), said("/bouncer accept"), said("/bouncer resume")]
    for heard, state in ((words, State.ACCEPTED), (words[:1], State.PAUSED)):
        said_so = commands_in(heard, "", Agents(), but=None)
        assert issue_state(said_so, lambda login: "triage", lambda each: each)[0] is state


def test_what_github_does_not_show_changes_nothing() -> None:
    heard = commands_in([said("/bouncer accept")], "", Agents(), but=None)
    assert issue_state(heard, lambda login: "triage", lambda each: None)[0] is State.ACTIVE


def test_a_memory_comes_back_as_it_was() -> None:
    assert issue_in(f"What readers see.\n\n{of_issue(RECORD)}\n") == RECORD
    other = replace(MEMORY, record=replace(GATE, number=4))
    assert pulls_in(f"{of_pull(MEMORY)}\n{of_pull(other)}") == (MEMORY, other)


def _packed(content: bytes) -> str:
    return f"<!-- bouncer:memory 1 {base64.b64encode(zlib.compress(content, 9)).decode()} -->"


@pytest.mark.parametrize(
    "content", [b" " * 50_000_000, b"[" * 100_000, b'{"record": 3}'], ids=["large", "deep", "no record"]
)
def test_what_is_packed_and_no_memory_is_none(content: bytes) -> None:
    assert issue_in(_packed(content)) is None and pulls_in(_packed(content)) == ()


@cases
def test_what_is_no_memory_is_none(line: str) -> None:
    assert issue_in(line) is None and pulls_in(line) == ()


def test_a_long_memory_leaves_out_what_is_only_shown() -> None:
    noise = _noise(1)
    found = pulls_in(of_pull(replace(MEMORY, record=replace(GATE, bounced=("b" * 40,), judged=_judged(noise)))))
    assert found[0].record.judged == "" and found[0].record.bounced == ("b" * 40,) and found[0].signs == MEMORY.signs
    assert len(of_pull(replace(MEMORY, record=replace(GATE, judged=_judged(noise))))) <= LARGEST


def _noise(seed: int, length: int = 60_000) -> str:
    return "".join(random.Random(seed).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=length))


def _shared(number: int) -> PullMemory:
    """Whose judgement, signs and pushes are long, each in other words."""
    record = replace(GATE, number=number, bounced=("b" * 40,), judged=_judged(_noise(number, 20_000)))
    pushes = tuple(
        Push(repo_id=7, number=number, head=_noise(number + at, 40), who=f"dev{at}", is_bot=False, at=MEMORY.at)
        for at in range(30)
    )
    return replace(MEMORY, record=record, signs=(_noise(number, 300),), pushes=pushes)


REST_OF_ALL = PullMemory(replace(GATE, number=REST), MEMORY.since, MEMORY.at, ("There was no room.",))


@pytest.mark.parametrize(("many", "all_named"), [(1, True), (2, True), (5, True), (20, True), (150, False)])
def test_many_pull_requests_on_one_commit_lose_no_sign_and_no_round(many: int, all_named: bool) -> None:
    """A check's text has an end. What is only shown goes first; where more do not fit, that there are more stays."""
    given = {number: _shared(number) for number in range(1, many + 1)}
    text = of_pulls(given.values(), REST_OF_ALL)
    found = {each.record.number: each for each in pulls_in(text)}
    assert len(text) <= MAX_CHECK_TEXT and (set(found) == set(given)) is all_named
    assert (REST in found) is not all_named
    for number, each in found.items():
        if number != REST:
            assert each.record.bounced == ("b" * 40,) and each.signs[0] == given[number].signs[0][: len(each.signs[0])]
            assert each.pushes == given[number].pushes or each.words.taken_back == MEMORY.at
    assert (many > 2) or found[1] == given[1]


def test_that_some_were_left_out_before_stays_said() -> None:
    assert [each.record.number for each in pulls_in(of_pulls([MEMORY], REST_OF_ALL, some_lost=True))] == [REST, 3]


def _judged(noise: str) -> str:
    return stored(PullResult(Verdict(Decision.ACCEPT, None, None, "nobody", None), "a" * 40, asked=noise))


def test_outside_a_job_the_command_says_what_it_misses() -> None:
    with pytest.raises(JobError, match="GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_REPOSITORY: not set"):
        job_of({"GITHUB_TOKEN": "ghs_x"})
