"""Something is away for an hour while people go on: in the end each subject has the verdict of its newest state, once.

All of it with `make chaos`.
"""

from collections.abc import Callable

import pytest

from bot.judges.protocol import NoJudgement
from bot.workflows.durable.step import PATIENCE
from bot.workflows.jobs import Why, clock_job
from tests.support.lengths import EVERY_DEATH
from tests.support.runs import count_delayed, count_unfinished
from tests.support.waiting import eventually
from tests.workflows.hours import let_pass, no_waiting
from tests.workflows.house import CLEAR, CLEAR_TITLE, VAGUE, VAGUE_TITLE, House, Told
from tests.workflows.test_faults import LIMIT
from tests.workflows.test_gate import AGENT, CODE, ENFORCE, check, told

__all__ = ["told"]

pytestmark = pytest.mark.crash

ALWAYS = 10**6
AWAY: dict[str, Callable[[House], None]] = {
    "401": lambda house: house.github.fail(401, ALWAYS),
    "403 with Retry-After": lambda house: house.github.fail(403, ALWAYS, message=LIMIT, headers={"retry-after": "60"}),
    "403 without": lambda house: house.github.fail(403, ALWAYS, message=LIMIT),
    "403 for no rate limit": lambda house: house.github.fail(
        403, ALWAYS, message="Resource not accessible by integration"
    ),
    "404 for the installation": lambda house: house.github.fail(404, ALWAYS, route="/access_tokens"),
    "422": lambda house: house.github.fail(422, ALWAYS),
    "500": lambda house: house.github.fail(500, ALWAYS),
    "503 after the work": lambda house: house.github.fail(503, ALWAYS, after_effect=True),
    "half an answer": lambda house: house.github.halve("cut", ALWAYS),
    "dropped": lambda house: house.github.drop(ALWAYS),
}

BRIEF = ("403 for no rate limit", "half an answer")


@pytest.mark.parametrize("what", AWAY if EVERY_DEATH else BRIEF)
def test_an_hour_without_github(house: House, what: str) -> None:
    no_waiting(house)
    repo = house.repository(ENFORCE)
    held, pull = house.open(repo), house.github.open_pull(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    house.settle()
    house.github.expire_tokens()
    AWAY[what](house)
    new = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    other = house.propose(repo, "Add third()", {"third.py": CODE}, by=AGENT)
    for minutes in (10, 25):
        let_pass(house, minutes=minutes)
        house.github.edit_issue(repo, held, title=CLEAR_TITLE, body=CLEAR)
        house.github.push_to_pull(repo, pull, {"half.py": f"{CODE}# {minutes}\n"})
        house.settle()
    let_pass(house, minutes=25)
    house.github.traffic.clear()
    for wait in PATIENCE:
        let_pass(house, seconds=wait + 1)
    assert not house.held(repo, held) and "- [ ]" not in house.spoken(repo, held)
    assert house.held(repo, new) and "- [ ]" in house.spoken(repo, new)
    for number in (pull, other):
        assert check(house, repo, number)[0] == "success"
    assert house.issue(repo, new).history.count("labeled") == 1
    assert not [run for run in house.github.checks(repo) if run.status != "completed"]
    assert count_unfinished() == 0


def test_an_hour_without_a_model(house: House, told: Told) -> None:
    """Checks say so meanwhile, and change nothing; issues wait in silence."""
    no_waiting(house)
    house.judge.away = house.patch_reviewer.away = NoJudgement("model", "The model does not answer.", retry=True)
    repo = house.repository(ENFORCE)
    issue = house.open(repo)
    pull = house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    (run,) = house.github.checks(repo)
    assert "- No judge read this change: The model does not answer." in run.summary
    let_pass(house, minutes=30)
    house.github.edit_issue(repo, issue, body=f"{VAGUE} Please!")
    house.github.push_to_pull(repo, pull, {"half.py": f"{CODE}# again\n"})
    house.settle()
    assert house.spoken(repo, issue) == ""
    let_pass(house, minutes=30)
    house.judge.away = house.patch_reviewer.away = None
    for hours in (1, 2, 4, 8):
        let_pass(house, hours=hours)
    assert house.held(repo, issue)
    assert check(house, repo, pull)[0] == "success"


def test_a_clock_that_goes_back_a_day_stops_nothing(house: House) -> None:
    """What is done every so often is done, and what was to wait a minute does not wait a day."""
    no_waiting(house)
    repo = house.repository()
    before = house.remembered(repo, house.open(repo))
    assert before is not None
    job = clock_job(before, Why.RETRY, before.retry_at)
    house.services.submit("issue", job.run_id, job.subject, job.pack(), 86_400)  # by the clock that was a day ahead
    house.worker.housekeep()
    house.clock.advance(days=-1)
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.wait_for_webhooks()
    house.lose()
    let_pass(house, minutes=10)
    house.settle()
    assert house.held(repo, number)
    eventually(lambda: count_delayed() == 0)  # the engine looks for what is due once a second
    house.clock.advance(days=1)


def test_a_clock_that_is_a_week_ahead_for_a_while_has_nothing_said_twice(house: House) -> None:
    """What it forgot is asked for again once the clock is right, and done again without a trace."""
    no_waiting(house)
    repo = house.repository(ENFORCE)
    held, pull = house.open(repo), house.github.open_pull(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    house.say(repo, held, "/bouncer help")
    house.say(repo, pull, "/bouncer override It is meant.", by="maintainer")
    of_repo = [item for item in house.github.deliveries if item.payload.get("repository", {}).get("full_name") == repo]
    known = house.services.inbox.claims_among(item.guid for item in of_repo)  # others may be older than GitHub's log
    assert len(known) >= 4
    before = [(run.conclusion, run.title) for run in house.github.checks(repo)]
    let_pass(house, days=8)
    assert not house.services.inbox.claims_among(known), "they are older than what is kept"
    house.clock.advance(days=-8)
    for _ in range(6):  # so many looks at GitHub's log at most: each asks for some
        let_pass(house, minutes=10)
        if known == house.services.inbox.claims_among(known):
            break
    assert known == house.services.inbox.claims_among(known), "they were asked for again"
    assert house.held(repo, held) and house.spoken(repo, held)
    assert len(house.answers(repo, held)) == 1
    assert [(run.conclusion, run.title) for run in house.github.checks(repo)] == before
