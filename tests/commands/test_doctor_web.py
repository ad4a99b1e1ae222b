"""What `bouncer doctor` says of deliveries, the port and the public address."""

import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.commands.doctor_github import delivery_line, port_line, public_line
from bot.commands.doctor_lines import CheckOutcome
from bot.github.deliveries import HookDelivery
from bot.settings import Settings
from fake_github import FakeGitHub
from tests.commands.doctors import PUBLIC, SECRET, examine, healthy, outcomes
from tests.webhooks.serving import serving

__all__ = ["healthy"]


def attempt(status: int) -> HookDelivery:
    return HookDelivery(1, "guid", "issues", "opened", "2026-05-01T12:00:00Z", False, status, 1)


@pytest.mark.parametrize(
    ("newest", "silent", "outcome", "says", "mend"),
    [
        (None, True, CheckOutcome.PASS, "sent nothing yet", ""),
        (attempt(202), True, CheckOutcome.PASS, "arrived (202)", ""),
        (attempt(401), False, CheckOutcome.FAIL, "signs with another secret", "BOUNCER_WEBHOOK_SECRET"),
        (attempt(502), False, CheckOutcome.WARN, "did not arrive (502)", "Recent Deliveries"),
        (attempt(0), False, CheckOutcome.WARN, "did not arrive (0)", "the proxy"),
        (attempt(0), True, CheckOutcome.FAIL, "and Bouncer does not answer at its public address", "the proxy"),
    ],
)
def test_githubs_own_log_says_whether_deliveries_arrive(
    newest: HookDelivery | None, silent: bool, outcome: CheckOutcome, says: str, mend: str
) -> None:
    line = delivery_line(newest, silent=silent)
    assert (line.outcome, says in line.says, mend in line.mend) == (outcome, True, True), line


def test_a_server_that_nobody_reaches_fails(healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub's newest delivery did not arrive, and nothing answers at the public address: an old tunnel's, say."""
    gone = "http://127.0.0.1:9"
    healthy.app.webhook_url = f"{gone}/webhook"
    monkeypatch.setenv("BOUNCER_PUBLIC_URL", gone)
    assert outcomes(examine()["deliveries"]) == [CheckOutcome.PASS]
    healthy.open_issue("acme/widgets", "It broke", "x")
    healthy.wait_for_webhooks()
    found = examine()
    assert outcomes(found["deliveries"]) == [CheckOutcome.FAIL]
    assert outcomes(found["public address"]) == outcomes(examine("--offline")["deliveries"]) == [CheckOutcome.WARN]


def test_a_wrong_secret_at_github_shows(healthy: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The web process of this server really refuses what GitHub signs with another secret."""
    with serving(os.environ["BOUNCER_DATABASE_URL"], tmp_path, webhook_secret=SECRET) as web:
        monkeypatch.setenv("BOUNCER_PUBLIC_URL", web.address)
        healthy.app.webhook_url = f"{web.address}/webhook"
        for secret, outcome in (("another secret of GitHub's", CheckOutcome.FAIL), (SECRET, CheckOutcome.PASS)):
            healthy.app.webhook_secret = secret
            healthy.open_issue("acme/widgets", "It broke", "x")
            healthy.wait_for_webhooks()
            found = examine()
            assert outcomes(found["deliveries"]) == [outcome]
            assert outcomes(found["public address"]) == [CheckOutcome.PASS]
        healthy.app.webhook_url = f"{PUBLIC}/webhook"


def test_a_port_that_another_program_has_fails_and_bouncers_own_passes(healthy: FakeGitHub, tmp_path: Path) -> None:
    taken = urlsplit(healthy.web_url).port or 0
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    with serving(os.environ["BOUNCER_DATABASE_URL"], tmp_path, webhook_secret=SECRET) as web:
        own = urlsplit(web.address).port or 0
        found = [port_line(Settings(host="127.0.0.1", port=port)) for port in (taken, free, own)]
    assert outcomes(found) == [CheckOutcome.FAIL, CheckOutcome.PASS, CheckOutcome.PASS]
    assert "Address already in use" in found[0].says and "BOUNCER_PORT" in found[0].mend
    assert [says.says for says in found[1:]] == [
        f"127.0.0.1 port {free} is free",
        f"Bouncer listens on 127.0.0.1 port {own}",
    ]


@pytest.mark.parametrize(("path", "says"), [("", "is not Bouncer"), (None, "does not answer"), ("none", "none is set")])
def test_a_public_address_that_leads_elsewhere_is_warned_of(healthy: FakeGitHub, path: str | None, says: str) -> None:
    url = "" if path == "none" else "http://127.0.0.1:9" if path is None else healthy.web_url
    line = public_line(Settings(public_url=url))
    assert (line.outcome, says in line.says) == (CheckOutcome.WARN, True), line
