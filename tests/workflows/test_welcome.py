"""A repository that is new: its last issues are looked at once, and nothing is written there."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.github.values import Repository
from bot.storage.installations import Installations
from bot.storage.welcomes import MOST_FOR_ONE, Welcome
from bot.workflows.welcome import AT_ONCE, KEEP, MOST_ISSUES, NEW, make_welcomes
from tests.workflows.house import CLEAR, CLEAR_TITLE, VAGUE, VAGUE_TITLE, House


def welcomes(house: House, repo: str) -> Welcome | None:
    return next((each for each in house.services.welcomes.all() if each.repository == repo), None)


def installation_of(house: House, repo: str) -> int:
    found = house.github.installation_of(house.github.repo(repo))
    assert found is not None
    return found.id


def make_all(house: House) -> int:
    made = 0
    while count := make_welcomes(house.services, house.clock()):
        made += count
    return made


def with_issues(house: House, *, private: bool = False) -> str:
    repo = house.repository(installed=False, private=private)
    for title, body in ((VAGUE_TITLE, VAGUE), (CLEAR_TITLE, CLEAR), ("", "")):
        house.github.open_issue(repo, title or "Weekly numbers", body, by="reporter" if title else "stats[bot]")
    house.github.open_pull(repo, "Change", {"a": "b"})
    house.github.install(repo.partition("/")[0], [repo])
    house.settle()
    return repo


def test_the_last_issues_are_judged_and_nothing_is_written(house: House) -> None:
    repo = with_issues(house)
    house.github.forget_calls()
    asked = len(house.judge.asked)
    assert make_all(house) >= 1
    found = welcomes(house, repo)
    assert found is not None
    assert [issue.number for issue in found.issues] == [3, 2, 1]
    bot, clear, vague = found.issues
    assert (bot.left_alone, bot.verdict) == ("a bot opened it", None)
    assert clear.held_by == () and clear.verdict is not None
    assert "balanced" in vague.held_by and vague.verdict is not None and vague.verdict.questions
    assert (house.services.repositories.is_private(found.repo_id), found.branch) == (False, "main")
    assert house.github.writes(repo) == []
    assert len(house.judge.asked) == asked  # it may cost money
    assert not house.services.ledger.entries(found.repo_id, 1)


@pytest.mark.parametrize("private", [False, True])
def test_whom_it_would_not_hold_is_left_alone_there_too(house: House, private: bool) -> None:
    """As where it judges: people at home in a public repository are exempt, agents' accounts are looked at."""
    repo = house.repository(installed=False, private=private)
    for who in ("maintainer", "reporter", "devin-ai-integration[bot]", "stats[bot]"):
        house.github.open_issue(repo, VAGUE_TITLE, VAGUE, by=who)
    house.github.install(repo.partition("/")[0], [repo])
    house.settle()
    make_all(house)
    found = welcomes(house, repo)
    assert found is not None
    bot, agent, reporter, maintainer = found.issues
    assert bot.left_alone == "a bot opened it"
    assert "balanced" in agent.held_by and "balanced" in reporter.held_by
    exempt = ("", True) if private else ("its author's role (collaborator) is exempt", False)
    assert (maintainer.left_alone, "balanced" in maintainer.held_by) == exempt


def test_it_happens_once(house: House) -> None:
    repo = with_issues(house)
    make_all(house)
    first = welcomes(house, repo)
    assert make_all(house) == 0
    house.clock.advance(minutes=30)
    house.worker.reconcile.tick()
    assert welcomes(house, repo) == first


def test_a_private_repository_is_known_as_one(house: House) -> None:
    repo = with_issues(house, private=True)
    make_all(house)
    found = welcomes(house, repo)
    assert found is not None and house.services.repositories.is_private(found.repo_id)


