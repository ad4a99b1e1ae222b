"""Signing in, the dashboard and the pages before the eyes of a real browser, served by the real web process."""

import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from bot.already_fixed.finding import FOUND, FixFinding
from bot.already_fixed.values import Trial
from bot.storage.database import Database
from bot.storage.fixes import Fixes, FixRecord
from bot.storage.judgements import Judgements
from bot.storage.overrides import Overrides
from bot.storage.subjects import SubjectRecord, Subjects
from bot.storage.tokens import new_token
from bot.storage.welcomes import Welcome, WelcomeIssue, Welcomes
from fake_github import FakeGitHub
from tests.storage.records import OVERRIDE
from tests.support.axe import assert_fine
from tests.support.databases import Databases
from tests.support.github import KEY
from tests.support.waiting import eventually
from tests.webhooks.dashboards import filled
from tests.webhooks.judged import heard_of, judged, judgement, vague
from tests.webhooks.serving import serving
from tests.webhooks.test_pages import rejection
from tests.webhooks.test_pages_in_a_browser import HOSTILE
from tests.workflows.already_fixed import ALREADY, FAILS, FIX, PASSES, SHOWN

pytestmark = pytest.mark.browser
REPO, OPEN = "tea-house/kettle", "tea-house/cup"


@dataclass(frozen=True)
class Site:
    """Where the web process listens, and the pages of two commits, the first judged twice and the second overridden, a
    rejection, an issue, and a welcome."""

    url: str
    pages: tuple[str, ...]

    @property
    def dashboard(self) -> str:
        return f"{self.url}/repositories/{REPO}"


