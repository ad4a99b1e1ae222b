"""`make pictures`: the pictures of the README, made from the running demo."""

import base64
import io
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from werkzeug.serving import make_server

from bot.demo.play import ALL, DemoStep, play
from bot.demo.sample_repository import FIXED, GATED, PULLS, FixedStory, GateStory, PullStory
from bot.demo.scenario import STORIES, Story
from bot.demo.screen import show_steps
from bot.demo.server import house
from bot.settings import Settings
from bot.setup.flow import SetupFlow
from bot.setup.guard import Guard
from bot.setup.pages import setup_app
from tests.support.browser import open_browser

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # rich's picture would fetch them from elsewhere
PORT = 8765  # a fixed one, so that a new picture differs only where the product does


def main() -> None:
    """Write docs/pictures/*. Needs Chromium with its driver."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        sys.exit("Pictures need Chromium: apt-get install chromium chromium-driver")
    PICTURES.mkdir(exist_ok=True)
    console = Console(record=True, width=100, force_terminal=True, file=io.StringIO())
    with house(PORT) as place, tempfile.TemporaryDirectory() as profile:
        browser = open_browser(program, driver, Path(profile))
        try:
            show_steps(console, place, _photographed(browser, play(place, ALL)))
            _take_setup(browser)
        finally:
            browser.quit()
        picture = console.export_svg(title="make demo", unique_id="demo")
        (PICTURES / "demo.svg").write_text(FONTS.sub("", picture))


def _take_setup(browser: Chrome) -> None:
    """The first page of setting up, as it looks for github.com."""
    guard = Guard()
    settings = Settings(public_url="https://bouncer.example.com")
    server = make_server("127.0.0.1", 0, setup_app(guard, SetupFlow(settings, lambda app, variables: None)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser.get(f"http://127.0.0.1:{server.server_port}/setup?token={guard.token}")
    (PICTURES / "setup.png").write_bytes(_taken(browser, "header", ".lead"))
    server.shutdown()


def _photographed(browser: Chrome, steps: Iterator[DemoStep]) -> Iterator[DemoStep]:
    """The same steps; when Bouncer has decided one that is shown, its page is taken, how an override looks on the
    verdict's own page, and how a held issue looks on its own."""
    wanted = {(story.title, what): name for story, what, name in _shown()}
    for step in steps:
        yield step
        if step.decision and step.what == "overrides that":
            browser.get(step.page)
            (PICTURES / "verdict.png").write_bytes(_taken(browser, "header", "footer"))
        if step.decision and (name := wanted.get((step.title, step.what.partition(" for #")[0]))):
            browser.get(step.url)
            browser.set_window_size(1000, browser.execute_script("return document.body.scrollHeight") + 150)
            (PICTURES / f"{name}.png").write_bytes(_conversation(browser))
            if name == "held":
                link = browser.find_element(By.XPATH, "//a[starts-with(., 'The state of this issue')]").get_attribute(
                    "href"
                )
                browser.get(str(link))
                (PICTURES / "issue.png").write_bytes(_taken(browser, "header", "footer"))


def _shown() -> Iterator[tuple[Story | FixedStory | PullStory | GateStory, str, str]]:
    """What is shown: a story, what somebody does in it, and the picture's name."""
    stories = {story.key: story for story in (*STORIES, *FIXED, *PULLS, *GATED)}
    yield stories["vague"], "opens an issue", "held"
    yield stories["clarified"], "replies", "cleared"
    yield stories["stale"], "opens an issue", "fixed"
    yield stories["half"], "opens an issue", "half"
    yield stories["rescued"], "rejects it and suggests a fix", "rescued"
    yield stories["asked"], "rejects it and suggests a fix", "asked"
    yield stories["blocked"], "opens a pull request", "blocked"


def _conversation(browser: Chrome) -> bytes:
    """The page from its title to the last comment: what a person looks at."""
    return _taken(browser, "h1", ".entry:nth-last-child(2)")


def _taken(browser: Chrome, first: str, last: str) -> bytes:
    """The page from the top of one element to the bottom of another."""
    top, bottom = (
        browser.execute_script(f"return document.querySelector({query!r}).getBoundingClientRect().{edge}")
        for query, edge in ((first, "top"), (last, "bottom"))
    )
    clip = {"x": 0, "y": max(0, top - 20), "width": 1000, "height": bottom - top + 16, "scale": 1}
    picture = browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    return base64.b64decode(picture["data"])


if __name__ == "__main__":
    main()
