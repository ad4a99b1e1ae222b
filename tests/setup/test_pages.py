"""The pages of setting up, over the real application and the fake GitHub: each step, and each way to fail."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from werkzeug.test import Client, TestResponse

from bot import settings_file
from bot.github.events import Delivery
from bot.settings import Settings, load
from bot.setup import pages
from bot.setup.application import SetupApplication, open_for_setup
from bot.setup.flow import Guard, SetupFlow
from bot.storage.database import Database
from bot.storage.heartbeats import Apps
from bot.storage.inbox import Inbox
from bot.storage.installations import Installations
from bot.storage.tokens import new_token
from bot.storage.welcomes import Welcome, Welcomes
from fake_github import FakeGitHub
from tests.support.cases import cases
from tests.support.databases import Databases

PUBLIC = "http://bouncer.example.com"


class Walk:
    """A browser at the pages of one server; `github` is asked over real HTTP."""

    def __init__(self, settings: Settings, github: FakeGitHub) -> None:
        self.guard = Guard()
        self.github = github
        self.application = SetupApplication(settings, self.guard)
        self.client = self.other()

    def other(self) -> Client:
        """Another browser."""
        return Client(self.application, TestResponse)

    def get(self, path: str) -> TestResponse:
        return self.client.get(path, base_url=PUBLIC)

    def post(self, path: str, **fields: str) -> TestResponse:
        return self.client.post(path, base_url=PUBLIC, data={"form_mark": self.guard.form_mark, **fields})

    def enter(self) -> None:
        found = self.get(f"/setup?token={self.guard.token}")
        assert (found.status_code, found.headers["Location"]) == (303, "/setup")

    def register(self, *, name: str = "") -> str:
        """Press the button, confirm at GitHub; the address GitHub sends the browser back to."""
        page = self.get("/setup").text
        action = unescape(re.findall(r'action="([^"]+/apps/new[^"]*)"', page)[0])
        manifest = unescape(re.findall(r'name="manifest" value="([^"]+)"', page)[0])
        shown = requests.post(action, data={"manifest": manifest}, timeout=120)
        assert shown.ok, shown.text
        form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', shown.text))
        form = {field: unescape(value) for field, value in form.items()} | ({"name": name} if name else {})
        sent = requests.post(f"{self.github.web_url}/settings/apps", data=form, timeout=120, allow_redirects=False)
        back = urlsplit(sent.headers["Location"])
        assert f"{back.scheme}://{back.netloc}" == PUBLIC
        return f"{back.path}?{back.query}"


@pytest.fixture
def database_url(databases: Databases) -> str:
    return databases.migrated()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(settings_file.VARIABLE, str(tmp_path / "app.env"))
    return tmp_path / "app.env"


@pytest.fixture
def settings(fake_github: FakeGitHub, database_url: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("BOUNCER_DATABASE_URL", database_url)  # the application reads it anew
    return load(setup=True, public_url=PUBLIC, github_web_url=fake_github.web_url, github_api_url=fake_github.url)


@pytest.fixture
def walk(settings: Settings, fake_github: FakeGitHub) -> Walk:
    return Walk(settings, fake_github)


def test_from_nothing_to_an_app_that_takes_deliveries(walk: Walk, file: Path, database_url: str) -> None:
    assert walk.post("/webhook").status_code == walk.get("/readyz").status_code == walk.get("/").status_code == 503
    assert walk.get("/healthz").text == "alive\n"
    assert walk.get("/repositories").text == "404: Not Found\n"
    lost = walk.client.get("/repositories", base_url=PUBLIC, headers={"Accept": "text/html"})
    assert (lost.status_code, "Bouncer is not set up yet" in lost.text) == (404, True)
    walk.enter()
    found = walk.get(walk.register(name="Tea Bouncer"))
    assert (found.status_code, found.headers["Location"]) == (303, "/setup/done")
    app = walk.github.app
    kept = load()
    assert (kept.app_id, kept.public_url, app.slug) == (app.id, PUBLIC, "tea-bouncer")
    assert kept.webhook_secret and kept.webhook_secret.get_secret_value() == app.webhook_secret
    assert app.webhook_url == f"{PUBLIC}/webhook"
    assert file.stat().st_mode & 0o777 == 0o600
    page = walk.get("/setup/done").text
    assert f"{walk.github.web_url}/apps/tea-bouncer/installations/new" in page
    for secret in (app.webhook_secret, "PRIVATE KEY", "BOUNCER_CLIENT_SECRET"):
        assert secret not in page
    assert walk.post("/webhook").status_code == 401  # the usual door, which takes what is signed
    assert walk.get("/").status_code == 200
    database = Database.open(database_url)
    assert Apps(database).any()
    assert not open_for_setup(load(setup=True), database)
    database.close()


def test_the_end_leads_to_the_welcome_pages(walk: Walk, database_url: str) -> None:
    walk.enter()
    walk.get(walk.register())
    assert "/welcome/" not in walk.get("/setup/done").text
    database = Database.open(database_url)
    welcome = Welcome(7, 1, "acme/widgets", new_token(), "main", datetime(2026, 5, 1, tzinfo=UTC), ())
    Welcomes(database).save(welcome)
    database.close()
    assert f'<a href="{PUBLIC}/welcome/{welcome.token}">What Bouncer would have said' in walk.get("/setup/done").text


@pytest.mark.parametrize(("action", "done"), [("install", True), ("update", True), ("request", False), ("", False)])
def test_who_comes_back_from_installing_is_not_asked_to_install(walk: Walk, action: str, done: bool) -> None:
    """GitHub says `request` where an organisation's owners have to agree first."""
    walk.enter()
    assert walk.get(f"/installed?setup_action={action}").headers["Location"].startswith("/setup/done")
    walk.get(walk.register())
    back = walk.get(f"/installed?installation_id=7&setup_action={action}").headers["Location"]
    page = walk.get(back).text
    assert ("It is installed." in page, "Install it on GitHub" in page) == (done, not done)
    assert "Check everything" in page


