"""From nothing to a first held issue, as a newcomer does it: `bouncer run`, a browser and the fake GitHub."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from bot.github.registration import DOTCOM
from fake_github import FakeGitHub
from tests.support.axe import assert_fine
from tests.support.databases import Databases
from tests.support.waiting import eventually
from tests.webhooks.serving import bouncer, environment

REPO = "acme/widgets"


@dataclass(frozen=True)
class Started:
    """output: what the console shows so far."""

    process: "subprocess.Popen[bytes]"
    output: Path

    def link(self) -> str:
        """The one on the console, which opens the pages."""
        return eventually(lambda: next((word for word in self.output.read_text().split() if "token=" in word), ""))


@contextmanager
def started(database_url: str, folder: Path, github: FakeGitHub, *command: str, **settings: str) -> Iterator[Started]:
    """A `bouncer` command in an environment that knows of no App."""
    given = {
        "webhook_secret": "",
        "settings_file": str(folder / "app.env"),
        "github_web_url": github.web_url,
        "github_api_url": github.url,
        "cache_dir": str(folder / "cache"),
        "package_index": f"{github.web_url}/simple",
        "package_registry": f"{github.web_url}/npm",
        "package_hosts": "",
        "seconds_between_writes": "0",
        **settings,
    }
    output = folder / "console"
    with output.open("wb") as console:
        process = subprocess.Popen(
            bouncer(*command),
            env=environment(database_url, **given),
            stdout=console,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Started(process, output)
    finally:
        process.terminate()
        process.wait(300)


def press(browser: Chrome, words: str) -> None:
    """A button or a link, by what stands on it."""
    (found,) = (item for item in browser.find_elements(By.CSS_SELECTOR, "button, a") if item.text == words)
    found.click()


def headline(browser: Chrome, words: str) -> None:
    """Wait for the page whose first heading has these words."""
    heading = "return document.querySelector('h1')?.innerText ?? ''"
    eventually(lambda: words in browser.execute_script(heading))


def look_without_the_link(browser: Chrome, home: str) -> None:
    """What whoever has no link sees; it is no step."""
    for path, words in (("", "Bouncer is not set up yet"), ("setup", "This page is closed")):
        browser.get(f"{home}{path}")
        headline(browser, words)
        assert_fine(browser)


def test_the_docs_count_the_steps_that_are_walked_here() -> None:
    root = Path(__file__).parents[2]
    told = re.findall(r"^## (\d)\. ", (root / "docs/installation.md").read_text(), re.MULTILINE)
    walked = re.findall(r"^ +# (\d)\. ", Path(__file__).read_text(), re.MULTILINE)
    assert told == walked == ["1", "2", "3", "4", "5"]


def test_the_docs_show_the_two_lines_and_the_five_buttons_of_the_steps() -> None:
    """Each button has its name on the page: the walk presses no other, where the address is set."""
    page = (Path(__file__).parents[2] / "docs/installation.md").read_text()
    steps = page[page.index("## 1. ") : page.index("## What keeps strangers out")]
    assert len(re.findall(r"^\$ ", steps, re.MULTILINE)) == 2
    walk = Path(__file__).read_text().rpartition("# 1. start it")[2].partition("# and the credentials")[0]
    pressed = re.findall(r'press\(browser, "(.+?)"\)', walk)
    assert pressed.pop(0) == "Use these"  # only where BOUNCER_PUBLIC_URL does not say the address
    assert [button for button in pressed if f"**{button}**" not in steps] == []
    assert (len(pressed), walk.count("browser.get("), walk.count(".click()")) == (5, 1, 1)


@pytest.mark.browser
def test_five_steps_lead_to_a_green_doctor_and_a_held_issue(
    fake_github: FakeGitHub, browser: Chrome, databases: Databases, tmp_path: Path
) -> None:
    # 1. start it
    with started(databases.empty(), tmp_path, fake_github, "run", "--port", "0", setup="1") as running:
        look_without_the_link(browser, running.link().partition("setup")[0])
        # 2. open the link
        browser.get(running.link())
        press(browser, "Use these")  # the address that the browser uses is filled in
        headline(browser, "Create the App on GitHub")
        assert_fine(browser)
        press(browser, "Create the App on GitHub")
        # 3. confirm it on GitHub
        headline(browser, "Create GitHub App for app-owner")
        press(browser, "Create GitHub App")
        # 4. install it
        headline(browser, "is ready")
        press(browser, "Install it on GitHub")
        headline(browser, "Install bouncer-")
        browser.find_element(By.CSS_SELECTOR, f"[value='{REPO}']").click()
        press(browser, "Install")
        # 5. see that it works
        headline(browser, "is ready")
        press(browser, "Check everything")
        headline(browser, "Everything works")
        assert_fine(browser)
        number = fake_github.open_issue(REPO, "It does not work", "please fix")
        eventually(lambda: "needs-clarification" in fake_github.issue(REPO, number).labels)
        eventually(lambda: fake_github.issue(REPO, number).bouncer_comments)
        # the installer's own issue too, with the policy that the page names
        (policy,) = (code.text for code in browser.find_elements(By.TAG_NAME, "code") if "exempt" in code.text)
        fake_github.push(REPO, {".github/bouncer.yml": policy}, by="acme")
        eventually(lambda: f"policy_check of {REPO}: " in running.output.read_text())  # it was read
        own = fake_github.open_issue(REPO, "It does not work", "please fix", by="acme")
        eventually(lambda: "needs-clarification" in fake_github.issue(REPO, own).labels)
        # and the credentials let people sign in
        browser.get(f"{running.link().partition('/setup')[0]}/repositories")
        press(browser, "Sign in with GitHub")
        press(browser, "acme")
        eventually(lambda: REPO in browser.find_element(By.TAG_NAME, "main").text)
    said = running.output.read_text()
    assert fake_github.app.webhook_secret not in said and "PRIVATE KEY" not in said
    assert DOTCOM not in (tmp_path / "app.env").read_text()
