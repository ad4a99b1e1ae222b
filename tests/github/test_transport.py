"""What the environment says of the way to GitHub."""

import pytest

from bot.github.errors import Unavailable
from bot.github.transport import Transport
from fake_github import FakeGitHub

ELSEWHERE = "http://github.invalid/api/v3"


@pytest.fixture(autouse=True)
def proxied(fake_github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The only way to GitHub leads over a proxy, as which the fake serves."""
    for name in ("http_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", fake_github.web_url)


def test_the_proxy_of_the_environment_is_used() -> None:
    assert Transport(ELSEWHERE).send("GET", "/app", "").status == 401


def test_none_is_used_for_an_address_that_wants_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "github.invalid")
    with pytest.raises(Unavailable, match="no connection"):
        Transport(ELSEWHERE).send("GET", "/app", "")


def test_the_certificates_of_the_environment_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/etc/own.pem")
    assert Transport("https://github.invalid")._connection.verify == "/etc/own.pem"
