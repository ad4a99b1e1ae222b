"""What is gathered of a pull request, what it costs, and what becomes of it where GitHub shows only a part.

Nothing is delivered here: the tests ask for what is gathered.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from bot.github.client import RepositoryClient
from bot.github.errors import GitHubError, NotFound, Unavailable
from bot.github.values import Background, Repository
from bot.live.precision import Subject
from bot.policy_file import PATH
from bot.pulls.facts import RequestKind, Substance
from bot.pulls.request import LOST, MAY_NOT, NO_ISSUE
from bot.verdicts import Cause, Decision, Verdict
from bot.workflows.jobs import RunJob
from bot.workflows.pull.gather import UNRELATED, GateGathering, GateInputs
from tests.storage.records import ENTRY
from tests.support.cases import cases
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, House

AGENT = "copilot-swe-agent[bot]"
GIT = "git-upload-pack"
HALF = (
    '"""Halves."""\n\n\ndef half(n):\n    """Half of it.\n\n    Rounded down.\n    """\n'
    "    n = int(n)\n    n = abs(n)\n    n = max(n, 0)\n    return n // 2\n"
)


@pytest.fixture
def repo(house: House) -> Iterator[str]:
    repo = house.repository()
    house.github.push(repo, {"half.py": HALF})
    yield repo
    house.github.app.permissions.pop("actions", None)


def gathered(house: House, repo: str, number: int, *, private: bool = False) -> GateInputs:
    shown = house.github.repo(repo)
    pull, installation = shown.issues[number].pull, house.github.installation_of(shown)
    assert pull is not None
    assert installation is not None
    place = Repository(shown.id, shown.full_name, private=private)
    house.github.forget_calls()
    return GateGathering(
        house.services, RunJob("judging", "run", 1, installation.id, place, number, pull.head)
    ).gather()


def propose(house: House, repo: str, body: str = "", files: Mapping[str, str | bytes] | None = None) -> int:
    changed: Mapping[str, str | bytes] = files or {"half.py": HALF.replace("n // 2", "n / 2")}
    return house.github.open_pull(repo, "Add half()", changed, body=body, by=AGENT)


def policy(house: House, repo: str, text: str) -> None:
    house.github.push(repo, {PATH: text})
    house.clock.advance(minutes=2)


def checks(found: GateInputs) -> dict[str, str]:
    return {item.check: item.found for item in found.facts.evidence}


# What it costs


def test_a_pull_request_with_its_issues_costs_four_calls(house: House, repo: str) -> None:
    issues = [house.github.open_issue(repo, f"{CLEAR_TITLE} {n}", CLEAR) for n in range(2)]
    number = propose(house, repo, f"Fixes #{issues[0]}, fixes #{issues[1]}.")
    gathered(house, repo, number)
    found = gathered(house, repo, number)  # the token and the policy are known by now
    assert sum(house.github.calls().values()) == 4, house.github.calls()
    assert found.wanted.said == f"Judged against issues {issues[0]}, {issues[1]}."
    assert found.wanted.specification.count("What should happen") == 2


@pytest.mark.parametrize(("path", "substance"), [("docs/words.md", Substance.CODE), ("docs/other.md", Substance.PAPER)])
def test_prose_that_the_code_names_is_executed(house: House, repo: str, path: str, substance: Substance) -> None:
    house.github.push(repo, {"half.py": f"{HALF}\nWORDS = open('docs/words.md')\n"})
    found = gathered(house, repo, propose(house, repo, files={path: "How to halve.\n"}))
    assert found.facts.substance is substance


# What was asked


@cases
def test_who_may_allow_what_a_person_must_look_at(
    house: House, repo: str, by: str, then: list[tuple[str, dict[str, str]]], allows: bool, app: bool
) -> None:
    text = "Please run the tests on Python 3.13, and update the CI workflow."
    house.github.repo(repo).collaborators |= {"grace": "write", "junie-agent": "write", AGENT: "write"}
    place = house.repository() if any(act == "transfer_issue" for act, _ in then) else repo
    issue = house.github.open_issue(place, CLEAR_TITLE, f"{CLEAR}\n{text}", by=by, via_app=app)
    for act, given in then:
        if act == "transfer_issue":
            issue = house.github.transfer_issue(place, issue, repo, **given)
        else:
            house.github.edit_issue(repo, issue, **given)
    files = {".github/workflows/tests.yml": "on: push\njobs: {}\n"}
    found = gathered(house, repo, propose(house, repo, f"Fixes #{issue}", files)).facts
    refused = MAY_NOT.format(number=issue)
    assert (not found.risks, refused in found.remarks) == (allows, not allows)


def test_issues_that_are_none(house: House, repo: str) -> None:
    deleted, moved = (house.github.open_issue(repo, CLEAR_TITLE, CLEAR) for _ in range(2))
    house.github.delete_issue(repo, deleted)
    elsewhere = house.github.create_repository(f"{repo.partition('/')[0]}/elsewhere")
    house.github.transfer_issue(repo, moved, elsewhere.full_name)
    another = propose(house, repo)
    for number in (deleted, moved, another, 9_999):
        found = gathered(house, repo, propose(house, repo, f"Fixes #{number}"))
        assert (found.facts.asked, found.facts.remarks) == (RequestKind.DESCRIPTION, (LOST,))
    policy(house, repo, "pulls: {require_linked_issue: bounce}\n")
    assert gathered(house, repo, propose(house, repo, "Fixes #9999")).facts.asked is RequestKind.NOTHING


def test_advice_is_seen(house: House, repo: str) -> None:
    policy(house, repo, "pulls: {require_linked_issue: advise}\n")
    found = gathered(house, repo, propose(house, repo))
    assert (found.facts.asked, found.facts.remarks) == (RequestKind.DESCRIPTION, (NO_ISSUE,))
    policy(house, repo, "pulls: {require_linked_issue: description}\n")


def test_one_of_several_issues_is_unclear(house: House, repo: str) -> None:
    clear = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    unclear = house.github.open_issue(repo, "It broke", "", labels=(LABEL,))
    both = gathered(house, repo, propose(house, repo, f"Fixes #{unclear}, fixes #{clear}"))
    assert both.facts.asked is RequestKind.ISSUE
    assert f"Issue {unclear}, which it says it closes too" in both.facts.risks[0]
    alone = gathered(house, repo, propose(house, repo, f"Fixes #{unclear}"))
    assert alone.facts.asked is RequestKind.UNCLEAR


def test_a_closed_issue_says_what_was_wanted(house: House, repo: str) -> None:
    issue = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    house.github.close_issue(repo, issue)
    found = gathered(house, repo, propose(house, repo, f"Fixes #{issue}"))
    assert (found.facts.asked, found.facts.remarks) == (RequestKind.ISSUE, (f"Issue {issue} is closed already.",))


@pytest.mark.parametrize(
    ("owner", "private", "read"), [("own", False, True), ("own", True, False), ("stranger", False, False)]
)
def test_an_issue_of_another_repository(house: House, repo: str, owner: str, private: bool, read: bool) -> None:
    """Only what everybody may read, of the same owner: a verdict shows parts of it."""
    place = f"{repo.partition('/')[0] if owner == 'own' else owner}/tools-{private}"
    house.github.create_repository(place, private=private)
    if private:
        installation = house.github.installation_of(house.github.repo(repo))
        assert installation is not None
        house.github.add_repositories(installation.id, [place])
    issue = house.github.open_issue(place, CLEAR_TITLE, CLEAR)
    number = propose(house, repo)
    house.github.link_issue(repo, number, issue, repository=place)
    found = gathered(house, repo, number)
    assert found.facts.asked is (RequestKind.ISSUE if read else RequestKind.DESCRIPTION)
    assert ("What should happen" in found.wanted.specification) is read
    assert found.wanted.said.startswith(f"Judged against issue {place}#{issue}." if read else "Its issue is elsewhere")


def test_an_address_of_this_github_names_an_issue(house: House, repo: str) -> None:
    """As on GitHub Enterprise Server, whose pages lie elsewhere than github.com's."""
    issue = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    named = gathered(house, repo, propose(house, repo, f"Fixes {house.github.web_url}/{repo}/issues/{issue}"))
    assert named.facts.asked is RequestKind.ISSUE
    other = gathered(house, repo, propose(house, repo, f"Fixes https://github.com/{repo}/issues/{issue}"))
    assert other.facts.asked is RequestKind.DESCRIPTION


