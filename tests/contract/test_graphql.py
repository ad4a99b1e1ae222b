"""The one GraphQL query, held to GitHub's published schema: the query itself, and what the fake answers to it."""

from dataclasses import replace

import pytest

from bot.demo.fake import FakeGitHub
from bot.github.client import RepositoryClient
from bot.github.errors import NotFound
from bot.github.graphql import LINKED_ISSUES
from tests.support.graphql_contract import graphql_problems, schema_for

pytestmark = pytest.mark.contract
REPO = "acme/widgets"


def test_the_query_and_every_kind_of_answer(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    issue = fake_github.open_issue(REPO, "It broke", "")
    pull = fake_github.open_pull(REPO, "Mend it", {"a.txt": "a"}, body=f"Closes #{issue}")
    assert repository_client.linked_issues(pull) == ((REPO, issue),)
    with pytest.raises(NotFound):
        repository_client.linked_issues(issue)
    calls = [call for call in fake_github.traffic.exchanges if call.route == "/graphql"]
    assert [call.request["query"] for call in calls] == [LINKED_ISSUES] * 2
    assert [graphql_problems(call) for call in calls] == [[], []]


def test_differences_are_found(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    issue = fake_github.open_issue(REPO, "It broke", "")
    repository_client.linked_issues(fake_github.open_pull(REPO, "Mend it", {"a.txt": "a"}, body=f"fixes #{issue}"))
    call = fake_github.traffic.exchanges[-1]
    assert graphql_problems(call) == []
    for wrong in (
        LINKED_ISSUES.replace("closingIssuesReferences", "closingIssues"),
        LINKED_ISSUES.replace("number: $number", "numer: $number"),
        LINKED_ISSUES.replace("$number: Int!", "$number: String!"),
        LINKED_ISSUES.replace("nameWithOwner", "nameWithOwner { id }"),
    ):
        assert graphql_problems(replace(call, request={**call.request, "query": wrong})), wrong
    node = {"number": issue, "repository": {"nameWithOwner": REPO}}
    for nodes in ([{**node, "number": "one"}], [{"number": issue}], [{**node, "repository": None}], [{**node, "x": 1}]):
        data = {"repository": {"pullRequest": {"closingIssuesReferences": {"nodes": nodes}}}}
        assert graphql_problems(replace(call, response={"data": data})), nodes
    assert graphql_problems(replace(call, response={"data": None, "errors": [{"type": "NOT_FOUND"}]}))


def test_what_github_says_may_be_null() -> None:
    """Where Bouncer must expect nothing: a repository or pull request it may not see, an entry of the list."""
    types = schema_for(LINKED_ISSUES).type_map
    assert str(types["Query"].fields["repository"].type) == "Repository"
    assert str(types["Repository"].fields["pullRequest"].type) == "PullRequest"
    assert str(types["PullRequest"].fields["closingIssuesReferences"].type) == "IssueConnection"
    assert str(types["IssueConnection"].fields["nodes"].type) == "[Issue]"
    assert str(types["Issue"].fields["repository"].type) == "Repository!"
