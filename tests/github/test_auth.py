"""The App's key and the installations' tokens."""

import logging
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import SecretStr

from bot.github import auth
from bot.github.app import GitHubApp
from bot.github.client import RepositoryClient
from bot.github.errors import NotFound, NoToken, Unauthorized
from bot.settings import Settings, SettingsError
from fake_github import FakeGitHub
from fake_github.access import new_private_key, public_half
from tests.github.conftest import Hours, make_app, make_client

TOKENS = ("POST", "/app/installations/{installation_id}/access_tokens")


def settings(**given: object) -> Settings:
    return Settings.model_validate({"app_id": 1, **given})


def elliptic_key() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    kind = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption()).decode()


def locked_key(pem: str) -> str:
    key = serialization.load_pem_private_key(pem.encode(), None)
    kind = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, kind, serialization.BestAvailableEncryption(b"x")).decode()


def test_settings_make_an_app(fake_github: FakeGitHub, tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text(fake_github.private_key)
    address = {"app_id": fake_github.app.id, "github_api_url": fake_github.url}
    one_line = fake_github.private_key.replace("\n", "\\n")
    for key in (
        {"private_key": SecretStr(fake_github.private_key)},
        {"private_key": SecretStr(one_line)},
        {"private_key_path": path},
    ):
        assert GitHubApp.from_settings(settings(**address, **key)).slug == "bouncer"


def test_unusable_settings_are_refused_with_the_mend(fake_github: FakeGitHub, tmp_path: Path) -> None:
    pem = fake_github.private_key
    binary = tmp_path / "binary.pem"
    binary.write_bytes(b"\xff\x00")
    cases: list[tuple[dict[str, object], str]] = [
        ({"app_id": None, "private_key": pem}, "BOUNCER_APP_ID"),
        ({}, "private key is missing"),
        ({"private_key": "  "}, "private key is missing"),
        ({"private_key": pem[:200]}, "BOUNCER_PRIVATE_KEY contains no private key"),
        ({"private_key": "not a key"}, "whole .pem file"),
        ({"private_key": elliptic_key()}, "not an RSA key"),
        ({"private_key": locked_key(pem)}, "passphrase"),
        ({"private_key_path": tmp_path / "none.pem"}, "No such file"),
        ({"private_key_path": tmp_path}, "cannot be read"),
        ({"private_key_path": binary}, "not a PEM file"),
        ({"private_key": pem, "github_api_url": "github.example.com"}, "BOUNCER_GITHUB_API_URL"),
    ]
    for given, expected in cases:
        with pytest.raises(SettingsError, match=re.escape(expected)) as caught:
            GitHubApp.from_settings(settings(**given))
        assert pem[100:140] not in str(caught.value)
        assert caught.value.__cause__ is None


def test_another_apps_key_is_unauthorized(fake_github: FakeGitHub) -> None:
    stranger = GitHubApp(fake_github.app.id, new_private_key(), fake_github.url, seconds_between_writes=0)
    with pytest.raises(Unauthorized):
        stranger.slug  # noqa: B018
    wrong_id = GitHubApp(1, fake_github.private_key, fake_github.url, seconds_between_writes=0)
    with pytest.raises(Unauthorized):
        wrong_id.slug  # noqa: B018


@pytest.mark.parametrize("place", ["a file of its own", "the settings file"])
def test_a_key_that_is_replaced_while_it_runs_is_used(
    fake_github: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """From the first call that GitHub refuses, in every thread, without a restart."""
    old, new = fake_github.private_key, new_private_key()
    file = tmp_path / "key"
    given: dict[str, object] = {"private_key_path": file}
    if place == "the settings file":
        monkeypatch.setenv("BOUNCER_SETTINGS_FILE", str(file))
        given = {"private_key": old}

    def write(pem: str) -> None:
        one_line = "BOUNCER_PRIVATE_KEY=" + pem.replace("\n", "\\n") + "\n"
        file.write_text(one_line if place == "the settings file" else pem)

    write(old)
    app = GitHubApp.from_settings(settings(app_id=fake_github.app.id, github_api_url=fake_github.url, **given))
    assert app.installations() is not None
    write(new)
    assert app.installations() is not None, "the old key is good while GitHub takes it"
    fake_github.app.public_key = public_half(new)
    with ThreadPoolExecutor(8) as threads:
        assert len(list(threads.map(lambda _: app.installations(), range(8)))) == 8
    fake_github.app.public_key = public_half(old)
    write("no key at all")
    with pytest.raises(Unauthorized):
        app.installations()


def test_one_token_serves_all_threads_and_repositories(fake_github: FakeGitHub, github_app: GitHubApp) -> None:
    number = fake_github.open_issue("acme/widgets", "It broke", "help")
    fake_github.slow_down(0.05, method="POST", route="/access_tokens")
    with ThreadPoolExecutor(8) as pool:
        clients = [make_client(fake_github, github_app) for _ in range(8)]
        found = list(pool.map(lambda client: client.get_issue(number).number, clients))
    assert found == [number] * 8
    assert fake_github.calls()[TOKENS] == 1


def test_threads_do_not_mix_up_their_requests(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    """PyGithub's requester keeps the request in flight in an object that threads would share."""
    numbers = [fake_github.open_issue("acme/widgets", f"Issue {place}", "") for place in range(20)] * 5
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda number: repository_client.get_issue(number).number, numbers)) == numbers


def test_a_token_is_renewed_before_it_ends(fake_github: FakeGitHub, hours: Hours) -> None:
    client = make_client(fake_github, make_app(fake_github, hours))
    client.about()
    hours.time += 54 * 60
    client.about()
    assert fake_github.calls()[TOKENS] == 1
    hours.time += 2 * 60
    client.about()
    assert fake_github.calls()[TOKENS] == 2
    assert [call.status for call in fake_github.traffic.exchanges if call.status == 401] == []


def test_a_refused_token_is_replaced_once(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    number = fake_github.open_issue("acme/widgets", "It broke", "help")
    repository_client.about()
    fake_github.expire_tokens()
    repository_client.create_comment(number, "Hello")
    assert len(fake_github.issue("acme/widgets", number).comments) == 1
    assert fake_github.calls()[TOKENS] == 2
    fake_github.fail(401, times=10, route="/repos/{owner}/{repo}")
    with pytest.raises(Unauthorized):
        repository_client.about()
    assert fake_github.calls()[TOKENS] == 3


def test_no_token_for_a_removed_or_suspended_installation(
    fake_github: FakeGitHub, fake_installation: int, github_app: GitHubApp, repository_client: RepositoryClient
) -> None:
    fake_github.suspend(fake_installation)
    assert [each.suspended for each in github_app.installations()] == [True]
    with pytest.raises(NoToken):
        repository_client.about()
    fake_github.uninstall(fake_installation)
    for act in (
        repository_client.about,
        lambda: repository_client.get_file("README.md"),
        lambda: repository_client.permission("maintainer"),
        lambda: repository_client.remove_label(1, "bug"),
    ):
        with pytest.raises(NoToken):
            act()
    assert github_app.installations() == ()


@pytest.mark.parametrize("status", [403, 404, 410, 422])
def test_a_token_that_is_refused_says_nothing_about_what_was_asked_for(
    fake_github: FakeGitHub, repository_client: RepositoryClient, status: int
) -> None:
    """Nobody takes it for a comment that was deleted, or for a change that is too large."""
    fake_github.fail(status, route="/access_tokens")
    with pytest.raises(NoToken) as refused:
        repository_client.get_comment(1)
    assert not isinstance(refused.value, NotFound)
    assert repository_client.about().default_branch == "main"


def test_a_repository_the_installation_does_not_cover_is_not_found(
    fake_github: FakeGitHub, fake_installation: int, repository_client: RepositoryClient
) -> None:
    number = fake_github.open_issue("acme/widgets", "It broke", "help")
    fake_github.repo("acme/widgets").private = True
    fake_github.remove_repositories(fake_installation, ["acme/widgets"])
    with pytest.raises(NotFound):
        repository_client.get_issue(number)


def test_secrets_stay_out_of_errors_and_logs(
    fake_github: FakeGitHub, hours: Hours, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, logger="github")  # PyGithub's own, which it keeps at INFO unless told otherwise
    repository_client = make_client(fake_github, make_app(fake_github, hours))
    repository_client.about()
    messages = []
    for route, status in (("/repos/{owner}/{repo}", 500), ("/repos/{owner}/{repo}", 404), ("/access_tokens", 403)):
        fake_github.expire_tokens()
        fake_github.fail(status, times=4, route=route, message="no")
        with pytest.raises(Exception) as caught:
            repository_client.about()
        messages += [repr(caught.value), str(caught.value.__cause__)]
        fake_github.traffic.clear()
    fake_github.stop()
    with pytest.raises(Exception) as caught:
        repository_client.about()
    messages += [repr(caught.value), str(caught.value.__cause__)]
    said = "\n".join([*messages, caplog.text])
    assert fake_github.tokens and not any(token in said for token in fake_github.tokens)
    assert "eyJ" not in said, "the App's own token"
    assert "127.0.0.1" not in "".join(messages)


def test_github_enterprise_server_has_its_api_under_a_path(fake_github: FakeGitHub) -> None:
    assert fake_github.url.endswith("/api/v3")
    key = SecretStr(fake_github.private_key)
    given = settings(app_id=fake_github.app.id, private_key=key, github_api_url=fake_github.url + "/")
    assert GitHubApp.from_settings(given).slug == "bouncer"
    assert [call.path for call in fake_github.traffic.exchanges] == ["/app"]


def test_the_key_is_read_once_for_all_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading it takes 80 times as long as signing."""
    reads = list[bytes]()

    def read(pem: bytes, password: bytes | None) -> Any:
        reads.append(pem)
        return serialization.load_pem_private_key(pem, password)

    monkeypatch.setattr(auth, "load_pem_private_key", read)
    token = auth.AppToken(1, new_private_key())
    assert token.header().startswith("Bearer ") and token.header().startswith("Bearer ")
    assert len(reads) == 1