def test_a_branch_is_a_guess_that_only_the_judge_reads(house: House, repo: str) -> None:
    issue = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    number = house.github.open_pull(repo, "Load", {"a.py": "x = 1\n"}, branch=f"copilot/fix-{issue}", by=AGENT)
    found = gathered(house, repo, number)
    assert (found.facts.asked, found.wanted.specification) == (RequestKind.DESCRIPTION, "")
    assert "What should happen" in found.wanted.description


# What changes


@cases
def test_a_change_of_comments(
    house: House, repo: str, old: str, new: str, unasked: Substance, asked: Substance
) -> None:
    issue = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    for body, substance in (("", unasked), (f"Fixes #{issue}", asked)):
        number = propose(house, repo, body, {"half.py": HALF.replace(old, new)})
        assert gathered(house, repo, number).facts.substance is substance


def test_nothing_is_called_idle_that_could_not_be_seen_whole(house: House, repo: str) -> None:
    issue = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    comment = {"half.py": HALF.replace("    return", "    # Down.\n    return")}
    number = propose(house, repo, f"Fixes #{issue}", comment)
    house.github.fail(404, times=20, route=GIT)
    assert gathered(house, repo, number).facts.substance is Substance.CODE


def test_a_diff_that_github_does_not_show_is_read_from_git(house: House, repo: str) -> None:
    many = {f"part/{n}.py": f"x = {n}\n" for n in range(305)}
    found = gathered(house, repo, propose(house, repo, files=many))
    assert (len(found.change.files), found.facts.unread) == (305, "")


