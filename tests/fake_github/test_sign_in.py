"""The fake's sign-in refuses what GitHub refuses, and its tokens see what their person sees."""

from collections.abc import Iterator

import pytest
import requests
from pydantic import SecretStr

from bot.github.errors import NotFound, Unauthorized
from bot.github.people import SignInApp
from fake_github import FakeGitHub

CALLBACK = "http://127.0.0.1:8000/login/callback"
VERIFIER, CHALLENGE = "a" * 43, "ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA"


@pytest.fixture
def app(fake_github: FakeGitHub) -> Iterator[SignInApp]:
    client, secret = fake_github.client
    yield SignInApp(fake_github.web_url, fake_github.url, client, SecretStr(secret), CALLBACK)


def test_a_code_counts_once_for_ten_minutes_with_its_verifier(fake_github: FakeGitHub, app: SignInApp) -> None:
    fake = fake_github.sign_in
    code = fake.code("maintainer", CALLBACK, CHALLENGE)
    token = app.token(code, VERIFIER)
    assert app.login(token) == "maintainer"
    with pytest.raises(Unauthorized, match="bad_verification_code"):
        app.token(code, VERIFIER)
    with pytest.raises(Unauthorized, match="bad_verification_code"):
        app.token(fake.code("maintainer", CALLBACK, CHALLENGE), "b" * 43)
    with pytest.raises(Unauthorized, match="redirect_uri_mismatch"):
        app.token(fake.code("maintainer", "http://localhost/other", CHALLENGE), VERIFIER)
    assert token not in repr(app) and "fake-client-secret" not in repr(app)


def test_only_the_app_and_its_own_callbacks_are_known(fake_github: FakeGitHub, app: SignInApp) -> None:
    address = app.authorize_url("state", CHALLENGE)
    assert "maintainer" in requests.get(address, timeout=5).text
    for wrong in (address.replace("127.0.0.1%3A8000", "evil.example"), address.replace("client_id=", "client_id=x")):
        assert requests.get(wrong, timeout=5).status_code == 404
    fake_github.sign_in.callbacks.append("http://127.0.0.1:9/other")
    assert requests.get(address, timeout=5).status_code == 404


def test_a_token_sees_what_its_person_sees(fake_github: FakeGitHub, app: SignInApp) -> None:
    fake_github.create_repository("acme/secret", private=True, collaborators={"maintainer": "read"})
    fake_github.create_repository("acme/apart", private=True, collaborators={"maintainer": "admin"})
    installation = next(iter(fake_github.installations))
    fake_github.add_repositories(installation, ["acme/secret"])
    maintainer, stranger = (fake_github.sign_in.token(login) for login in ("maintainer", "reporter"))
    assert [each.full_name for each in app.repositories(maintainer)] == ["acme/widgets", "acme/secret"]
    assert list(app.repositories(stranger)) == []
    assert app.repository(maintainer, "acme/secret").full_name == "acme/secret"
    assert app.repository(stranger, "acme/widgets").full_name == "acme/widgets"  # anybody may see it
    for token, name in (
        (stranger, "acme/secret"),
        (maintainer, "acme/apart"),
        (maintainer, "../user"),
        (maintainer, "a"),
    ):
        with pytest.raises(NotFound):
            app.repository(token, name)
    app.revoke(maintainer)
    with pytest.raises(Unauthorized):
        app.login(maintainer)
