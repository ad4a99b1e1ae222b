"""Signing in as a browser does, against the fake GitHub."""

from urllib.parse import urlsplit

import requests
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from bot.settings import Settings
from fake_github import FakeGitHub
from tests.webhooks.test_receive import settings

PUBLIC_URL = "http://127.0.0.1:8000"


def with_sign_in(fake: FakeGitHub, database_url: str, **given: str) -> Settings:
    """Settings of a server where people can sign in."""
    keys = ("client_id", "client_secret", "github_api_url", "github_web_url")
    told = {key: fake.environment()[f"BOUNCER_{key.upper()}"] for key in keys}
    return settings(database_url, **{"public_url": PUBLIC_URL, **told, **given})


def sent_to_github(client: FlaskClient, back: str = "") -> str:
    """Where the browser is sent to sign in."""
    answer = client.get("/login", query_string={"next": back} if back else {})
    assert answer.status_code == 302
    return answer.headers["Location"]


def sent_back(address: str, login: str) -> str:
    """Where GitHub sends the browser once this person agreed, without the host."""
    answer = requests.get(f"{address}&login={login}", allow_redirects=False, timeout=120)
    back = urlsplit(answer.headers["Location"])
    assert f"{back.scheme}://{back.netloc}" == PUBLIC_URL
    return f"{back.path}?{back.query}"


def sign_in(client: FlaskClient, login: str = "maintainer", back: str = "") -> TestResponse:
    """All of it; the answer of the callback."""
    return client.get(sent_back(sent_to_github(client, back), login))