def test_the_form_asks_for_what_the_app_needs_and_for_no_more(walk: Walk) -> None:
    walk.enter()
    page = walk.get("/setup")
    manifest = json.loads(unescape(re.findall(r'name="manifest" value="([^"]+)"', page.text)[0]))
    assert manifest["redirect_url"] == f"{PUBLIC}/setup/created"
    assert (manifest["setup_url"], manifest["callback_urls"]) == (f"{PUBLIC}/installed", [f"{PUBLIC}/login/callback"])
    assert manifest["public"] is False
    policy = page.headers["Content-Security-Policy"]
    assert f"form-action 'self' {walk.github.web_url}" in policy and "default-src 'none'" in policy
    assert (page.headers["Referrer-Policy"], page.headers["Cache-Control"]) == ("no-referrer", "private, no-store")


def test_an_organisation_owns_the_app_where_one_is_given(walk: Walk) -> None:
    walk.enter()
    assert walk.post("/setup", organization="tea-house").status_code == 303
    assert "/organizations/tea-house/settings/apps/new?state=" in walk.get("/setup").text
    assert walk.get(walk.register()).status_code == 303
    assert (walk.github.app.owner.login, walk.github.app.slug) == ("tea-house", "bouncer-tea-house")


@cases
def test_what_cannot_be_used_is_said_and_changes_nothing(walk: Walk, fields: dict[str, str], says: str) -> None:
    walk.enter()
    before = walk.get("/setup").text.count("settings/apps/new")
    found = walk.post("/setup", **fields)
    assert (found.status_code, says in found.text, "Traceback" in found.text) == (400, True, False)
    assert walk.get("/setup").text.count("settings/apps/new") == before == 1


def test_a_github_enterprise_server_owns_the_app_where_one_is_given(database_url: str, file: Path) -> None:
    guard = Guard()
    given = load(setup=True, database_url=database_url, public_url=PUBLIC)
    client = Client(SetupApplication(given, guard), TestResponse)
    client.get(f"/setup?token={guard.token}", base_url=PUBLIC)
    form = {"form_mark": guard.form_mark, "github": "https://github.example.com/", "organization": "tea-house"}
    assert client.post("/setup", base_url=PUBLIC, data=form).status_code == 303
    page = client.get("/setup", base_url=PUBLIC)
    assert 'action="https://github.example.com/organizations/tea-house/settings/apps/new?state=' in page.text
    assert "form-action 'self' https:" in page.headers["Content-Security-Policy"]


