"""Signing in with GitHub: who may not see a repository there sees nothing here, and nobody is signed in by a trick."""

import logging
import re
from dataclasses import replace
from pathlib import Path
from time import monotonic, time
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from flask.testing import FlaskClient

from bot import settings_file
from bot.storage.database import Database
from bot.storage.judgements import Judgements
from bot.storage.repositories import Repositories, RepositoryRecord
from fake_github import FakeGitHub
from tests.support.cases import cases
from tests.webhooks.judged import NOW, judged, judgement
from tests.webhooks.signing_in import PUBLIC_URL, sent_back, sent_to_github, sign_in, with_sign_in
from tests.webhooks.test_receive import settings
from webhooks import access
from webhooks import sign_in as sign_in_module
from webhooks.app import create_app
from webhooks.session import LIFE
from webhooks.sign_in import own_path

SECRET_REPO = "acme/secret"


@pytest.fixture
def client(fake_github: FakeGitHub, url: str) -> FlaskClient:
    return create_app(with_sign_in(fake_github, url)).test_client()


@pytest.fixture
def path(fake_github: FakeGitHub, database: Database) -> str:
    """Of a page of a private repository."""
    repo = fake_github.create_repository(SECRET_REPO, private=True, collaborators={"maintainer": "read"})
    return page_of(database, repo.id, private=True)


def page_of(database: Database, repo_id: int, *, private: bool, name: str = SECRET_REPO) -> str:
    told = RepositoryRecord(repo_id=repo_id, installation_id=1, full_name=name, private=private, heard_at=NOW)
    Repositories(database).note_from_github([told])
    judgements = Judgements(database)
    judgements.keep(replace(judgement(judged(), run_id=f"judging:{repo_id}"), repo_id=repo_id, repository=name))
    return f"/verdicts/{judgements.trail(repo_id, 7)[0].token}"


def test_a_private_page_is_for_those_whom_github_shows_the_repository(
    client: FlaskClient, fake_github: FakeGitHub, path: str
) -> None:
    fake_github.install("acme", [SECRET_REPO])
    nobody = client.get(path)
    assert nobody.status_code == 403 and "Sign in with GitHub" in nobody.text and "the pot" not in nobody.text
    assert f'href="/login?next={path}"' in nobody.text
    back = sign_in(client, "maintainer", path)
    assert (back.status_code, back.headers["Location"]) == (302, path)
    shown = client.get(path).text
    assert "the pot is cold" in shown and "Only people to whom GitHub shows this repository" in shown
    sign_in(client, "reporter")
    stranger = client.get(path)
    assert (stranger.status_code, stranger.text) == (404, "404: Not Found\n")


def test_a_public_page_needs_no_sign_in_and_an_unknown_repository_is_private(
    client: FlaskClient, database: Database
) -> None:
    assert client.get(page_of(database, 77, private=False, name="acme/open")).status_code == 200
    judgements = Judgements(database)
    judgements.keep(replace(judgement(judged(), run_id="judging:1"), repo_id=78))
    assert client.get(f"/verdicts/{judgements.trail(78, 7)[0].token}").status_code == 403


def test_the_name_of_a_repository_that_is_another_one_by_now_opens_nothing(
    client: FlaskClient, fake_github: FakeGitHub, database: Database
) -> None:
    fake_github.create_repository(SECRET_REPO, private=True, collaborators={"maintainer": "read"})
    fake_github.install("acme", [SECRET_REPO])
    old = page_of(database, 1, private=True)
    sign_in(client)
    assert client.get(old).status_code == 404


