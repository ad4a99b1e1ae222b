"""`make pictures`: the pictures of the README and of the pages, made from the running demo."""

import base64
import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from selenium.webdriver import Chrome

from bot.demo.play import ALL, DemoStep, play
from bot.demo.sample_repository import FIXED, GATED, PULLS, PullStory
from bot.demo.scenario import STORIES, Story
from bot.demo.screen import show_steps
from bot.demo.server import house
from tests.docs.moving_picture import write
from tests.support.browser import open_browser

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
PORT = 8765  # a fixed one, so that a new picture differs only where the product does


def main() -> None:
    """Write docs/pictures/*. Needs Chromium with its driver."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        sys.exit("Pictures need Chromium: apt-get install chromium chromium-driver")
    PICTURES.mkdir(exist_ok=True)
    with house(PORT) as place:
        write(place, PICTURES)
    with house(PORT) as place, tempfile.TemporaryDirectory() as profile:
        browser = open_browser(program, driver, Path(profile))
        try:
            show_steps(Console(file=io.StringIO()), place, _photographed(browser, play(place, ALL)))
        finally:
            browser.quit()


def _photographed(browser: Chrome, steps: Iterator[DemoStep]) -> Iterator[DemoStep]:
    """The same steps; when Bouncer has decided one that is shown, its page is taken, how an override looks on the
    verdict's own page."""
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


def _shown() -> Iterator[tuple[Story | PullStory, str, str]]:
    """What is shown: a story, what somebody does in it, and the picture's name."""
    stories = {story.key: story for story in (*STORIES, *FIXED, *PULLS, *GATED)}
    yield stories["vague"], "opens an issue", "held"
    yield stories["clarified"], "replies", "cleared"
    yield stories["stale"], "opens an issue", "fixed"
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
