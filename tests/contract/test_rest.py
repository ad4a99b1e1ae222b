"""Everything Bouncer says to GitHub, and everything the fake answers, is as GitHub's description has it."""

from dataclasses import replace

import pytest

from bot.github.app import GitHubApp
from bot.github.client import RepositoryClient
from bot.github.errors import NotFound
from bot.github.values import Annotation, Check
from fake_github import FakeGitHub
from tests.support.contract import USED, delivery_problems, exchange_problems

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