def test_a_client_secret_that_was_changed_is_read_from_the_settings_file_again(
    client: FlaskClient, fake_github: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "app.env"
    monkeypatch.setenv(settings_file.VARIABLE, str(file))
    assert sign_in(client).status_code == 302
    other = client.application.test_client()
    sign_in(other)
    fake_github.client = (fake_github.client[0], "the new secret of the App")
    assert sign_in(client).status_code == 403  # the file does not have it yet
    file.write_text("BOUNCER_CLIENT_SECRET=the new secret of the App\n")
    assert sign_in(client).status_code == 302
    assert client.get("/repositories").status_code == 200
    assert other.get("/repositories").status_code == 403, "who had the old secret could make a cookie of anybody"


@cases
def test_without_its_settings_a_private_page_says_what_to_set(
    fake_github: FakeGitHub, url: str, path: str, left_out: str, named: str
) -> None:
    client = create_app(with_sign_in(fake_github, url, **{left_out: ""})).test_client()
    for address in (path, "/login", "/login/callback?code=1&state=1"):
        answer = client.get(address)
        assert answer.status_code == 403 and f"<code>{named}</code>" in answer.text, address
        assert "the pot" not in answer.text and "Set-Cookie" not in answer.headers
    plain = create_app(settings(url)).test_client().get(path).text
    assert all(name in plain for name in ("BOUNCER_CLIENT_ID", "BOUNCER_CLIENT_SECRET", "BOUNCER_PUBLIC_URL"))


def test_what_github_says_counts_for_minutes_only(
    client: FlaskClient, fake_github: FakeGitHub, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_github.install("acme", [SECRET_REPO])
    sign_in(client)
    fake_github.forget_calls()
    assert [client.get(path).status_code for _ in range(3)] == [200] * 3
    assert fake_github.calls()["GET", "/repos/{owner}/{repo}"] == 1
    fake_github.repo(SECRET_REPO).collaborators.clear()
    assert client.get(path).status_code == 200
    monkeypatch.setattr(access, "monotonic", lambda: monotonic() + access.SECONDS_SEEN + 1)
    assert client.get(path).status_code == 404


def test_whose_token_ended_is_asked_to_sign_in_again(client: FlaskClient, fake_github: FakeGitHub, path: str) -> None:
    sign_in(client)
    fake_github.user_tokens.clear()
    answer = client.get(path)
    assert answer.status_code == 403 and "Sign in again" in answer.text
    assert "bouncer=;" in answer.headers["Set-Cookie"]


def test_without_an_answer_of_github_nothing_is_shown(client: FlaskClient, fake_github: FakeGitHub, path: str) -> None:
    fake_github.install("acme", [SECRET_REPO])
    sign_in(client)
    fake_github.fail(502, times=1)
    answer = client.get(path)
    assert answer.status_code == 503 and "Retry-After" in answer.headers
    fake_github.limit_rate(retry_after=30)
    assert client.get(path).status_code == 503
    assert client.get(path).status_code == 200


def test_a_callback_counts_once_and_in_the_browser_that_asked(client: FlaskClient, fake_github: FakeGitHub) -> None:
    """Nobody can be signed in as somebody else by a link (login CSRF)."""
    other = client.application.test_client()
    callback = sent_back(sent_to_github(other), "reporter")
    refused = client.get(callback)
    assert refused.status_code == 403 and "not started in this browser" in refused.text
    sent_to_github(client)
    assert client.get(callback).status_code == 403  # another state
    assert other.get(callback).status_code == 302
    assert other.get(callback).status_code == 403


def test_it_has_to_be_finished_in_ten_minutes(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    callback = sent_back(sent_to_github(client), "maintainer")
    monkeypatch.setattr(sign_in_module, "time", lambda: time() + 601)
    assert client.get(callback).status_code == 403


def test_whoever_says_no_at_github_is_told(client: FlaskClient) -> None:
    answer = client.get(sent_back(sent_to_github(client) + "&deny=1", ""))
    assert answer.status_code == 403 and "GitHub did not sign you in." in answer.text


def test_a_refused_callback_uses_its_state_up(client: FlaskClient) -> None:
    address = sent_to_github(client)
    assert client.get(sent_back(f"{address}&deny=1", "")).status_code == 403
    assert "not started in this browser" in client.get(sent_back(address, "maintainer")).text


def test_a_wrong_secret_is_named(fake_github: FakeGitHub, url: str) -> None:
    client = create_app(with_sign_in(fake_github, url, client_secret="wrong")).test_client()
    answer = sign_in(client)
    assert answer.status_code == 403 and "BOUNCER_CLIENT_SECRET" in answer.text


def test_the_code_is_bound_to_the_browser_by_pkce(client: FlaskClient) -> None:
    """A code that somebody caught is worth nothing: the challenge of their own flow does not fit."""
    caught = parse_qs(urlsplit(sent_back(sent_to_github(client.application.test_client()), "maintainer")).query)["code"]
    own = parse_qs(urlsplit(sent_to_github(client)).query)
    assert own["code_challenge_method"] == ["S256"] and len(own["code_challenge"][0]) == 43
    answer = client.get("/login/callback", query_string={"code": caught[0], "state": own["state"][0]})
    assert answer.status_code == 403 and "did not accept" in answer.text


def test_a_session_is_new_at_every_sign_in_and_does_not_outlive_its_day(
    client: FlaskClient, url: str, fake_github: FakeGitHub
) -> None:
    """What an attacker planted before (fixation) is gone after signing in, as is the person before."""
    with client.session_transaction() as planted:
        planted["csrf"], planted["planted"] = "known", "yes"
    sign_in(client, "reporter")
    with client.session_transaction() as first:
        seen = dict(first)
    assert set(seen) == {"_permanent", "login", "csrf", "token"} and seen["csrf"] != "known"
    sign_in(client, "maintainer")
    with client.session_transaction() as second:
        assert second["login"] == "maintainer" and second["csrf"] != seen["csrf"]
    answer = client.get("/")
    assert "Set-Cookie" not in answer.headers  # it is not made longer by coming back
    assert client.application.permanent_session_lifetime == LIFE


@pytest.mark.parametrize(("public_url", "flags"), [(PUBLIC_URL, False), ("https://b.example.com", True)])
def test_the_cookie(fake_github: FakeGitHub, url: str, public_url: str, flags: bool) -> None:
    client = create_app(with_sign_in(fake_github, url, public_url=public_url)).test_client()
    answer = client.get("/login")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Path=/" in cookie and "Domain" not in cookie
    assert ("Secure" in cookie) is flags and cookie.startswith("__Host-bouncer=" if flags else "bouncer=")
    assert answer.headers["Cache-Control"] == "private, no-store"


def test_a_cookie_that_was_changed_or_made_with_another_secret_is_nothing(
    client: FlaskClient, fake_github: FakeGitHub, url: str, path: str
) -> None:
    sign_in(client)
    cookie = client.get_cookie("bouncer")
    assert cookie is not None
    other = create_app(with_sign_in(fake_github, url, client_secret="another")).test_client()
    other.set_cookie("bouncer", cookie.value)
    assert other.get(path).status_code == 403
    client.set_cookie("bouncer", ("A" if cookie.value[0] != "A" else "B") + cookie.value[1:])
    assert client.get(path).status_code == 403


def test_the_token_is_in_no_log_and_not_readable_in_the_cookie(
    client: FlaskClient, fake_github: FakeGitHub, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    fake_github.install("acme", [SECRET_REPO])
    callback = sent_back(sent_to_github(client), "maintainer")
    client.get(callback)
    (token,) = fake_github.user_tokens
    fake_github.fail(500, times=1)
    client.get(path)
    fake_github.user_tokens.clear()
    client.get(path)
    with client.session_transaction() as session:
        assert token not in str(dict(session))
    code = parse_qs(urlsplit(callback).query)["code"][0]
    for secret in (token, code, fake_github.client[1]):
        assert secret not in caplog.text


@pytest.mark.parametrize(
    "wanted",
    [
        *("https://evil.example", "//evil.example", "/\\evil.example", "/%2f/evil.example", "javascript:alert(1)"),
        *("/repositories/../../evil", "/repositories/a/b/c", "/repositories@evil.example", "/repositories\r\nX: y"),
        *("/repositories/a/b?days=30#//evil", "/repositories/a/b?door=/evil", "/repositories/a/b?run=%0d%0a\r\nX: y"),
        *("/welcome/short", f"/welcome/{'a' * 32}?days=30", f"/repositories/a/b?{'&'.join(['days=30'] * 6)}"),
        *("/login", "/verdicts/short", "/repositories/a/b?x=//evil", "repositories", "", "/repositories/a/b\n"),
    ],
)
def test_nobody_is_sent_to_another_place(client: FlaskClient, wanted: str) -> None:
    """No open redirect, and no header that a stranger writes."""
    assert own_path(wanted) == "/repositories"
    answer = sign_in(client, back=wanted)
    assert answer.headers["Location"] == "/repositories" and "X" not in answer.headers


@pytest.mark.parametrize(
    "wanted",
    [
        *("/repositories", "/repositories/acme/secret.js", f"/verdicts/{'a' * 32}", f"/welcome/{'a' * 32}"),
        "/repositories/acme/secret?days=30&door=&decision=bounce&before=2026-01-31T12%3A00%3A00%2B00%3A00&run=gate%3A1",
    ],
)
def test_own_pages_are_gone_back_to(client: FlaskClient, wanted: str) -> None:
    assert sign_in(client, back=wanted).headers["Location"] == wanted


def test_what_was_chosen_on_a_dashboard_outlives_signing_in(client: FlaskClient, fake_github: FakeGitHub) -> None:
    """By the link that a person is shown; that of a callback that failed does not repeat its code."""
    chosen = "/repositories/acme/secret?days=30&door=issues&before=2026-01-31T12%3A00%3A00%2B00%3A00"
    link = re.search(r'href="/login\?next=([^"]+)"', client.get(chosen).text)
    assert link is not None
    assert sign_in(client, "maintainer", unquote(link[1])).headers["Location"] == chosen
    failed = client.get("/login/callback?code=caught&state=other").text
    assert 'href="/login?next=/repositories"' in failed and "caught" not in failed


def test_it_works_under_a_path(fake_github: FakeGitHub, url: str) -> None:
    client = create_app(with_sign_in(fake_github, url, public_url=f"{PUBLIC_URL}/bouncer")).test_client()
    address = sent_to_github(client)
    assert parse_qs(urlsplit(address).query)["redirect_uri"] == [f"{PUBLIC_URL}/bouncer/login/callback"]
    callback = sent_back(address, "maintainer").removeprefix("/bouncer")
    assert client.get(callback).headers["Location"] == "/bouncer/repositories"


def test_signing_out_takes_the_form_of_this_server(
    client: FlaskClient, fake_github: FakeGitHub, path: str, url: str
) -> None:
    """A form on another site signs nobody out; afterwards the token is worth nothing either."""
    fake_github.install("acme", [SECRET_REPO])
    sign_in(client)
    assert client.get("/logout").status_code == 405
    for sent in ({}, {"csrf": ""}, {"csrf": "guessed"}, {"csrf": "é"}):
        assert client.post("/logout", data=sent).status_code == 403
    assert client.get(path).status_code == 200
    with client.session_transaction() as session:
        csrf = session["csrf"]
    cookie = client.get_cookie("bouncer")
    answer = client.post("/logout", data={"csrf": csrf})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert client.get(path).status_code == 403
    assert not fake_github.user_tokens
    assert cookie is not None
    for app in (client.application, create_app(with_sign_in(fake_github, url))):  # the first asked GitHub just now
        thief = app.test_client()
        thief.set_cookie("bouncer", cookie.value)
        assert "Sign in again" in thief.get(path).text
    assert client.post("/logout").status_code == 302  # nobody is signed in
