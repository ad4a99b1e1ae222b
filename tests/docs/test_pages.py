"""The pages on troubleshooting, verification, threats and databases know all there is, and name only that."""

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from bot.verification.evidence import Case
from bot.verification.patch_evidence import Standing
from tests.docs.pages import ARCHITECTURE, DOCS, INTERNALS, ROOT, USER_PAGES
from tests.docs.reasons import reasons_told
from tests.docs.refusals import refusals
from tests.docs.tables import REASONS_TABLE, REFUSALS_TABLE, reason_rows, refusal_rows, written
from tests.support.databases import NEEDED_BY, ON_POSTGRESQL

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


INTERNAL_PAGES = Path(__file__).parents[2] / "docs" / "internals"


def rows(page: str) -> list[str]:
    """The words in the first cells of a page's tables."""
    return re.findall(r"^\| `(\w+)`", (INTERNAL_PAGES / page).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_case_has_its_row() -> None:
    assert sorted(rows("verification.md")) == sorted(case.value for case in Case)


def test_every_standing_has_its_row() -> None:
    assert sorted(rows("trial.md")) == sorted(standing.value for standing in Standing)


THREATS = (DOCS / "threat-model.md").read_text(encoding="utf-8")


def test_every_file_that_it_names_is_there() -> None:
    named = set(re.findall(r"`((?:bot|webhooks|tests|\.github)/[^`]*|constraints\.txt)`", THREATS)) - {
        ".github/bouncer.yml"
    }
    assert len(named) > 30
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def test_every_attack_has_its_test() -> None:
    rows = [line for line in THREATS.splitlines() if line.startswith("| ") and not line.startswith("| tries |")]
    assert len(rows) > 15
    assert [row for row in rows if not re.search(r"`tests/[\w/]+\.py` \|$|`tests/[\w/]+\.py`, ", row)] == []


def test_what_is_left_is_said_of_everybody() -> None:
    sections = THREATS.partition("## Who, and what stops them")[2].split("\n### ")[1:]
    assert len(sections) == 7
    assert [section.partition("\n")[0] for section in sections if "**Left:**" not in section] == []


def test_whoever_reports_a_hole_is_led_to_it() -> None:
    assert "(docs/threat-model.md)" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


# Files that speak of SQLite without a database of the tests: they tell addresses, or use none of `bot.storage`.
SPEAKING = {"tests/packaging/test_container.py", "tests/docs/test_pages.py", "tests/support/sqlite.py"}


def test_a_file_of_sqlites_is_opened_only_where_a_test_is_about_sqlite() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "sqlite:///" in text and str(path.relative_to(ROOT)) not in SPEAKING:
            assert "mark.sqlite(" in text, f"{path}: ask for `databases`, or say @pytest.mark.sqlite(why)"


def test_a_test_that_asks_for_a_database_is_marked(request: pytest.FixtureRequest) -> None:
    needing = [item for item in request.session.items if NEEDED_BY.intersection(getattr(item, "fixturenames", ()))]
    assert all(item.get_closest_marker("database") for item in needing)
    about = [item for item in request.session.items if item.get_closest_marker("sqlite")]
    assert all((item.get_closest_marker("skip") is not None) == ON_POSTGRESQL for item in about)


ROOMS = ("bot", "webhooks", "prompts", "tests", "lab", "fake_github", "benchmarks", "deploy", "scripts")
THEIRS = {"tests/requirements.txt"}  # of the project that is judged


@cache
def tree() -> tuple[str, ...]:
    """Every file and folder of the rooms."""
    found = (each.relative_to(ROOT) for room in ROOMS for each in (ROOT / room).rglob("*"))
    return (*ROOMS, *(each.as_posix() for each in found if "__pycache__" not in each.parts))


def named(page: Path) -> Iterator[str]:
    """Paths and dotted names between backticks, and the files in a drawing."""
    text = page.read_text(encoding="utf-8")
    for drawing in re.findall(r"```mermaid\n(.*?)```", text, re.DOTALL):
        yield from re.findall(r"[\w/]+\.py", drawing)
    for name in re.findall(r"`([\w./*-]+)`", text):
        in_a_room = re.match(rf"({'|'.join(ROOMS)})/|(bot|webhooks)\.[a-z]", name)
        if in_a_room or re.fullmatch(r"\w+\.py", name):
            yield name


def is_there(name: str) -> bool:
    """A dotted name may end in something that its module defines."""
    if "/" not in name and not name.endswith(".py"):
        path = name.replace(".", "/")
        module, _, defined = path.rpartition("/")
        file = ROOT / f"{module}.py"
        return path in tree() or f"{path}.py" in tree() or (file.exists() and defined in file.read_text("utf-8"))
    path = name.rstrip("/")
    return any(fnmatch(each, path) or each.endswith(f"/{path}") for each in tree())


@pytest.mark.parametrize("page", [ARCHITECTURE, *INTERNALS, *USER_PAGES], ids=lambda page: page.name)
def test_every_file_a_page_names_is_there(page: Path) -> None:
    assert [name for name in named(page) if name not in THEIRS and not is_there(name)] == []


def test_a_file_that_is_gone_is_found() -> None:
    gone = ("bot/no_such_file.py", "bot.no_such_module", "bot.policy.no_such_name", "no_such_file.py", "bot/nowhere/")
    assert not any(map(is_there, gone))
    assert all(map(is_there, ("bot/policy.py", "bot.policy", "bot.policy.Policy", "policy.py", "bot/")))
