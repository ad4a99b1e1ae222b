"""The commits of a pull request, and the issues GitHub links to it, asked through GraphQL."""

from dataclasses import replace
from typing import Any

import pytest

from bot.github.client import RepositoryClient
from bot.github.errors import Forbidden, NotFound, RateLimited, Unavailable
from bot.github.graphql import as_rest, to_open_pulls
from bot.github.payloads import to_pull_commit
from bot.github.transport import HttpAnswer, Transport
from bot.github.values import LinkedIssue, OpenPull, PullCommit
from fake_github import FakeGitHub
from tests.github.conftest import Hours
from tests.support.cases import cases

REPO = "acme/widgets"
ROUTE = "/graphql"


@pytest.fixture
def pull(fake_github: FakeGitHub) -> int:
    issue = fake_github.open_issue(REPO, "It broke", "")
    return fake_github.open_pull(REPO, "Mend it", {"a.txt": "a"}, body=f"Closes #{issue}", message="Mend\n\nWhy.")


def test_commits_oldest_first(fake_github: FakeGitHub, client: RepositoryClient, pull: int) -> None:
    branch = f"change-{pull}"
    head = fake_github.push(REPO, {"b.txt": "b"}, branch=branch, by="helper[bot]", message="Test it")
    fake_github.push(REPO, {"c.txt": "c"}, message="On the base meanwhile")
    first, second = client.commits(pull)
    assert (first.author_name, first.author_email, first.message) == (
        "contributor",
        "contributor@example.com",
        "Mend\n\nWhy.",
    )
    assert second == PullCommit(head, "helper[bot]", "helper@example.com", "Test it")


def test_a_commit_may_name_nobody() -> None:
    said = {"author": None, "message": "x"}
    assert to_pull_commit({"sha": "a" * 40, "commit": said}) == PullCommit("a" * 40, "", "", "x")
    said = {"author": {"name": None, "date": "2026-01-01T00:00:00Z"}, "message": ""}
    assert to_pull_commit({"sha": "a" * 40, "commit": said}) == PullCommit("a" * 40, "", "", "")


def test_no_more_commits_than_github_lists(
    monkeypatch: pytest.MonkeyPatch, fake_github: FakeGitHub, client: RepositoryClient, pull: int
) -> None:
    monkeypatch.setattr("fake_github.rest_pulls.MAX_COMMITS", 1000)  # should GitHub ever list more
    repo = fake_github.repo(REPO)
    shown = repo.issues[pull].pull
    assert shown is not None
    for number in range(260):
        commit = replace(repo.commits[shown.head], sha=f"{number + 1:040x}", parent=shown.head, message=str(number))
        repo.commits[commit.sha] = commit
        shown.head = commit.sha
    assert [commit.message for commit in client.commits(pull)][1:] == [str(number) for number in range(249)]
    assert sum(fake_github.calls().values()) == 3
    assert client.background(pull).commits == client.commits(pull)


def test_few_commits_come_with_the_issues(fake_github: FakeGitHub, client: RepositoryClient, pull: int) -> None:
    fake_github.push(REPO, {"b.txt": "b"}, branch=f"change-{pull}", by="helper[bot]", message="Test it")
    listed = client.commits(pull)
    fake_github.forget_calls()
    assert client.background(pull).commits == listed
    assert sum(fake_github.calls().values()) == 1


def test_a_bot_is_named_as_in_rest(fake_github: FakeGitHub, client: RepositoryClient) -> None:
    """GraphQL leaves the `[bot]` out; who wrote the issue and who opened the pull request must compare."""
    issue = fake_github.open_issue(REPO, "It broke", "", by="helper[bot]")
    pull = fake_github.open_pull(REPO, "Mend it", {"a.txt": "a"}, body=f"Closes #{issue}", by="helper[bot]")
    for number, by in enumerate(("reporter", "helper[bot]", "reporter")):
        fake_github.edit_issue(REPO, issue, body=f"{number}", by=by)
    (found,) = client.background(pull).issues
    assert found.author == client.get_issue(issue).author == client.get_pull(pull).author == "helper[bot]"
    assert found.editors == ("reporter", "helper[bot]")


