"""Every call of a gate fails once, in each way GitHub knows: in the end there is one check, and it is right."""

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from threading import Event

import pytest

from bot.github.errors import Forbidden, NotFound, NoToken, Rejected
from bot.github.values import Repository
from bot.policy import Policy
from bot.policy_choices import Door, Mode
from bot.policy_file import PATH, PolicySource
from bot.storage.gates import GateState
from bot.workflows.durable.step import PATIENCE, Stopped, trouble_of
from bot.workflows.jobs import RunJob, Why
from bot.workflows.policies import policy_status
from bot.workflows.pull.base import GateContext
from bot.workflows.workflow import WorkflowRun
from fake_github.traffic import Exchange, Fault
from tests.support.lengths import EVERY_TRICK
from tests.support.runs import count_delayed, count_unfinished
from tests.support.waiting import eventually
from tests.workflows.hours import finish, let_pass, no_waiting
from tests.workflows.house import House, Told
from tests.workflows.test_faults import FAULTS
from tests.workflows.test_gate import AGENT, BREAKS, CODE, ENFORCE, check, told
from tests.workflows.test_gate_hostile import conclusions_of

__all__ = ["told"]

REFUSED = "Could not be judged: GitHub did not give the data that this needs"
CALLS = (
    ("GET", "/contents/{path}"),
    ("GET", "/commits/{ref}/check-runs"),
    ("POST", "/check-runs"),
    ("GET", "/pulls/{pull_number}"),
    ("POST", "/graphql"),
    ("GET", "/compare/{basehead}"),
    ("PATCH", "/check-runs/{check_run_id}"),
    ("POST", "/issues/{issue_number}/labels"),
)