def test_a_server_that_was_chosen_gives_the_credentials_and_is_stored_with_them(
    fake_github: FakeGitHub, database_url: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No setting names it: the form does, and its REST address is that of an Enterprise server, `/api/v3`."""
    monkeypatch.setenv("BOUNCER_DATABASE_URL", database_url)
    walk = Walk(load(setup=True, public_url=PUBLIC), fake_github)
    walk.enter()
    assert walk.post("/setup", github=f"{fake_github.web_url}/", organization="tea-house").status_code == 303
    assert walk.get(walk.register()).headers["Location"] == "/setup/done"
    kept = load()
    assert (kept.github_web_url, kept.github_api_url) == (fake_github.web_url, f"{fake_github.web_url}/api/v3")
    assert (kept.app_id, fake_github.app.owner.login) == (fake_github.app.id, "tea-house")


def test_below_a_path_of_a_proxy_every_step_stays_there(settings: Settings, fake_github: FakeGitHub) -> None:
    walk = Walk(settings.model_copy(update={"public_url": f"{PUBLIC}/bouncer"}), fake_github)
    found = walk.get(f"/setup?token={walk.guard.token}")
    assert found.headers["Location"] == "/bouncer/setup"
    page = walk.get("/setup").text
    assert 'action="/bouncer/setup"' in page and 'href="/bouncer/verdicts/static/pages.css"' in page
    manifest = json.loads(unescape(re.findall(r'name="manifest" value="([^"]+)"', page)[0]))
    assert manifest["hook_attributes"]["url"] == f"{PUBLIC}/bouncer/webhook"
    assert manifest["redirect_url"] == f"{PUBLIC}/bouncer/setup/created"


def test_without_an_address_it_asks_for_one_first(settings: Settings, fake_github: FakeGitHub) -> None:
    walk = Walk(settings.model_copy(update={"public_url": ""}), fake_github)
    walk.enter()
    page = walk.get("/setup").text
    assert "Where will GitHub reach this server?" in page and "apps/new" not in page
    assert walk.post("/setup/import", app_id="1", private_key="x").status_code == 400
    assert walk.post("/setup", public_url="nowhere").status_code == 400
    assert walk.post("/setup", public_url=f"{PUBLIC}/").status_code == 303
    assert walk.get(walk.register()).status_code == 303
    assert load().public_url == PUBLIC


def test_an_address_that_github_cannot_reach_is_warned_of(database_url: str, file: Path) -> None:
    settings = load(setup=True, database_url=database_url, public_url="http://localhost:8000")
    guard = Guard()
    client = Client(SetupApplication(settings, guard), TestResponse)
    client.get(f"/setup?token={guard.token}")
    assert "github.com cannot reach localhost:8000" in client.get("/setup").text


def test_a_stranger_gets_nothing(walk: Walk) -> None:
    walk.enter()
    stranger = walk.other()
    for path in ("/setup", "/setup/done", f"/setup?token={walk.guard.token}", "/setup?token=wrong", "/installed"):
        found = stranger.get(path, base_url=PUBLIC)
        assert (found.status_code, "Set-Cookie" in found.headers) == (403, False), path
        assert walk.guard.state not in found.text and "manifest" not in found.text
    for path in ("/setup", "/setup/import", "/setup/save", "/setup/check"):
        assert stranger.post(path, base_url=PUBLIC).status_code == 403
    created = f"/setup/created?code=abc&state={walk.guard.state}"
    assert stranger.get(created, base_url=PUBLIC).status_code == 403
    assert "This page is closed" not in walk.get("/setup").text


@pytest.mark.parametrize("mark", [{}, {"form_mark": ""}, {"form_mark": "guessed"}, {"form_mark": "é"}])
@pytest.mark.parametrize("path", ["/setup", "/setup/import", "/setup/save", "/setup/check"])
def test_a_form_from_another_page_is_refused(walk: Walk, path: str, mark: dict[str, str]) -> None:
    """A browser sends the cookie along for pages of neighbouring hosts, and may hide where a form came from."""
    walk.enter()
    data = {"github": "https://evil.example", "app_id": "5", "private_key": "x", **mark}
    found = walk.client.post(path, base_url=PUBLIC, data=data, headers={"Origin": "null"})
    assert (found.status_code, "came from another page" in found.text) == (403, True)
    assert "evil.example" not in walk.get("/setup").text


def test_the_cookie_is_for_this_server_alone(walk: Walk) -> None:
    link = f"/setup?token={walk.guard.token}"
    cookie = walk.other().get(link, base_url="https://bouncer.example.com").headers["Set-Cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=Lax", "Secure", "Path=/"))
    assert walk.guard.token not in cookie


@pytest.mark.parametrize("host", ["bouncer.example.com", "127.0.0.1:8000"])
def test_behind_a_proxy_the_public_address_counts_and_not_what_the_proxy_asks_for(
    settings: Settings, fake_github: FakeGitHub, host: str
) -> None:
    """The proxy comes over http, and unless it is told otherwise nginx names in `Host` what it asks: 127.0.0.1."""
    walk = Walk(settings.model_copy(update={"public_url": "https://bouncer.example.com/tea"}), fake_github)
    answer = walk.client.get(f"/setup?token={walk.guard.token}", base_url=f"http://{host}")
    assert answer.headers["Location"] == "/tea/setup"
    assert "Secure" in answer.headers["Set-Cookie"]
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    same = Client(walk.application, TestResponse, use_cookies=False)
    page = same.get("/setup", base_url=f"http://{host}", headers={"Cookie": cookie}).text
    manifest = json.loads(unescape(re.findall(r'name="manifest" value="([^"]+)"', page)[0]))
    assert manifest["redirect_url"] == "https://bouncer.example.com/tea/setup/created"


@pytest.mark.parametrize("change", [{"state": "other"}, {"state": ""}])
def test_a_code_without_the_right_mark_is_not_used(walk: Walk, change: dict[str, str]) -> None:
    walk.enter()
    back = urlsplit(walk.register())
    query = {name: values[0] for name, values in parse_qs(back.query).items()} | change
    found = walk.client.get(back.path, base_url=PUBLIC, query_string=query)
    assert (found.status_code, "its state value is missing" in found.text) == (400, True)
    assert not load().has_app


@pytest.mark.parametrize("code", ["", "../../app", "a" * 101, "0" * 40])
def test_a_code_that_github_does_not_know_is_said_plainly(walk: Walk, code: str) -> None:
    walk.enter()
    found = walk.client.get("/setup/created", base_url=PUBLIC, query_string={"code": code, "state": walk.guard.state})
    assert (found.status_code, "egin again" in found.text, "Traceback" in found.text) == (400, True, False)
    assert not load().has_app


def test_a_code_works_once_and_for_an_hour(walk: Walk, fake_github: FakeGitHub) -> None:
    walk.enter()
    back = walk.register()
    late = datetime.now(UTC) + timedelta(hours=2)
    fake_github.clock, now = (lambda: late), fake_github.clock
    assert "404" in walk.get(back).text
    fake_github.clock = now
    assert walk.get(walk.register()).status_code == 303


def test_what_github_gives_once_is_not_lost_where_it_cannot_be_saved(
    walk: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk.enter()
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv(settings_file.VARIABLE, str(tmp_path / "taken" / "app.env"))
    found = walk.get(walk.register())
    assert (found.status_code, "cannot be written" in found.text) == (400, True)
    assert "Save them again" in found.text
    assert walk.post("/webhook").status_code == 503
    monkeypatch.setenv(settings_file.VARIABLE, str(tmp_path / "app.env"))
    assert walk.post("/setup/save").headers["Location"] == "/setup/done"
    assert load().app_id == walk.github.app.id


def test_github_away_is_said_and_can_be_tried_again(walk: Walk, fake_github: FakeGitHub) -> None:
    walk.enter()
    back = walk.register()
    fake_github.fail(502, times=1)
    assert "502" in walk.get(back).text
    assert walk.get(back).status_code == 303


def test_an_app_that_exists_is_taken_over(walk: Walk, fake_github: FakeGitHub) -> None:
    walk.enter()
    before = fake_github.app.webhook_secret
    key = fake_github.private_key.replace("\n", "\r\n")  # as a browser sends a text area
    found = walk.post("/setup/import", app_id=str(fake_github.app.id), private_key=key)
    assert found.headers["Location"] == "/setup/done"
    kept = load()
    assert kept.webhook_secret and kept.webhook_secret.get_secret_value() == fake_github.app.webhook_secret != before
    assert fake_github.app.webhook_url == f"{PUBLIC}/webhook"
    assert "BOUNCER_CLIENT_SECRET" in walk.get("/setup/done").text  # GitHub does not give that one


def test_the_app_that_is_kept_is_replaced_by_no_other(walk: Walk, fake_github: FakeGitHub, file: Path) -> None:
    """Not by the browser that set it up either: GitHub would go on to send deliveries of the first."""
    walk.enter()
    back = walk.register()
    walk.get(back)
    kept, hook = file.read_text(), fake_github.app.webhook_secret
    for path, fields in (
        ("/setup", {"organization": "tea-house", "github": "https://github.example.com"}),
        ("/setup/import", {"app_id": str(fake_github.app.id), "private_key": fake_github.registration.private_key}),
        ("/setup/save", {}),
    ):
        assert walk.post(path, **fields).headers["Location"] == "/setup/done"
    for path in ("/setup", back, "/installed"):
        assert walk.get(path).headers["Location"] == "/setup/done"
    assert (file.read_text(), fake_github.app.webhook_secret) == (kept, hook)
    assert walk.github.web_url in walk.get("/setup/done").text


def test_a_button_that_is_pressed_twice_at_once_takes_over_once(settings: Settings, fake_github: FakeGitHub) -> None:
    flow = SetupFlow(settings, lambda credentials, variables: None)
    fake_github.forget_calls()
    take_over = partial(flow.take_over, str(fake_github.app.id), fake_github.private_key)
    with ThreadPoolExecutor(2) as pool:
        [done.result() for done in [pool.submit(take_over) for _ in range(2)]]
    assert fake_github.calls()["PATCH", "/app/hook/config"] == 1
    assert flow.credentials and flow.credentials.webhook_secret == fake_github.app.webhook_secret


@cases
def test_an_app_that_cannot_be_taken_over_keeps_its_webhook(
    walk: Walk, fake_github: FakeGitHub, app_id: str, key: str, says: str
) -> None:
    walk.enter()
    given = fake_github.private_key if key == "right" else key
    found = walk.post("/setup/import", app_id=app_id, private_key=given)
    assert (found.status_code, says in unescape(found.text)) == (400, True), found.text
    assert "BEGIN nothing" not in found.text
    assert not load().has_app
    assert fake_github.app.webhook_url is None


def test_the_check_shows_each_line_of_the_doctor(walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    walk.enter()
    assert walk.post("/setup/check").headers["Location"] == "/setup"  # there is nothing to check yet
    walk.get(walk.register())
    lines = [
        {"check": "github", "outcome": "pass", "says": "knows <b>it</b>", "mend": ""},
        {"check": "sandbox", "outcome": "fail", "says": "none", "mend": "Install `bubblewrap`."},
    ]
    monkeypatch.setattr(pages, "run_doctor", lambda: lines)
    found = walk.post("/setup/check").text
    assert "Not yet: sandbox" in found and "Install <code>bubblewrap</code>." in found
    assert "knows &lt;b&gt;it&lt;/b&gt;" in found
    monkeypatch.setattr(pages, "run_doctor", lambda: lines[:1])
    assert "Everything works" in walk.post("/setup/check").text
    warned = {
        "check": "installations",
        "outcome": "warn",
        "says": "nobody has installed the App",
        "mend": "Install it.",
    }
    monkeypatch.setattr(pages, "run_doctor", lambda: [*lines[:1], warned])
    found = walk.post("/setup/check").text
    assert "Nothing fails; look at: installations" in found and "Everything works" not in found


def test_when_its_time_is_over_the_page_is_gone_and_the_server_goes_on(walk: Walk) -> None:
    walk.enter()
    walk.get(walk.register())
    walk.guard._clock = lambda: float("inf")
    assert walk.get("/setup/done").status_code == 404
    assert walk.get("/installed").status_code == 200
    assert walk.get("/").status_code == 200


def test_another_process_that_finished_first_closes_this_one(walk: Walk, database_url: str) -> None:
    walk.enter()
    database = Database.open(database_url)
    Apps(database).remember(5, now=datetime.now(UTC))
    database.close()
    found = walk.get("/setup")
    assert (found.status_code, "There is an App already" in found.text) == (403, True)


@pytest.mark.parametrize("had", ["an app", "an installation", "a delivery"])
def test_a_database_that_had_any_of_these_is_never_open(settings: Settings, database_url: str, had: str) -> None:
    database = Database.open(database_url)
    now = datetime.now(UTC)
    assert open_for_setup(settings, database)
    if had == "an app":
        Apps(database).remember(0, now=now)
    elif had == "an installation":
        Installations(database).upsert(7, "tea-house", now=now)
    else:
        Inbox(database).claim("guid", Delivery("ping", None, None, None, False))
    assert not open_for_setup(settings, database)
    database.close()


@cases
def test_any_setting_of_an_app_keeps_it_closed(database_url: str, file: Path, given: dict[str, object]) -> None:
    database = Database.open(database_url)
    assert not open_for_setup(load(**{"setup": True, **given}), database)
    database.close()