@pytest.mark.parametrize("error", [Unavailable("this takes too long to generate", 503), NotFound("Not Found", 404)])
def test_a_diff_that_github_cannot_give_is_read_from_git(
    house: House, repo: str, monkeypatch: pytest.MonkeyPatch, error: GitHubError
) -> None:
    """It answers 5xx where a diff takes too long, and 404 of a commit that was pushed over."""

    def away(*_: object) -> str:
        raise error

    number = propose(house, repo)
    whole = gathered(house, repo, number).change
    monkeypatch.setattr(RepositoryClient, "difference", away)
    assert gathered(house, repo, number).change == whole


def test_a_diff_that_github_cuts_short_is_read_from_git(
    house: House, repo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = propose(house, repo, files={"a.py": "x = 1\n", "b.py": "x = 1\n"})
    whole = gathered(house, repo, number).change
    shown = RepositoryClient.difference
    monkeypatch.setattr(RepositoryClient, "difference", lambda *asked: shown(*asked).partition("diff --git a/b.py")[0])
    assert gathered(house, repo, number).change == whole
    assert len(whole.files) == 2


def test_what_is_pushed_there_and_back_meanwhile_is_not_what_is_read(
    house: House, repo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge reads the commit that is executed, whatever the pull request shows in between."""
    number = propose(house, repo)
    whole = gathered(house, repo, number).change
    pull, shown = house.github.repo(repo).issues[number].pull, RepositoryClient.difference
    assert pull is not None
    head = pull.head

    def in_between(*asked: Any) -> str:
        house.github.push_to_pull(repo, number, {"half.py": "good = 1\n"})
        found = shown(*asked)
        pull.head = head
        return found

    monkeypatch.setattr(RepositoryClient, "difference", in_between)
    assert gathered(house, repo, number).change == whole


def test_the_commits_of_another_head_are_not_looked_at(
    house: House, repo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = propose(house, repo)
    asked = RepositoryClient.background

    def pushed_before(client: RepositoryClient, number: int) -> Background:
        house.github.push_to_pull(repo, number, {"half.py": "good = 1\n"})
        return asked(client, number)

    monkeypatch.setattr(RepositoryClient, "background", pushed_before)
    assert gathered(house, repo, number).outcome.startswith("superseded")


def test_what_neither_shows_is_not_judged(house: House, repo: str) -> None:
    number = propose(house, repo, files={f"part/{n}.py": f"y = {n}\n" for n in range(305)})
    house.github.fail(404, times=20, route=GIT)
    found = gathered(house, repo, number)
    assert found.facts.unread.startswith("The change cannot be read: GitHub does not show it whole, and fetching")


def test_at_the_days_budget_nothing_more_is_read(house: House, repo: str) -> None:
    """What could not be judged counts as well: it ran all the same."""
    policy(house, repo, "budgets: {per_repository: 4}\npulls: {scope: all}\n")
    house.begin_a_day()
    number, another = propose(house, repo), propose(house, repo)
    record, repo_id = house.services.ledger.add, house.github.repo(repo).id
    for place, decision in enumerate((Decision.UNAVAILABLE, Decision.BOUNCE)):
        assert gathered(house, repo, number).facts.unread == ""
        verdict = Verdict(decision, None, None, "nobody", None, ("So it is.",))
        entry = replace(ENTRY, workflow_id=f"spent-{place}", repo_id=repo_id, number=number, at=house.clock())
        record(replace(entry, author=AGENT, verdict=verdict, subject=Subject.PULL))
    found = gathered(house, repo, number)
    assert "one author's share is 2" in found.facts.unread
    assert (found.facts.blame, found.change.files, found.outcome) == (Cause.CHANGE, (), "")
    assert gathered(house, repo, another).facts.unread == found.facts.unread, "it is the same author's"
    house.begin_a_day()
    assert gathered(house, repo, number).facts.unread == ""


def test_no_common_history(house: House, repo: str) -> None:
    number = propose(house, repo)
    house.github.fail(404, route="/compare/{basehead}")
    assert gathered(house, repo, number).facts.unread == UNRELATED
