"""The GraphQL queries, held to GitHub's published schema: the queries themselves, and what the fake answers."""

from dataclasses import replace

import pytest

from bot.backtest.download import REVISIONS
from bot.github.client import RepositoryClient
from bot.github.errors import NotFound
from bot.github.graphql import BACKGROUND
from bot.github.public import public_channel
from fake_github import FakeGitHub
from tests.support.graphql_contract import graphql_problems, schema_for

pytestmark = pytest.mark.contract
REPO = "acme/widgets"


def test_the_query_and_every_kind_of_answer(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    issue = fake_github.open_issue(REPO, "It broke", "")
    pull = fake_github.open_pull(REPO, "Mend it", {"a.txt": "a"}, body=f"Closes #{issue}")
    found = repository_client.background(pull)
    assert [(item.place, item.number) for item in found.issues] == [(REPO, issue)]
    assert len(found.commits) == 1
    with pytest.raises(NotFound):
        repository_client.background(issue)
    calls = [call for call in fake_github.traffic.exchanges if call.route == "/graphql"]
    assert [call.request["query"] for call in calls] == [BACKGROUND] * 2
    assert [graphql_problems(call) for call in calls] == [[], []]


def test_the_query_for_revisions(fake_github: FakeGitHub, fake_installation: int) -> None:
    number = fake_github.open_issue(REPO, "It broke", "")
    fake_github.edit_issue(REPO, number, body="It broke today.")
    fake_github.open_issue(REPO, "Another", None)
    token, _ = fake_github.access.issue_token(fake_installation)
    variables = {"owner": "acme", "name": "widgets", "after": None}
    answer = public_channel(fake_github.url, token).query(REVISIONS, variables)
    found = {node["number"]: node for node in answer["repository"]["issues"]["nodes"]}
    assert [edit["diff"] for edit in found[number]["userContentEdits"]["nodes"]] == ["It broke today.", ""]
    assert found[number + 1]["lastEditedAt"] is None
    assert graphql_problems(fake_github.traffic.exchanges[-1]) == []


def test_differences_are_found(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    issue = fake_github.open_issue(REPO, "It broke", "")
    repository_client.background(fake_github.open_pull(REPO, "Mend it", {"a.txt": "a"}, body=f"fixes #{issue}"))
    call = fake_github.traffic.exchanges[-1]
    assert graphql_problems(call) == []
    for wrong in (
        BACKGROUND.replace("closingIssuesReferences", "closingIssues"),
        BACKGROUND.replace("number: $number", "numer: $number"),
        BACKGROUND.replace("$number: Int!", "$number: String!"),
        BACKGROUND.replace("nameWithOwner", "nameWithOwner { id }"),
        BACKGROUND.replace("resourcePath", "path"),
        BACKGROUND.replace("oid", "sha"),
    ):
        assert graphql_problems(replace(call, request={**call.request, "query": wrong})), wrong
    shown = call.response["data"]["repository"]["pullRequest"]
    (node,) = shown["closingIssuesReferences"]["nodes"]
    less = {key: value for key, value in node.items() if key != "title"}
    for nodes in ([{**node, "number": "one"}], [less], [{**node, "repository": None}], [{**node, "x": 1}]):
        data = {"repository": {"pullRequest": {**shown, "closingIssuesReferences": {"nodes": nodes}}}}
        assert graphql_problems(replace(call, response={"data": data})), nodes
    assert graphql_problems(replace(call, response={"data": None, "errors": [{"type": "NOT_FOUND"}]}))


def test_what_github_says_may_be_null() -> None:
    """Where Bouncer must expect nothing: a repository or pull request it may not see, an entry of the list."""
    types = schema_for(BACKGROUND).type_map
    assert str(types["Query"].fields["repository"].type) == "Repository"
    assert str(types["Repository"].fields["pullRequest"].type) == "PullRequest"
    assert str(types["PullRequest"].fields["closingIssuesReferences"].type) == "IssueConnection"
    assert str(types["IssueConnection"].fields["nodes"].type) == "[Issue]"
    assert str(types["Issue"].fields["repository"].type) == "Repository!"
    assert str(types["Issue"].fields["author"].type) == "Actor"
    assert str(types["Issue"].fields["labels"].type) == "LabelConnection"
    assert str(types["PullRequestCommitConnection"].fields["nodes"].type) == "[PullRequestCommit]"
    assert str(types["Commit"].fields["author"].type) == "GitActor"
