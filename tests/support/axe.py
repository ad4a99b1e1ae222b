"""What the axe engine finds wrong with a page that is open in a browser: the rules of WCAG 2.0 to 2.2, A and AA."""

from functools import cache
from typing import Any

from selenium.webdriver import Chrome

from tests.support.npm import npm_package

VERSION = "4.14.1"
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_RUN = """
const [tags, done] = arguments;
const where = node => node.target.join(" ") + " " + node.failureSummary;
const line = each => `${each.id}: ${each.help} (${each.nodes.map(where).join("; ")})`;
axe.run(document, {runOnly: {type: "tag", values: tags}})
  .then(found => done(found.violations.map(line)), error => done([String(error)]));
"""


def violations(browser: Chrome) -> list[str]:
    """Each as a line. Skips (in CI: fails) when axe cannot be had."""
    browser.execute_script(_source())
    found: Any = browser.execute_async_script(_RUN, _TAGS)
    return [str(each) for each in found]


def assert_fine(browser: Chrome) -> None:
    """The page that is open has nothing for axe to find and fits, light and dark, on a phone and on a desk."""
    browser.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")
    try:
        for width, scheme in ((390, "dark"), (1000, "light")):
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            assert violations(browser) == [], (browser.current_url, width, scheme)
            wide = browser.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width, (browser.current_url, scheme)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@cache
def _source() -> str:
    return (npm_package("axe-core", VERSION, only="axe.min.js") / "axe.min.js").read_text(encoding="utf-8")
