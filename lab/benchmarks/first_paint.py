"""When a browser shows the first words of a dashboard over 100,000 verdicts: `python -m lab.benchmarks.first_paint`.

Chromium opens the three views of `lab.benchmarks.dashboard` at the real `bouncer serve`: after its first start ever,
then five times, then as the first thing after another start. The time is Chromium's own `first-contentful-paint`, from
the moment the address was asked for; `answered` is when the page had all arrived. The goal is one second.
"""

import argparse
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from bot.storage.database import Database
from bot.storage.migrate import migrate
from fake_github import FakeGitHub
from lab.benchmarks.dashboard import PATH, REPO, fill
from lab.benchmarks.machine import machine
from tests.support.browser import open_browser, programs
from tests.support.postgres import free_port
from tests.webhooks.serving import serving

VIEWS = (30, 90, 365)
TIMES = 5
PAINT = """
const [page] = performance.getEntriesByType("navigation");
const paint = performance.getEntriesByName("first-contentful-paint")[0];
return [page.responseEnd, paint ? paint.startTime : null];
"""


def looked(browser: Chrome, url: str, days: int) -> tuple[float, float]:
    """Milliseconds until the page had arrived, and until the first words were seen."""
    browser.get(f"{url}{PATH}?days={days}")
    while (found := browser.execute_script(PAINT))[1] is None:
        pass
    return found[0], found[1]


def signed_in(browser: Chrome, url: str) -> None:
    browser.get(f"{url}/login")
    browser.find_element(By.LINK_TEXT, "maintainer").click()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verdicts", type=int, default=100_000)
    parser.add_argument("--days", type=int, default=365)
    options = parser.parse_args()
    found = programs()
    if found is None:
        sys.exit("This needs Chromium with its driver.")
    with ExitStack() as stack:
        place, port = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))), free_port()
        fake = stack.enter_context(FakeGitHub())
        browser = open_browser(*found, place / "chromium")
        stack.callback(browser.quit)
        stored, url = f"sqlite:///{place}/bouncer.db", f"http://127.0.0.1:{port}"
        repo = fake.create_repository(REPO, private=True, collaborators={"maintainer": "read"})
        fake.install("acme", [REPO])
        database = Database.open(stored)
        migrate(database)
        fill(database, options.verdicts, options.days, repo.id)
        database.close()
        given = {name.removeprefix("BOUNCER_").lower(): value for name, value in fake.environment().items()}
        given |= {"public_url": url, "cache_dir": f"{place}/cache"}
        given.pop("webhook_secret")
        print(machine(place))
        for start in ("first start", "another start"):
            with serving(stored, place, port=port, **given):
                signed_in(browser, url)
                for days in VIEWS:
                    answered, first = looked(browser, url, days)
                    again = [looked(browser, url, days)[1] for _ in range(TIMES)]
                    print(
                        f"{start}, {days} days: first answered {answered:.0f}, painted {first:.0f} ms; "
                        f"then painted {statistics.median(again):.0f} ms (median of {TIMES}, longest {max(again):.0f})",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
