"""The fake's webhooks: signed, in order, recorded, sent again on request."""

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from bot.github.client import RepositoryClient
from fake_github import FakeGitHub

REPO = "acme/widgets"


@dataclass
class Inbox:
    """What arrived: headers (names in lower case) and raw body."""

    url: str = ""
    answer: int = 202
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def inbox(fake_github: FakeGitHub) -> Iterator[Inbox]:
    inbox = Inbox()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            inbox.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(inbox.answer)
            self.end_headers()
            self.wfile.write(b"queued")

        def log_message(self, *given: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    inbox.url = fake_github.app.webhook_url = f"http://127.0.0.1:{server.server_port}/webhook"
    yield inbox
    fake_github.app.webhook_url = None
    server.shutdown()
    server.server_close()


def test_webhooks_are_signed_and_recorded(fake_github: FakeGitHub, inbox: Inbox) -> None:
    fake_github.open_issue(REPO, "It broke ☕", "help")
    fake_github.wait_for_webhooks()
    ((headers, body),) = inbox.received
    expected = hmac.new(fake_github.app.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={expected}"
    assert headers["x-github-event"] == "issues"
    assert headers["content-type"] == "application/json"
    (delivery,) = fake_github.deliveries
    assert delivery.guid == headers["x-github-delivery"]
    assert (delivery.status_code, delivery.answer, delivery.status) == (202, "queued", "OK")
    assert delivery.payload["issue"]["title"] == "It broke ☕"


def test_webhooks_arrive_in_order_and_show_their_moment(fake_github: FakeGitHub, inbox: Inbox) -> None:
    number = fake_github.open_issue(REPO, "0", "")
    for place in range(1, 30):
        fake_github.edit_issue(REPO, number, title=str(place))
    fake_github.wait_for_webhooks()
    assert [delivery.payload["issue"]["title"] for delivery in fake_github.deliveries] == [str(n) for n in range(30)]
    assert [headers["x-github-delivery"] for headers, _ in inbox.received] == [d.guid for d in fake_github.deliveries]


def test_lost_webhooks_can_be_sent_again(fake_github: FakeGitHub, inbox: Inbox) -> None:
    fake_github.lose_webhooks(1)
    fake_github.open_issue(REPO, "Lost", "")
    fake_github.open_issue(REPO, "Found", "")
    fake_github.wait_for_webhooks()
    lost, found = fake_github.deliveries
    assert (lost.status_code, found.status_code, len(inbox.received)) == (502, 202, 1)
    fake_github.webhooks.redeliver(lost.id)
    fake_github.wait_for_webhooks()
    headers, body = inbox.received[-1]
    assert headers["x-github-delivery"] == lost.guid
    assert body == lost.body
    fake_github.webhooks.duplicate(found.id)
    assert inbox.received[-1] == inbox.received[0]
    assert len(fake_github.deliveries) == 3


def test_what_bouncer_does_is_an_event_too(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    number = fake_github.open_issue(REPO, "It broke", "help")
    repository_client.create_comment(number, "Hello")
    repository_client.add_label(number, "needs-clarification", color="fbca04", description="d")
    told = [(item.event, item.action, item.payload["sender"]["login"]) for item in fake_github.deliveries[1:]]
    assert told == [("issue_comment", "created", "bouncer[bot]"), ("issues", "labeled", "bouncer[bot]")]
    assert fake_github.deliveries[1].payload["sender"]["type"] == "Bot"


def test_only_what_was_subscribed_and_installed_is_told(fake_github: FakeGitHub, fake_installation: int) -> None:
    fake_github.create_repository("other/thing")
    fake_github.open_issue("other/thing", "Not installed", "")
    fake_github.app.events = ["issues"]
    fake_github.push(REPO, {"a": "b"})
    fake_github.suspend(fake_installation)
    fake_github.open_issue(REPO, "Suspended", "")
    assert [item.event for item in fake_github.deliveries] == ["installation"]


def test_nothing_changes_nothing_told(fake_github: FakeGitHub) -> None:
    number = fake_github.open_issue(REPO, "It broke", "help", labels=("bug",))
    comment = fake_github.comment(REPO, number, "Hello")
    told = len(fake_github.deliveries)
    fake_github.edit_issue(REPO, number, title="It broke", body="help")
    fake_github.edit_comment(REPO, comment, "Hello")
    fake_github.add_label(REPO, number, "BUG")
    fake_github.remove_label(REPO, number, "none")
    fake_github.reopen_issue(REPO, number)
    assert len(fake_github.deliveries) == told


def test_a_push_names_the_changed_paths_and_moves_the_pull_request(fake_github: FakeGitHub) -> None:
    number = fake_github.open_pull(REPO, "Change", {"a.txt": "a", "README.md": "new"}, branch="topic")
    sha = fake_github.push(REPO, {"README.md": None}, branch="topic", by="contributor")
    pushed, opened, again, moved = (item for item in fake_github.deliveries if item.event != "check_suite")
    assert pushed.payload["commits"][0]["added"] == ["a.txt"]
    assert pushed.payload["commits"][0]["modified"] == ["README.md"]
    assert again.payload["commits"][0]["removed"] == ["README.md"]
    assert (opened.action, moved.action) == ("opened", "synchronize")
    assert moved.payload["pull_request"]["head"]["sha"] == sha == again.payload["after"]
    assert moved.payload["number"] == number
