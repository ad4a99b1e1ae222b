"""What Bouncer says to GitHub, and what the fake answers and emits, is as GitHub's description has it."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.backtest.download import REVISIONS
from bot.github.app import GitHubApp
from bot.github.client import RepositoryClient
from bot.github.errors import NotFound
from bot.github.graphql import BACKGROUND
from bot.github.public import public_channel
from bot.github.values import Annotation, Check
from fake_github import FakeGitHub
from fake_github.checks import CHECK
from fake_github.traffic import Exchange
from tests.support.contract import EMITTED, USED, delivery_problems, exchange_problems, webhook_name
from tests.support.graphql_contract import graphql_problems, schema_for

pytestmark = pytest.mark.contract
REPO = "acme/widgets"


def test_all_operations(
    fake_github: FakeGitHub, fake_installation: int, github_app: GitHubApp, repository_client: RepositoryClient
) -> None:
    number = fake_github.open_issue(REPO, "It broke", None)
    client = repository_client
    assert github_app.slug == fake_github.app.slug
    github_app.installations(), github_app.installation_repositories(fake_installation)
    client.about(), client.get_issue(number), client.permission("triager"), client.permission("nobody")
    file = client.get_file("README.md", ref="main")
    client.get_file("README.md", etag=file.etag), client.get_file("nothing")
    comment = client.create_comment(number, "Hello")
    client.update_comment(comment.id, "Hello again"), client.react(comment.id, "eyes"), client.comments(number)
    assert client.get_comment(comment.id).body == "Hello again"
    client.add_label(number, "needs a/b", color="fbca04", description="why"), client.remove_label(number, "needs a/b")
    client.remove_label(number, "needs a/b"), client.close_issue(number)
    sha = fake_github.push(REPO, {"a.txt": "a"})
    remarks = tuple(Annotation("a.txt", 1, 1, "warning", f"remark {place}", "title") for place in range(60))
    check = Check(
        "Bouncer", sha, "x:1", "completed", "neutral", "title", "summary", "text", remarks, "https://x.example"
    )
    run = client.put_check(check)
    client.put_check(check), client.put_check(check, run)
    pull = fake_github.open_pull(REPO, "Change a file", {"a.txt": "b"})
    remark = {"path": "a.txt", "line": 2, "start_line": 1, "body": "Why?"}
    review = fake_github.review(REPO, pull, "No.", remarks=[remark], by="critic[bot]")
    assert client.get_pull(pull).base_branch == "main"
    assert [(item.start_line, item.line, item.body) for item in client.remarks(pull)] == [(1, 2, "Why?")]
    (remark,) = client.remarks(pull)
    assert (remark.review, remark.reply_to) == (review, 0)
    client.reply(pull, remark.id, "So.", None)
    answer = next(each for each in client.remarks(pull) if each.reply_to == remark.id)
    assert client.is_own_remark(answer) and not client.is_own_remark(remark)
    client.reply(pull, remark.id, "So it is.", answer)
    assert [each.body for each in fake_github.replies(REPO, pull)] == ["So it is."]
    with pytest.raises(NotFound):
        client.reply(pull, remark.id, "Gone.", replace(answer, id=9))
    client.compare(sha, client.get_pull(pull).head), client.difference(sha, client.get_pull(pull).head)
    client.in_team("keepers", "maintainer")
    client.add_label(pull, "bounced", color="b60205", description="why"), client.remove_label(pull, "bounced")
    opened = client.get_pull(pull)
    assert client.merge_base(opened.base, opened.head) == sha
    fake_github.wait_for_webhooks()
    github_app.redeliver(fake_github.deliveries[0].id)
    assert github_app.deliveries(fake_github.app.created_at)
    called = {route for _, route in fake_github.calls()}
    assert not called - set(USED)


def test_differences_are_found(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    number = fake_github.open_issue(REPO, "It broke", "help")
    repository_client.create_comment(number, "Hello")
    call = fake_github.traffic.exchanges[-1]
    assert exchange_problems(call) == []
    assert exchange_problems(replace(call, request={"text": "Hello"}))
    assert exchange_problems(replace(call, request={"body": "Hello", "extra": 1}))
    assert exchange_problems(replace(call, query={"per_pag": "1"}))
    assert exchange_problems(replace(call, status=418))
    assert exchange_problems(replace(call, method="PUT"))
    for key in ("id", "html_url", "created_at"):
        assert exchange_problems(replace(call, response={**call.response, key: None})), key
        assert exchange_problems(
            replace(call, response={name: call.response[name] for name in call.response if name != key})
        )
    delivery = fake_github.deliveries[-1]
    assert delivery_problems(delivery) == []
    assert delivery_problems(replace(delivery, body=delivery.body.replace(b'"comment"', b'"remark"')))


PAGE = Path(__file__).parents[2] / "docs/required-check.md"
ROUTE = "/repos/{owner}/{repo}/rulesets"


def problems(sent: dict[str, Any]) -> list[str]:
    return exchange_problems(Exchange("POST", ROUTE, "", {}, {}, sent, 201, None))


def test_github_takes_the_ruleset_and_it_requires_bouncers_check() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    ruleset = json.loads(block)
    assert problems(ruleset) == []
    assert problems({**ruleset, "enforcement": "on"})
    (rule,) = ruleset["rules"]
    (check,) = rule["parameters"]["required_status_checks"]
    assert check["context"] == CHECK and check["integration_id"]


def test_all_webhooks(fake_github: FakeGitHub) -> None:
    fake = fake_github
    fake.ping()
    fake.create_repository("octo-org/tools", organization=True, private=True, collaborators={"maintainer": "admin"})
    fake.create_repository("octo-org/more", organization=True)
    installation = fake.install("octo-org", ["octo-org/tools"], by="maintainer")
    fake.add_repositories(installation, ["octo-org/more"])
    fake.remove_repositories(installation, ["octo-org/more"])
    fake.suspend(installation)
    fake.suspend(installation, suspended=False)
    for repo in ("octo-org/tools", "acme/widgets"):
        fake.make_private(repo, private=not fake.repo(repo).private, by="maintainer")
        fake.make_private(repo, private=not fake.repo(repo).private, by="maintainer")
        pull = fake.open_pull(repo, "Change a file", {"a.txt": "a"})
        fake.push(repo, {"b.txt": "b", "README.md": None}, branch=f"change-{pull}")
        said = fake.review(repo, pull, "No.", remarks=[{"path": "a.txt", "line": 1, "body": "Why?"}], by="critic[bot]")
        fake.edit_review(repo, pull, said, "Not so.")
        remark = fake.repo(repo).issues[pull].pull.reviews[-1].remarks[0].id
        fake.reply(repo, pull, remark, "So that it works.", by="maintainer")
        fake.edit_remark(repo, pull, remark, "Why so?", by="critic[bot]")
        fake.resolve(repo, pull, remark)
        fake.resolve(repo, pull, remark, resolved=False)
        fake.delete_remark(repo, pull, remark, by="critic[bot]")
        for number in (fake.open_issue(repo, "It broke", None), pull):
            fake.edit_issue(repo, number, title="It breaks", body="Like this: …")
            fake.add_label(repo, number, "bug")
            fake.remove_label(repo, number, "bug")
            comment = fake.comment(repo, number, "Me too", by="stranger")
            fake.comment(repo, number, "Hello", by=fake.bot.login, via_app=True)
            fake.edit_comment(repo, comment, "Me too!")
            fake.delete_comment(repo, comment)
            fake.close_issue(repo, number)
            fake.reopen_issue(repo, number)
        fake.delete_issue(repo, fake.open_issue(repo, "Spam", ""))
    for source in ("", fake.fork("acme/widgets", "stranger")):
        walk_through_a_gate(fake, source)
    fake.transfer_issue("acme/widgets", fake.open_issue("acme/widgets", "Not here", ""), "octo-org/more")
    fake.uninstall(installation)
    assert {webhook_name(delivery) for delivery in fake.deliveries} == set(EMITTED)


def walk_through_a_gate(fake: FakeGitHub, source: str) -> None:
    """Everything that can happen to a pull request and its checks; source: the fork it comes from, if any."""
    repo = "acme/widgets"
    fake.push(repo, {"old.txt": "x"}, branch="old")
    number = fake.open_pull(repo, "Propose it", {"a.txt": "b"}, source=source, draft=True)
    fake.ready_for_review(repo, number)
    fake.convert_to_draft(repo, number)
    fake.change_base(repo, number, "old")
    head = fake.push_to_pull(repo, number, {"c.txt": "c"}, onto="main")
    fake.complete_other_check(repo, head, "failure")
    fake.rerun_all(repo, head)
    made = fake.new_check(fake.repo(repo), head, "bouncer")
    fake.emit_check(fake.repo(repo), made, was="")
    made.status, made.conclusion = "completed", "failure"
    made.actions = [{"label": "Override", "description": "Say it is fine", "identifier": "override"}]
    fake.emit_check(fake.repo(repo), made, was="queued")
    fake.press(repo, made.id, "override")
    fake.rerun(repo, made.id)
    fake.queue(repo, number)
    fake.leave_queue(repo, number)
    fake.queue(repo, number)
    fake.leave_queue(repo, number, "merged")
    again = fake.open_pull(repo, "Merge it", {"d.txt": "d"}, source=source)
    fake.merge_pull(repo, again)
    gone = fake.open_pull(repo, "Forget it", {"e.txt": "e"}, source=source, branch="gone")
    if source:
        fake.delete_repository(source)
        fake.close_issue(repo, gone)
    else:
        fake.delete_branch(repo, "gone")


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


def test_differences_of_queries_are_found(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
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
