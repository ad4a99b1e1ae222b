"""The page on troubleshooting knows every reason of a verdict and every refusal of the server, in the code's words."""

import re

from tests.docs.pages import DOCS, ROOT
from tests.docs.reasons import reasons_told
from tests.docs.refusals import refusals
from tests.docs.tables import REASONS_TABLE, REFUSALS_TABLE, reason_rows, refusal_rows, written

PAGE = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
# Beginnings that are sought in the code as they stand.
BUDGET = ("The repository's budget of judgements for today is spent", "Whoever pushed it has had … judgements today")
ELSEWHERE = (
    *("503: too many people at once", "503: not set up yet", "unavailable: the delivery was not stored"),
    *("No App is set up yet", "A new, empty database", "… cannot listen on", "later: …"),
)


def beginnings(heading: str) -> list[str]:
    """What the first column of the table below it quotes; `…` is anything."""
    below = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].replace("`", "")
    return [part for row in re.findall(r"^\| (.*?) \|", below, re.MULTILINE)[1:] for part in row.split("; ")]


def begins(quoted: str, said: list[str]) -> bool:
    pattern = re.compile(".+?".join(map(re.escape, quoted.split("…"))))
    return any(map(pattern.match, said))


def quotes(heading: str, said: list[str], elsewhere: tuple[str, ...]) -> None:
    """The table below it quotes beginnings of these sentences, and no others but those elsewhere in the code."""
    plain = [each.replace("`", "") for each in said]
    assert sorted(each for each in beginnings(heading) if not begins(each, plain)) == sorted(elsewhere)
    code = "".join(
        path.read_text(encoding="utf-8") for room in ("bot", "webhooks") for path in (ROOT / room).rglob("*.py")
    )
    assert [each for each in elsewhere if max(each.split("…"), key=len) not in code] == []


def test_every_reason_of_a_verdict_is_on_the_page() -> None:
    assert written("troubleshooting.md", REASONS_TABLE) == reason_rows(), "run: make docs"
    quotes("Reasons in the check", list(reasons_told()), BUDGET)


def test_every_refusal_of_the_server_is_on_the_page() -> None:
    assert len(refusals()) > 40
    assert written("troubleshooting.md", REFUSALS_TABLE) == refusal_rows(), "run: make docs"
    quotes("Messages of the server", refusals(), ELSEWHERE)