@pytest.mark.parametrize("uninstalled", [False, True])
def test_a_repository_that_is_gone_meanwhile_has_nothing_to_show_and_is_not_asked_for_again(
    house: House, uninstalled: bool
) -> None:
    repo = with_issues(house)
    (installation,) = [
        key for key, each in house.github.installations.items() if repo.startswith(f"{each.account.login}/")
    ]
    if uninstalled:  # its delivery is still under way
        house.github.uninstall(installation)
    else:
        house.github.remove_repositories(installation, [repo])
        house.github.repo(repo).private = True
    make_all(house)
    found = welcomes(house, repo)
    assert found is not None and found.issues == ()
    assert make_all(house) == 0


def test_what_was_installed_long_ago_is_left_alone(house: House) -> None:
    repo = with_issues(house)
    house.clock.advance(hours=NEW.total_seconds() / 3600 + 1)
    make_all(house)
    assert welcomes(house, repo) is None


def test_uninstalled_and_removed_ones_are_forgotten(house: House) -> None:
    first, second = with_issues(house), with_issues(house)
    make_all(house)
    for repo, act in ((first, "uninstall"), (second, "remove")):
        (installation,) = [
            key for key, each in house.github.installations.items() if repo.startswith(f"{each.account.login}/")
        ]
        if act == "uninstall":
            house.github.uninstall(installation)
        else:
            house.github.remove_repositories(installation, [repo])
        house.settle()
        assert welcomes(house, repo) is None


def test_after_a_month_it_is_gone_and_does_not_come_back(house: House) -> None:
    repo = with_issues(house)
    make_all(house)
    house.clock.advance(hours=(KEEP + timedelta(hours=2)).total_seconds() / 3600)
    house.worker.reconcile.tick()
    assert welcomes(house, repo) is None
    assert make_all(house) == 0


def test_a_large_organisation_is_not_read_through(house: House) -> None:
    owner = "large"
    names = [house.repository(installed=False, owner=owner, name=f"part{n}") for n in range(MOST_FOR_ONE + 3)]
    house.github.install(owner, names)
    house.settle()
    house.github.forget_calls()
    assert make_welcomes(house.services, house.clock()) <= AT_ONCE
    make_all(house)
    made = [each for each in house.services.welcomes.all() if each.repository in names]
    assert len(made) == MOST_FOR_ONE


def test_more_issues_than_are_shown(house: House) -> None:
    repo = house.repository(installed=False)
    for number in range(MOST_ISSUES + 2):
        house.github.open_issue(repo, f"Issue {number}", VAGUE)
    house.github.install(repo.partition("/")[0], [repo])
    house.settle()
    make_all(house)
    found = welcomes(house, repo)
    assert found is not None and len(found.issues) == MOST_ISSUES


def test_issues_below_many_pull_requests_are_found_in_few_calls(house: House) -> None:
    """GitHub lists both together; of a repository with nothing else, three hundred are read and no more."""
    for pulls, calls in ((101, 2), (301, 3)):
        repo = house.repository(installed=False)
        house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
        number = house.github.open_pull(repo, "Change", {"a": "b"})
        there, pull = house.github.repo(repo).issues, house.github.repo(repo).issues[number]
        there |= {number + more: replace(pull, number=number + more) for more in range(1, pulls)}
        house.github.install(repo.partition("/")[0], [repo])
        house.settle()
        house.github.forget_calls()
        found = house.services.repository(installation_of(house, repo), Repository(1, repo)).newest_issues(MOST_ISSUES)
        assert [issue.number for issue in found] == ([1] if calls == 2 else [])
        assert house.github.calls()["GET", "/repos/{owner}/{repo}/issues"] == calls


def test_a_suspended_installation_waits(house: House) -> None:
    repo = with_issues(house)
    (installation,) = [
        key for key, each in house.github.installations.items() if repo.startswith(f"{each.account.login}/")
    ]
    Installations(house.database).suspend(installation)
    make_all(house)
    assert welcomes(house, repo) is None
    Installations(house.database).suspend(installation, False)
    make_all(house)
    assert welcomes(house, repo) is not None