# What is dropped fails as what is down does; tests/workflows/test_faults.py has all of them.
@pytest.mark.parametrize("fault", ["down", "dropped after", "limited", "revoked"])
def test_whatever_fails_there_is_one_check(house: House, told: Told, fault: str) -> None:
    no_waiting(house)
    told.stood = BREAKS
    repo = house.repository(ENFORCE)
    for method, route in CALLS:
        FAULTS[fault](house, method, route)
    number = house.github.open_pull(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    finish(house)
    assert conclusions_of(house, repo) == ["failure"]
    assert house.issue(repo, number).history.count("labeled") == 1


LEAVES: dict[str, tuple[Callable[[House, str], object], list[str]]] = {
    "closed": (lambda house, repo: house.github.close_issue(repo, 1), ["cancelled"]),
    "pushed to": (
        lambda house, repo: house.github.push_to_pull(repo, 1, {"half.py": CODE * 2}),
        ["cancelled", "success"],
    ),
}


@pytest.mark.parametrize("what", LEAVES)
def test_a_commit_that_is_left_while_github_is_away_has_no_check_open(house: House, told: Told, what: str) -> None:
    """The verdict that comes meanwhile must not hide, when leaving is done once more, that there is a check to end."""
    no_waiting(house)
    leave, conclusions = LEAVES[what]
    repo = house.repository(ENFORCE)

    def close() -> None:
        house.github.fail(502, 9, method="PATCH", route="/check-runs/{check_run_id}")
        told.meanwhile = lambda: None
        leave(house, repo)

    told.meanwhile = lambda: house.meanwhile(close)
    house.github.open_pull(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    finish(house)
    assert conclusions_of(house, repo) == conclusions


@pytest.mark.parametrize("status", [403, *([404, 422] if EVERY_TRICK else [])])
def test_what_will_not_pass_is_said_at_once(house: House, status: int) -> None:
    """And nothing waits for the deadline."""
    repo = house.repository(ENFORCE)
    house.github.fail(status, method="POST", route="/graphql")
    house.github.fail(404, method="GET", route="/pulls/{pull_number}/commits")
    house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    assert check(house, repo) == ("action_required", REFUSED)
    assert house.services.gates.overdue(house.clock() + timedelta(days=1)) == ()
    house.github.rerun(repo, next(run.id for run in house.github.checks(repo)))
    house.settle()
    assert check(house, repo)[0] == "success"


@pytest.mark.parametrize(("method", "times"), [("POST", 1), ("PATCH", 1), ("PATCH", 2)])
def test_a_check_that_github_does_not_take_is_not_left_open(
    house: House, told: Told, method: str, times: int, caplog: pytest.LogCaptureFixture
) -> None:
    """What was decided is shown once more; where that is not taken, or nothing was decided, the check says so."""
    told.stood = BREAKS
    repo = house.repository(ENFORCE)
    route = "/check-runs" if method == "POST" else "/check-runs/{check_run_id}"
    house.github.fail(422, times, method=method, route=route)
    house.github.open_pull(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    with caplog.at_level(logging.ERROR):
        house.settle()
    conclusion, title = check(house, repo)
    (number,) = re.findall(r"error ([0-9a-f]{8}), later: ", caplog.text)
    assert "given up" not in caplog.text
    if (method, times) == ("PATCH", 1):
        assert conclusion == "failure"
    else:
        assert (conclusion, title) == ("action_required", REFUSED)
        assert f"number {number}." in house.github.checks(repo)[0].summary


def test_a_push_that_could_not_be_read_gets_a_check_of_its_own(house: House, told: Told) -> None:
    """And not once more that of the commit before it."""
    repo = house.repository(ENFORCE)
    number = house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    assert check(house, repo)[0] == "success"
    house.github.fail(403, method="GET", route="/pulls/{pull_number}")
    house.github.push_to_pull(repo, number, {"half.py": f"{CODE}\n"})
    house.settle()
    assert check(house, repo, number) == ("action_required", REFUSED)


def test_a_push_that_could_not_be_read_leaves_no_check_open(house: House, told: Told) -> None:
    """The commit before it was still judged."""
    repo = house.repository(ENFORCE)

    def push() -> None:
        told.meanwhile = lambda: None
        house.github.fail(403, method="GET", route="/pulls/{pull_number}")
        house.github.push_to_pull(repo, 1, {"half.py": CODE * 2})

    told.meanwhile = lambda: house.meanwhile(push)
    house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    assert conclusions_of(house, repo) == ["cancelled", "action_required"]


def test_a_draft_stays_one_where_a_word_is_not_heard(house: House) -> None:
    repo = house.repository(ENFORCE)
    number = house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT, draft=True)
    before = check(house, repo)
    house.github.fail(403, method="GET", route="/collaborators/{username}/permission")
    house.say(repo, number, "/bouncer override It is fine.", by="maintainer")
    assert check(house, repo) == before


def test_a_label_that_github_does_not_take_hides_no_verdict(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo = house.repository(ENFORCE)
    house.github.fail(422, method="POST", route="/issues/{issue_number}/labels")
    house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    assert check(house, repo)[0] == "failure"


def test_what_cannot_be_fetched_is_judged_without_executing_it(house: House, told: Told) -> None:
    no_waiting(house)

    def too_large() -> None:
        raise Rejected("the repository is larger than it may be here")

    told.meanwhile = too_large
    repo = house.repository(ENFORCE)
    house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    conclusion, title = check(house, repo)
    assert conclusion == "neutral"
    assert title.startswith("Could not be judged: It could not be fetched to be executed: ")
    let_pass(house, minutes=5)
    assert len(told.checked) == 1, "it would be as large the next time"


@pytest.mark.parametrize("looks", [False, True])
def test_a_fetch_that_git_is_refused_is_said_at_once_and_tried_again(
    house: House, told: Told, monkeypatch: pytest.MonkeyPatch, looks: bool
) -> None:
    """As a refusal of GitHub's API is. A reviewer that looks at the code is not asked while there is none."""
    no_waiting(house)
    refused = iter([True])

    def fetch(*_: object) -> None:
        if next(refused, False):
            raise Forbidden("git fetch: the App may not read the repository's contents")
        if looks:
            raise NotFound("there is no mirror here")

    monkeypatch.setattr(house.patch_reviewer, "looks", looks)
    if looks:
        monkeypatch.setattr(told, "code", fetch)
    else:
        told.meanwhile = fetch
    repo, asked = house.repository(ENFORCE), len(house.patch_reviewer.asked)
    house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    assert check(house, repo) == ("action_required", REFUSED)
    assert len(house.patch_reviewer.asked) == asked + (not looks)
    let_pass(house, seconds=31)
    assert check(house, repo)[0] == "success"
    assert conclusions_of(house, repo) == ["success"]


# Bouncer may see it no more, for good, in the middle of judging.
GONE: dict[str, Callable[[House, str], None]] = {
    "uninstalled": lambda house, repo: house.github.uninstall(_installation(house, repo)),
    "suspended": lambda house, repo: house.github.suspend(_installation(house, repo)),
    "taken out of the installation": lambda house, repo: house.github.remove_repositories(
        _installation(house, repo), [repo]
    ),
    "made private": lambda house, repo: setattr(house.github.repo(repo), "private", True),
    "renamed": lambda house, repo: house.github.rename_repository(repo, "other"),
}


def _installation(house: House, repo: str) -> int:
    found = house.github.installation_of(house.github.repo(repo))
    assert found is not None
    return found.id


@pytest.mark.parametrize("what", GONE)
def test_a_repository_that_goes_away_passes_nothing(house: House, told: Told, what: str) -> None:
    """And nothing waits except for GitHub to allow it once more."""
    told.stood = BREAKS
    repo = house.repository(ENFORCE)
    told.meanwhile = lambda: GONE[what](house, repo)
    house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    eventually(lambda: count_unfinished() == count_delayed())
    where = repo.partition("/")[0] + "/other" if what == "renamed" else repo
    assert conclusions_of(house, where) in (["None"], ["failure"])
    if what in ("made private", "renamed"):
        assert check(house, where)[0] == "failure"


def test_a_clock_that_goes_back_keeps_no_policy_for_hours(house: House) -> None:
    name = house.repository("mode: advise\n")
    repo = house.github.repo(name)
    installation, repository = _installation(house, name), Repository(repo.id, name)
    house.clock.advance(hours=5)
    assert policy_status(house.services, installation, repository, Door.PULLS).policy.mode is Mode.ADVISE
    house.clock.advance(hours=-5)
    house.github.push(name, {PATH: ENFORCE})
    assert policy_status(house.services, installation, repository, Door.PULLS).policy.mode is Mode.ENFORCE


def test_the_file_that_is_in_force_is_known(house: House) -> None:
    """A signed statement tells of it: the last valid one while a mistake is in the file, the owner's, or none."""
    name = house.repository("mode: advise\n")
    owner = name.partition("/")[0]

    def source() -> PolicySource:
        house.clock.advance(minutes=2)
        repository = Repository(house.github.repo(name).id, name)
        return policy_status(house.services, _installation(house, name), repository, Door.PULLS).source

    assert source() == PolicySource.of("mode: advise\n")
    house.github.push(name, {PATH: "mode: loud\n"})
    assert source() == PolicySource.of("mode: advise\n")
    house.github.push(name, {PATH: None})
    assert source() == PolicySource()
    defaults = house.repository(ENFORCE, owner=owner, name=".github")
    house.github.install(owner, [defaults, name])
    assert source() == PolicySource.of(ENFORCE, f"{owner}/.github/{PATH}")


def begin(house: House, told: Told, repo: str, meanwhile: Callable[[], None], *, of_group: bool) -> str:
    """Propose something, and where it is about a merge group let it wait there. meanwhile: happens while that is
    executed. The group's head, or nothing."""
    told.meanwhile = (lambda: None) if of_group else meanwhile
    number = house.github.open_pull(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    if not of_group:
        return ""
    house.settle()
    told.meanwhile = meanwhile
    return house.github.queue(repo, number)


@pytest.mark.parametrize("of_group", [False, True])
@pytest.mark.parametrize("why", [Why.OVERDUE, Why.REFUSED])
def test_a_verdict_that_comes_while_its_check_is_given_up_is_shown(
    house: House, told: Told, monkeypatch: pytest.MonkeyPatch, why: Why, of_group: bool
) -> None:
    """It is stored in the moment between the look whether it is there and the note that nobody waits for it."""
    repo = house.repository(ENFORCE)
    repo_id = house.github.repo(repo).id
    executing, go_on = Event(), Event()

    def execute() -> None:
        executing.set()
        go_on.wait(60)

    head = begin(house, told, repo, execute, of_group=of_group)
    house.deliver()
    house.worker.turn()
    assert executing.wait(300)

    def is_stored() -> bool:
        gate, group = house.services.gates.get(repo_id, 1), house.services.merge_groups.get(repo_id, head)
        return bool(group and group.stood) if of_group else bool(gate and gate.state is GateState.DONE)

    read = GateContext.policy

    def policy(context: GateContext) -> Policy | None:
        if context.job.why is why:
            go_on.set()
            eventually(is_stored)
        return read(context)

    monkeypatch.setattr(GateContext, "policy", policy)
    installation = house.github.installation_of(house.github.repo(repo))
    assert installation is not None
    late = RunJob("pull", f"pull:{repo}:late", 0, installation.id, Repository(repo_id, repo), 1, head, why)
    house.services.start(late)
    house.settle()
    assert conclusions_of(house, repo) == ["success"] * (2 if of_group else 1)


def test_what_was_judged_while_its_delivery_waited_is_judged_again_and_not_left_open(house: House, told: Told) -> None:
    """That it was refused makes for a look of its own, which finds a pull request to judge; then it comes back."""
    no_waiting(house)
    repo = house.repository(ENFORCE)
    number = house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT, draft=True)
    house.github.fail(403, method="GET", route="/pulls/{pull_number}")
    house.github.ready_for_review(repo, number)
    house.settle()
    assert conclusions_of(house, repo) == ["success"]
    let_pass(house, seconds=31)
    assert conclusions_of(house, repo) == ["success"]


@pytest.mark.parametrize(("status", "times"), [(403, 2), (422, 1), (422, 2)])
def test_what_a_refusal_has_judged_comes_back_though_its_check_was_not_taken(
    house: House, told: Told, status: int, times: int
) -> None:
    """Nobody else does: what brought it about found nothing any more. It is said at once, where that is taken."""
    no_waiting(house)
    repo = house.repository(ENFORCE)
    number = house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT, draft=True)
    draft = check(house, repo)
    house.github.fail(404, method="GET", route="/pulls/{pull_number}")
    house.github.fail(status, times, method="PATCH", route="/check-runs/{check_run_id}")
    house.github.ready_for_review(repo, number)
    house.settle()
    assert check(house, repo) == (draft if times == 2 else ("action_required", REFUSED))
    let_pass(house, seconds=31)
    assert conclusions_of(house, repo) == ["success"]
    assert len(told.checked) == 1


@pytest.mark.parametrize(("attempt", "ends"), [(0, "later"), (1, "later"), (len(PATIENCE), "ended")])
def test_the_log_says_given_up_where_a_job_does_not_come_back(
    house: House, caplog: pytest.LogCaptureFixture, attempt: int, ends: str
) -> None:
    job = RunJob("judging", "judging:1:1:0:x", 0, 1, Repository(1, "acme/widgets"), 1, "x", attempt=attempt)
    submitted: list[str] = []
    services = replace(house.services, submit=lambda name, run_id, *_: submitted.append(run_id))
    said: list[str] = []

    class Refused(WorkflowRun):
        name = "judging"

        def perform(self) -> str:
            raise Stopped(trouble_of(Forbidden("no", 403)))

        def on_end_short(self, outcome: str, error: str) -> None:
            said.append(outcome)

    assert Refused(services, job).carry_through() == f"{ends}: no"
    assert said == ([] if attempt == 1 else [f"{ends}: no"]), "at the first refusal, and at the end"
    assert ("given up: no" in caplog.text) is (ends == "ended")
    assert bool(submitted) is (ends == "later")


@pytest.mark.parametrize("status", [422, 502])
def test_what_a_mended_policy_lets_be_judged_is_judged_though_its_check_was_not_taken(
    house: House, told: Told, status: int
) -> None:
    no_waiting(house)
    repo = house.repository("mode: loud\n")
    house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    assert conclusions_of(house, repo) == ["action_required"]
    house.github.fail(status, 1 if status == 422 else 4, method="PATCH", route="/check-runs/{check_run_id}")
    house.github.push(repo, {PATH: ENFORCE})
    house.settle()
    let_pass(house, seconds=31)
    assert conclusions_of(house, repo) == ["success"]


@pytest.mark.parametrize("of_group", [False, True])
def test_what_is_shown_is_not_hidden_by_who_says_late_that_it_was_refused(
    house: House, told: Told, of_group: bool
) -> None:
    """At first nothing reaches GitHub; then the check is taken, and in the next moment it is not."""
    no_waiting(house)
    repo = house.repository(ENFORCE)
    patch = "PATCH", "/check-runs/{check_run_id}"

    def refuse_the_next(exchange: Exchange) -> None:
        if (exchange.method, exchange.took_effect) == ("PATCH", True):
            house.github.traffic.observers.remove(refuse_the_next)
            house.github.traffic.add(Fault(1, *patch, status=422))

    def fail() -> None:
        house.github.traffic.add(Fault(1, *patch, status=422))
        house.github.traffic.add(Fault(4, *patch, status=502))
        house.github.traffic.observers.append(refuse_the_next)

    begin(house, told, repo, fail, of_group=of_group)
    house.settle()
    for seconds in (31, 121):
        let_pass(house, seconds=seconds)
    assert set(conclusions_of(house, repo)) == {"success"}


def test_a_token_that_is_refused_says_nothing_about_the_change(house: House, told: Told) -> None:
    """Neither that it cannot be read, nor that it cannot be executed: both is tried again."""
    no_waiting(house)
    repo = house.repository(ENFORCE)

    def refuse(exchange: Exchange) -> None:
        if exchange.route.endswith("/compare/{basehead}"):
            house.github.traffic.observers.remove(refuse)
            house.clock.advance(hours=1)  # the token's life
            house.github.fail(422, 2, route="/access_tokens")

    def away() -> None:
        told.meanwhile = lambda: None
        raise NoToken("the App is not installed there any more", 404)

    house.github.traffic.observers.append(refuse)
    told.meanwhile = away
    house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    assert conclusions_of(house, repo) == ["action_required"]
    for seconds in (31, 121):
        let_pass(house, seconds=seconds)
    assert conclusions_of(house, repo) == ["success"]
    assert check(house, repo)[1].startswith("Plausible")