@pytest.fixture(scope="module")
def site(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    stored, port = databases.migrated(), free_port()
    url = f"http://127.0.0.1:{port}"
    with FakeGitHub(private_key=KEY) as fake:
        repo = fake.create_repository(REPO, private=True, collaborators={"maintainer": "maintain"})
        fake.install("tea-house", [REPO])
        fake.user("reporter")
        database = Database.open(stored)
        heard_of(database, REPO, repo.id, private=True)
        filled(database, repo.id, f" {HOSTILE}")
        filled_pages = pages(database)
        database.close()
        environment = {name.removeprefix("BOUNCER_").lower(): value for name, value in fake.environment().items()}
        given = {**environment, "public_url": url}
        given.pop("webhook_secret")
        with serving(stored, tmp_path_factory.mktemp("web"), port=port, **given):
            yield Site(url, tuple(f"{url}/{path}" for path in filled_pages))


def pages(database: Database) -> tuple[str, ...]:
    """The paths of pages of a public repository."""
    heard_of(database, OPEN)
    judgements, subjects = Judgements(database), Subjects(database)
    for run in ("judging:1", "judging:2"):  # the page lists both
        judgements.keep(replace(judgement(judged(HOSTILE), run_id=run), repository=OPEN))
    held = SubjectRecord(repo_id=2**40, number=9, installation_id=1, repository=OPEN, held=True)
    subjects.save(replace(held, verdict=vague(HOSTILE)))
    held_before = WelcomeIssue(9, HOSTILE, vague(HOSTILE), ("balanced", "strict"))
    left = WelcomeIssue(5, HOSTILE, None, left_alone="a bot opened it")
    welcome = Welcome(2**40, 1, OPEN, new_token(), "main", datetime.now(UTC), (held_before, left))
    Welcomes(database).save(welcome)
    fix = FixRecord(
        repo_id=2**40, number=9, installation_id=1, repository=OPEN, run_id="already_fixed:9", found=found(HOSTILE)
    )
    Fixes(database).begin(fix)
    over = replace(judgement(judged(HOSTILE), run_id="judging:8"), repository=OPEN, number=8)
    judgements.keep(over)
    word = replace(OVERRIDE, number=8, head=over.head, reason=HOSTILE, at=over.at, verdict=judged(HOSTILE).verdict)
    Overrides(database).add(word)
    tried = rejection(database, judged(HOSTILE)).removeprefix("/verdicts/")
    commits = (judgements.trail(2**40, number)[0].token for number in (7, 8))
    tokens = *commits, tried, subjects.address(2**40, 9)
    return *(f"verdicts/{token}" for token in tokens), f"welcome/{welcome.token}"


def found(said: str) -> str:
    """What was found of a fix, as it is stored. said: every text that comes from strangers."""
    shown = replace(SHOWN, code=said)
    ran = Trial(shown, head=PASSES, without_fix=replace(FAILS, shown=said), fix=FIX.commit)
    fixed = replace(ALREADY, trials=(ran,), candidates=(replace(FIX, subject=said),))
    return FOUND.dump_json(FixFinding("text", "a" * 40, fixed, "https://github.com/x/y/commit/")).decode()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def sign_in(browser: Chrome, site: Site, login: str = "maintainer") -> None:
    browser.get(site.dashboard)
    browser.find_element(By.LINK_TEXT, "Sign in with GitHub").click()
    browser.find_element(By.LINK_TEXT, login).click()


@pytest.fixture
def signed_in(browser: Chrome, site: Site) -> Iterator[Chrome]:
    browser.delete_all_cookies()
    sign_in(browser, site)
    yield browser
    browser.delete_all_cookies()


def test_a_person_signs_in_and_out(browser: Chrome, site: Site) -> None:
    browser.get(f"{site.url}/")
    browser.delete_all_cookies()
    sign_in(browser, site)
    assert browser.current_url == site.dashboard  # back where they wanted to go
    assert browser.find_element(By.TAG_NAME, "h1").text == f"{REPO} private"
    cookie = browser.get_cookie("bouncer")
    assert cookie is not None and cookie["httpOnly"] and cookie["sameSite"] == "Lax"
    browser.find_element(By.LINK_TEXT, "repositories").click()
    assert browser.find_element(By.CSS_SELECTOR, ".list tbody th").text == f"{REPO} private"
    browser.find_element(By.XPATH, "//button[text()='Sign out']").click()
    eventually(lambda: urlsplit(browser.current_url).path == "/")
    assert browser.get_cookie("bouncer") is None
    browser.get(site.dashboard)
    assert browser.find_element(By.TAG_NAME, "h1").text == "Sign in with GitHub to see this page."


def test_a_stranger_sees_nothing(browser: Chrome, site: Site) -> None:
    browser.get(f"{site.url}/")
    browser.delete_all_cookies()
    sign_in(browser, site, "reporter")
    seen = browser.find_element(By.TAG_NAME, "main").text
    assert seen == "404: there is nothing at this address that you may see.\nYour repositories"
    browser.delete_all_cookies()


def test_nothing_a_stranger_wrote_lives(signed_in: Chrome, site: Site) -> None:
    assert signed_in.title == f"Bouncer: {REPO}"
    assert "<script>" in signed_in.find_element(By.CSS_SELECTOR, ".list").text
    assert signed_in.find_elements(By.CSS_SELECTOR, "script, img, main style, main meta") == []
    loaded = signed_in.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert loaded == [f"{site.url}/verdicts/static/pages.css"]


def test_the_filters_work_without_a_script_and_with_the_keyboard(signed_in: Chrome) -> None:
    signed_in.find_element(By.CSS_SELECTOR, "select[name=door]").send_keys("Issues")
    signed_in.find_element(By.CSS_SELECTOR, ".filters button").send_keys(Keys.ENTER)
    eventually(lambda: "door=issues" in signed_in.current_url)
    assert "on issues." in signed_in.find_element(By.CSS_SELECTOR, "main").text
    summary = signed_in.find_element(By.CSS_SELECTOR, ".plot summary")
    summary.send_keys(Keys.ENTER)
    assert signed_in.find_element(By.CSS_SELECTOR, ".plot details[open] caption").text == "Verdicts by time"


def test_a_wide_screen_shows_whole_tables(signed_in: Chrome, site: Site) -> None:
    """However long the name of a test in them is."""
    screen = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    signed_in.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        signed_in.get(site.dashboard)
        lengthen = "document.querySelector('.figures tbody th').textContent += 'tests/' + '_long'.repeat(40)"
        signed_in.execute_script(lengthen)
        tables = "return [...document.querySelectorAll('.scroll')].map(each => each.scrollWidth - each.clientWidth)"
        assert max(signed_in.execute_script(tables)) <= 0
        subject, verdict, when = signed_in.find_elements(By.CSS_SELECTOR, ".list thead th")
        assert verdict.size["width"] > max(subject.size["width"], when.size["width"])
    finally:
        signed_in.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_phone_shows_the_link_to_a_verdicts_page(signed_in: Chrome, site: Site) -> None:
    """Without scrolling sideways."""
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    signed_in.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        signed_in.get(site.dashboard)
        table = signed_in.find_element(By.CSS_SELECTOR, ".scroll:has(.list)")
        links = table.find_elements(By.CSS_SELECTOR, "a[href*='/verdicts/']")
        right = table.rect["x"] + table.rect["width"]
        assert links and all(each.rect["x"] + each.rect["width"] <= right for each in links)
        assert signed_in.execute_script("return arguments[0].scrollWidth - arguments[0].clientWidth", table) <= 0
    finally:
        signed_in.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_axe_finds_nothing_and_it_fits(signed_in: Chrome, site: Site) -> None:
    """Every page that people see."""
    addresses = (
        site.dashboard,
        f"{site.url}/repositories",
        f"{site.url}/",
        f"{site.url}/installed",
        *site.pages,
        f"{site.dashboard}?days=1",
        f"{site.url}/nowhere",
    )
    lists = 0
    for address in addresses:
        signed_in.get(address)
        assert_fine(signed_in)
        lists += len(signed_in.find_elements(By.CSS_SELECTOR, ".trail"))
    assert lists == 1, "one page has a list of judgements"
