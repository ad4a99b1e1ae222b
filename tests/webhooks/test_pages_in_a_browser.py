"""A verdict page before the eyes of a real browser: hostile texts stay texts, on a desk and on a phone."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from werkzeug.serving import make_server

from bot.live.precision import Subject
from bot.policy_choices import Mode
from bot.storage.database import Database
from bot.storage.judgements import Judgements
from bot.storage.ledger import Entry, Ledger
from bot.storage.subjects import SubjectRecord, Subjects
from tests.support.cases import cases
from tests.support.databases import Databases
from tests.webhooks.judged import NOW, heard_of, judged, judgement, vague
from tests.webhooks.test_receive import settings
from webhooks.app import create_app

pytestmark = pytest.mark.browser

HOSTILE = (
    "</pre></code></title></style><script>document.title='alive'</script><img src=x onerror=\"document.title='alive'\">"
    "<svg onload=\"document.title='alive'\"><meta http-equiv=refresh content=0;url=https://evil.example> `x` [a](b) "
    + "long"
    * 100
)


@pytest.fixture(scope="module")
def urls(databases: Databases) -> Iterator[tuple[str, str, str]]:
    """The addresses of a commit's page and an issue's, on which every text that comes from strangers is hostile, and
    that of the server."""
    stored = databases.migrated()
    database = Database.open(stored)
    heard_of(database)
    judgements = Judgements(database)
    for run in ("judging:1", "judging:2"):
        judgements.keep(replace(judgement(judged(HOSTILE)), run_id=run))
    listed = judgements.trail(2**40, 7)[0]
    subjects = Subjects(database)
    held = SubjectRecord(repo_id=2**40, number=9, installation_id=1, repository="tea-house/kettle", held=True)
    subjects.save(replace(held, verdict=vague(HOSTILE)))
    look = {"workflow_id": "issue:1", "author": "ada", "at": NOW, "seq": 1, "mode": Mode.ADVISE, "verdict": vague()}
    applied = ("label needs-clarification", "comment")
    Ledger(database).add(Entry(repo_id=2**40, number=9, subject=Subject.ISSUE, applied=applied, **look))
    server = make_server("127.0.0.1", 0, create_app(settings(stored)), threaded=True)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        server_url = f"http://127.0.0.1:{server.server_port}"
        pages = f"{server_url}/verdicts"
        yield f"{pages}/{listed.token}", f"{pages}/{subjects.address(2**40, 9)}", f"{server_url}/"
    finally:
        server.shutdown()
        database.close()


@pytest.fixture
def url(urls: tuple[str, str, str]) -> str:
    """Of the commit's page."""
    return urls[0]


@cases
def test_hostile_texts_are_shown_and_nothing_of_them_lives(
    browser: Chrome, urls: tuple[str, str, str], page: int, title: str, sentence: str
) -> None:
    url = urls[page]
    browser.get(url)
    assert browser.title == title
    assert browser.current_url == url
    assert browser.find_element(By.CSS_SELECTOR, ".lead h1").text == sentence
    assert "<script>" in browser.find_element(By.CSS_SELECTOR, "pre").text
    assert browser.find_elements(By.CSS_SELECTOR, "script, img, svg, main style, main meta") == []
    loaded = browser.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert loaded == [url.rpartition("/")[0] + "/static/pages.css"]


@pytest.mark.parametrize("page", [0, 1, 2])
@pytest.mark.parametrize("width", [390, 1000])
def test_it_fits_and_is_legible(browser: Chrome, urls: tuple[str, str, str], page: int, width: int) -> None:
    """Nothing sticks out to the side, however long a stranger's words are; the style sheet is there."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    try:
        browser.get(urls[page])
        browser.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert float(browser.find_element(By.TAG_NAME, "p").value_of_css_property("font-size")[:-2]) >= 14
        assert browser.find_element(By.CSS_SELECTOR, ".lead").value_of_css_property("border-radius") == "8px"
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_keyboard_opens_what_is_folded(browser: Chrome, url: str) -> None:
    browser.get(url)
    assert browser.execute_script("return document.querySelectorAll('details[open]').length") == 0
    browser.find_element(By.CSS_SELECTOR, ".steps summary").send_keys(Keys.ENTER)
    (opened,) = browser.find_elements(By.CSS_SELECTOR, "details[open]")
    assert "<script>" in opened.find_element(By.TAG_NAME, "pre").text
