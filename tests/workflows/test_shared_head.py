"""A success is about one commit on its way into one branch, though GitHub shows it on the commit alone."""

from dataclasses import replace

import pytest

from bot.github.deliveries import Delivery
from bot.github.events import read
from bot.github.values import Repository
from bot.policy_file import load
from bot.rendering.gate import NAME
from bot.storage.gates import GateState
from bot.workflows.pull.check_run import publish
from fake_github.traffic import Exchange
from tests.workflows.house import PLAUSIBLE, House, Told
from tests.workflows.test_gate import AGENT, BREAKS, ENFORCE, check, propose, told
from tests.workflows.test_pull_workflow import trail

__all__ = ["told"]


def second(house: House, repo: str, first: int, *, base: str = "", by: str = AGENT, draft: bool = False) -> int:
    return house.github.open_pull(repo, "The same", {}, branch=f"change-{first}", base=base, by=by, draft=draft)


def accepted(house: House) -> tuple[str, int]:
    repo, number = propose(house)
    house.github.push(repo, {"base.txt": "x"}, branch="stable")
    house.settle()
    assert check(house, repo)[0] == "success"
    return repo, number


def statuses(house: House, told: Told, repo: str) -> list[str | None]:
    """From now on: the check's conclusion while a change is executed."""
    seen: list[str | None] = []

    def look() -> None:
        seen.extend(run.conclusion for run in house.github.checks(repo) if run.name == NAME)

    told.meanwhile = look
    return seen


@pytest.mark.parametrize("what", ["a second one", "another branch", "reopened"])
def test_the_check_is_in_progress_until_all_are_judged_and_shows_the_worst(house: House, told: Told, what: str) -> None:
    repo, number = accepted(house)
    if what == "reopened":
        other = second(house, repo, number, base="stable")
        house.settle()
        house.github.close_issue(repo, other)
        house.settle()
    seen = statuses(house, told, repo)
    told.stood = BREAKS
    if what == "a second one":
        second(house, repo, number, base="stable")
    elif what == "another branch":
        house.github.change_base(repo, number, "stable")
    else:
        house.github.reopen_issue(repo, other)
    house.settle()
    assert seen == [None]
    assert check(house, repo)[0] == "failure"


def test_a_draft_with_the_commit_passes_for_nobody(house: House) -> None:
    repo, number = accepted(house)
    draft = second(house, repo, number, draft=True)
    house.settle()
    assert check(house, repo)[0] == "action_required"
    house.github.close_issue(repo, draft)
    house.settle()
    assert check(house, repo)[0] == "success"


def test_what_hangs_hides_nothing_worse_and_waits_for_nobody(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    other = second(house, repo, number)
    house.settle()
    record = house.services.gates.get(house.github.repo(repo).id, other)
    assert record is not None
    house.services.gates.save(replace(record, state=type(record.state).JUDGING, due_at=house.clock()))
    house.tick(minutes=2)
    assert check(house, repo)[0] == "failure"
    told.stood = PLAUSIBLE
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert check(house, repo)[1] == "Could not be judged: it took too long"


def test_an_override_is_for_one_branch(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    house.github.push(repo, {"base.txt": "x"}, branch="stable")
    house.say(repo, number, "/bouncer override Fine there.", by="maintainer")
    assert check(house, repo)[0] == "success"
    house.github.change_base(repo, number, "stable")
    house.settle()
    assert check(house, repo)[0] == "failure"
    assert (trail(house, repo, number)[0].ended_by, trail(house, repo, number)[0].base_branch) == (
        "another base",
        "main",
    )


def test_a_retargeting_that_nobody_told_is_noticed(house: House, told: Told) -> None:
    """Its delivery is lost, and the merge queue asks, or the next delivery comes."""
    told.stood = BREAKS
    repo, number = propose(house)
    house.github.push(repo, {"base.txt": "x"}, branch="stable")
    house.say(repo, number, "/bouncer override Fine there.", by="maintainer")
    house.github.change_base(repo, number, "stable")
    house.lose()
    house.github.queue(repo, number)
    house.settle()
    group = [run for run in house.github.checks(repo) if run.head_sha != pull_head(house, repo, number)]
    assert [(run.conclusion, run.title) for run in group] == [
        ("action_required", "Not judged yet: queue it again when it is judged")
    ]
    house.edit(repo, number, title="Halve", by="contributor")
    assert check(house, repo)[0] == "failure"


def pull_head(house: House, repo: str, number: int) -> str:
    pull = house.github.repo(repo).issues[number].pull
    assert pull is not None
    return pull.head


@pytest.mark.parametrize("first", ["the agent's", "the person's"])
def test_a_persons_from_the_agents_commit_is_the_agents_in_whatever_order_they_come(
    house: House, told: Told, first: str
) -> None:
    told.stood = BREAKS
    repo = house.repository("mode: enforce\n")
    house.github.push(repo, {"half.py": "x = 1\n"}, branch="change-1")
    house.lose()
    agents = second(house, repo, 1)
    persons = second(house, repo, 1, by="contributor")
    arrived = house.github.deliveries[house._fed :]
    for item in arrived if first == "the agent's" else arrived[::-1]:
        delivery = read(item.event, item.payload)
        assert isinstance(delivery, Delivery)
        house.services.inbox.claim(item.guid, delivery, now=house.clock())
    house.lose()
    house.settle()
    house.github.close_issue(repo, agents)
    house.settle()
    assert check(house, repo, persons)[0] == "failure"


def test_a_label_that_is_put_on_for_another_undoes_no_judging_that_begins(house: House, told: Told) -> None:
    """Who leaves a commit shows what is known of the others on it, each of which has a workflow of its own."""
    told.stood = BREAKS
    repo, number = propose(house)
    gates = house.services.gates
    record = gates.get(house.github.repo(repo).id, number)
    assert record is not None
    client = house.services.repository(record.installation_id, Repository(record.repo_id, repo))

    def begin(exchange: Exchange) -> None:
        house.github.traffic.observers.remove(begin)
        gates.save(replace(record, state=GateState.JUDGING, run_id="newer"))

    house.github.traffic.observers.append(begin)
    publish(house.services, client, replace(record, labelled=False), load(ENFORCE))
    assert gates.get(record.repo_id, number) == replace(record, state=GateState.JUDGING, run_id="newer")