def test_issues_by_keyword_and_by_hand(fake_github: FakeGitHub, client: RepositoryClient, pull: int) -> None:
    fake_github.create_repository("octo-org/tools")
    fake_github.create_repository("octo-org/hidden", private=True)
    there = fake_github.open_issue("octo-org/tools", "Also broke", "")
    fake_github.link_issue(REPO, pull, there, repository="octo-org/tools")
    fake_github.link_issue(
        REPO, pull, fake_github.open_issue("octo-org/hidden", "Secret", ""), repository="octo-org/hidden"
    )
    fake_github.link_issue(REPO, pull, pull - 1)
    fake_github.forget_calls()
    first, second = client.background(pull).issues
    assert first == LinkedIssue(pull - 1, "It broke", "", "reporter", place=REPO, private=False)
    assert (second.place, second.number, second.title) == ("octo-org/tools", there, "Also broke")
    assert fake_github.calls() == {("POST", ROUTE): 1}
    assert fake_github.writes() == [], "asking changes nothing"


def test_none_linked_and_no_more_than_twenty(fake_github: FakeGitHub, client: RepositoryClient, pull: int) -> None:
    assert client.background(fake_github.open_pull(REPO, "Tidy", {"b.txt": "b"})).issues == ()
    for number in range(25):
        fake_github.link_issue(REPO, pull, fake_github.open_issue(REPO, str(number), ""))
    assert len(client.background(pull).issues) == 20


def test_a_repository_is_found_under_its_old_name(fake_github: FakeGitHub, client: RepositoryClient, pull: int) -> None:
    fake_github.rename_repository(REPO, "gadgets")
    assert [(item.place, item.number) for item in client.background(pull).issues] == [("acme/gadgets", pull - 1)]


def test_what_is_not_there(client: RepositoryClient, pull: int) -> None:
    with pytest.raises(NotFound, match="POST /api/graphql: 404 Could not resolve to a PullRequest"):
        client.background(pull + 100)
    with pytest.raises(NotFound):
        client.background(pull - 1)  # an issue


def test_no_permission(fake_github: FakeGitHub, client: RepositoryClient, pull: int) -> None:
    del fake_github.app.permissions["issues"]
    with pytest.raises(Forbidden, match="Resource not accessible by integration"):
        client.background(pull)


def test_the_rate_limit_is_waited_out(
    fake_github: FakeGitHub, client: RepositoryClient, pull: int, hours: Hours
) -> None:
    hours.time = fake_github.access.reset_at().timestamp() - 40
    client.about()  # with a fresh token
    fake_github.forget_calls()
    fake_github.access.limit = fake_github.access.used[next(iter(fake_github.installations))]
    assert client.background(pull)
    assert sum(hours.slept) == pytest.approx(41, abs=1)
    assert fake_github.calls()["POST", ROUTE] == 2
    fake_github.access.limit = fake_github.access.used[next(iter(fake_github.installations))]
    with pytest.raises(RateLimited):
        client.background(pull)  # an hour is more than this client's patience


def test_a_question_is_asked_again(fake_github: FakeGitHub, client: RepositoryClient, pull: int, hours: Hours) -> None:
    fake_github.fail(502, route=ROUTE)
    fake_github.drop(route=ROUTE, after_effect=True)
    fake_github.fail(200, route=ROUTE, message="neither data nor errors")
    assert client.background(pull)
    assert len(fake_github.traffic.exchanges) == 4
    fake_github.fail(200, times=100, route=ROUTE)
    with pytest.raises(Unavailable):
        client.background(pull)


@cases
def test_where_graphql_is_asked(rest: str, graphql: str) -> None:
    assert Transport(rest).graphql_url == graphql


