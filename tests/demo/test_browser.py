"""A person at the demo: opens an issue in a real browser, is asked, answers, and overrules Bouncer."""

from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from bot.demo.house import House, house
from bot.demo.scenario import REPOSITORY, STORIES

pytestmark = pytest.mark.browser

SECONDS = 60


@pytest.fixture(scope="module")
def place() -> Iterator[House]:
    with house(0) as started:
        yield started


@pytest.fixture(scope="module")
def issue_url(place: House, browser: Chrome) -> str:
    """The address of a vague issue opened through the form."""
    browser.get(f"{place.github.web_url}/{REPOSITORY}/issues/new")
    browser.find_element(By.NAME, "title").send_keys("It is broken")
    browser.find_element(By.NAME, "body").send_keys("Please fix, it doesn't work!")
    browser.find_element(By.CSS_SELECTOR, "button.go").click()
    return browser.current_url


def test_a_vague_issue_is_held_before_the_eyes_of_its_reporter(browser: Chrome, issue_url: str) -> None:
    browser.get(issue_url)
    _wait_for(browser, "needs-clarification", ".side")
    comment = _wait_for(browser, "a little more is needed", ".post.bouncer")
    assert "To get another look" in comment


def test_the_labels_cross_is_a_maintainers_last_word(place: House, browser: Chrome, issue_url: str) -> None:
    browser.get(issue_url)
    _wait_for(browser, "needs-clarification", ".side")
    browser.find_element(By.CSS_SELECTOR, "button.x").click()
    _wait_for(browser, "A maintainer accepted this issue", ".post.bouncer")
    number = int(issue_url.rpartition("/")[2])
    assert place.github.issue(REPOSITORY, number).labels == ()


def test_a_reply_in_the_browser_clears_the_issue(place: House, browser: Chrome) -> None:
    story = next(story for story in STORIES if story.reply)
    number = place.github.open_issue(REPOSITORY, story.title, story.body, by="reporter")
    browser.get(f"{place.github.web_url}/{REPOSITORY}/issues/{number}")
    _wait_for(browser, "needs-clarification", ".side")
    _wait_for(browser, "a little more is needed", ".post.bouncer")
    reply = browser.find_element(By.CSS_SELECTOR, "textarea[aria-label=Reply]")
    browser.execute_script("arguments[0].value = arguments[1]", reply, story.reply)
    browser.find_element(By.CSS_SELECTOR, "button[value=comment]").click()
    _wait_for(browser, "this is clear now", ".post.bouncer")
    _wait_for(browser, "None yet", ".side")


def test_the_pages_ask_nothing_of_the_network(place: House, browser: Chrome) -> None:
    browser.get(f"{place.github.web_url}/{REPOSITORY}/issues")
    sources = browser.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert [source for source in sources if not source.startswith(place.github.web_url)] == []


def _wait_for(browser: Chrome, text: str, where: str) -> str:
    """The page reloads itself when something changes; wait until `text` stands in the first element at `where`."""

    def find(chrome: Chrome) -> str | None:
        found: list[str] = chrome.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map(element => element.innerText)", where
        )
        return next((content for content in found if text in content), None)

    content = WebDriverWait(browser, SECONDS).until(find, f"“{text}” never stood in {where}")
    assert isinstance(content, str)
    return content
