"""A real, headless Chromium driven through its own driver. Debian: `apt-get install chromium chromium-driver`."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

from tests.support.needs import missing

# Nothing of the browser's own may look for the network.
QUIET = (
    "--headless=new",
    "--no-sandbox",  # as root, in containers; the pages are our own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)

SECONDS = 600


def programs() -> tuple[str, str] | None:
    """The browser and its driver, where both are there."""
    program = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    return (program, driver) if program and driver else None


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """One browser for the session, with a profile of its own."""
    found = programs()
    if found is None:
        missing("Chromium with its driver (Debian: chromium, chromium-driver)")
    chrome = open_browser(*found, tmp_path_factory.mktemp("chromium"))
    try:
        yield chrome
    finally:
        chrome.quit()


def open_browser(program: str, driver: str, profile: Path) -> Chrome:
    options = ChromeOptions()
    options.binary_location = program
    for flag in (*QUIET, f"--user-data-dir={profile}", "--window-size=1000,1300"):
        options.add_argument(flag)
    chrome = Chrome(options=options, service=Service(driver), keep_alive=False)  # else its first limit stays for ever
    # On a busy machine a page took two minutes, and axe more than the 30 seconds that a script has.
    chrome.command_executor.client_config.timeout = 2 * SECONDS
    chrome.set_script_timeout(SECONDS)
    return chrome