def answer(data: Any, *errors: dict[str, Any]) -> HttpAnswer:
    shape = {"data": data, **({"errors": list(errors)} if errors else {})}
    return as_rest(HttpAnswer(200, {}, shape))


@cases
def test_errors_get_the_status_rest_has_for_them(error: dict[str, Any], status: int) -> None:
    found = answer(None, {"message": "why", **error})
    assert (found.status, found.message) == (status, error.get("message", "why"))
    assert answer({"repository": {"pullRequest": None}}, error).status == status


def test_an_entry_that_may_not_be_seen_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, client: RepositoryClient, pull: int
) -> None:
    seen = {"number": 4, "repository": {"nameWithOwner": REPO, "isPrivate": True}}
    place = ["repository", "pullRequest", "closingIssuesReferences", "nodes", 0]
    shown = {"closingIssuesReferences": {"nodes": [None, seen]}, "commits": {"totalCount": 0, "nodes": []}}
    data = {"repository": {"pullRequest": shown}}
    shape = {"data": data, "errors": [{"type": "FORBIDDEN", "path": place, "message": "SAML"}]}
    monkeypatch.setattr(Transport, "send", lambda *_, **__: HttpAnswer(200, {}, shape))
    assert client.background(pull).issues == (LinkedIssue(4, place=REPO),)


def test_other_answers_stay_as_they_are() -> None:
    for status in (201, 304, 401, 403, 502):
        given = HttpAnswer(status, {}, {"message": "m"})
        assert as_rest(given) is given
    assert as_rest(HttpAnswer(200, {}, [])).status == 502
    assert as_rest(HttpAnswer(200, {}, None)).status == 502


def test_an_old_github_knows_no_links(
    monkeypatch: pytest.MonkeyPatch, fake_github: FakeGitHub, client: RepositoryClient, pull: int
) -> None:
    monkeypatch.setattr("bot.github.pulls.BACKGROUND", "query { viewer { login } }")
    fake_github.traffic.observers.clear()  # the contract would refuse it too
    found = client.background(pull)
    assert (found.issues, [commit.message for commit in found.commits]) == ((), ["Mend\n\nWhy."])
    assert len(fake_github.traffic.exchanges) == 2, "the query is not repeated"


def test_who_else_would_close_an_issue(fake_github: FakeGitHub, client: RepositoryClient, pull: int) -> None:
    body = f"Fixes #{pull - 1}"
    other = fake_github.open_pull(REPO, "Mend it too", {"b.txt": "b"}, body=body, by="helper[bot]")
    fake_github.open_pull(REPO, "A draft", {"c.txt": "c"}, body=body, draft=True)
    fake_github.close_issue(REPO, fake_github.open_pull(REPO, "Given up", {"d.txt": "d"}, body=body))
    fake_github.open_pull(REPO, "Something else", {"e.txt": "e"})
    first, second = client.pulls_that_close(pull - 1)
    head = fake_github.repo(REPO).issues[other].pull.head  # type: ignore[union-attr]
    assert (first.number, second) == (pull, OpenPull(other, "helper[bot]", head, "main"))
    assert client.pulls_that_close(pull) == client.pulls_that_close(404) == (), "no issue"


@pytest.mark.parametrize("differs", [{"state": "MERGED"}, {"isDraft": True}, {"repository": {"nameWithOwner": "a/b"}}])
def test_who_is_no_rival_whatever_the_list_says(differs: dict[str, Any]) -> None:
    node = {"number": 4, "state": "OPEN", "isDraft": False, "headRefOid": "a", "baseRefName": "main", "author": None}
    for listed, many in (({**node, "repository": {"nameWithOwner": REPO}}, 1), ({**node, **differs}, 0)):
        issue = {"closedByPullRequestsReferences": {"nodes": [None, {"repository": {"nameWithOwner": REPO}} | listed]}}
        assert len(to_open_pulls({"repository": {"nameWithOwner": REPO, "issue": issue}})) == many
    assert to_open_pulls({"repository": None}) == ()
