"""The page on troubleshooting knows every reason of a verdict and every refusal of the server, in the code's words."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from bot.pulls.decide import PullGround, rule_of
from bot.pulls.facts import PullFacts
from bot.rendering.pull_reasons import reasons
from tests.docs.pages import DOCS, ROOT
from tests.pulls import test_decide
from tests.pulls.results import decided

PAGE = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
# Their sentence is another's: of what could not be read or run, of a risk or a maintainer.
QUOTED = ("could not be read", "not executed", "cannot be judged", "named risk", "upheld by a maintainer")
NEEDS_NOTHING = ("red to green", "fixed already, and left alone", "fixed already, and nothing broke")
REFUSALS = ("Refused", "refuse", "SetupError", "ManifestError", "WorkerRunning", "DatabaseError", "EngineError")
RETURNED = ("refusal", "_mend", "_failed", "_unmigrated")  # functions that return such a sentence
SPOKEN = (
    *("webhooks", "bot/setup", "bot/github/manifest.py", "bot/storage/database.py"),
    *("bot/workflows/durable/worker_lock.py", "bot/workflows/durable/engine.py"),
)
NEVER_SEEN = ("One process runs one engine.",)  # but by whoever changes Bouncer
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


def compare(told: set[str], heading: str, elsewhere: tuple[str, ...]) -> None:
    """Each sentence begins as the page quotes one, and the page quotes nothing else."""
    quoted = [(each, re.compile(".+?".join(map(re.escape, each.split("…"))))) for each in beginnings(heading)]
    said = [each.replace("`", "") for each in sorted(told)]
    assert [each for each in said if not any(pattern.match(each) for _, pattern in quoted)] == []
    assert sorted(each for each, pattern in quoted if not any(map(pattern.match, said))) == sorted(elsewhere)
    code = "".join(
        path.read_text(encoding="utf-8") for room in ("bot", "webhooks") for path in (ROOT / room).rglob("*.py")
    )
    assert [each for each in elsewhere if max(each.split("…"), key=len) not in code] == []


def test_every_reason_of_a_verdict_is_on_the_page() -> None:
    [rows] = [mark.args[1] for mark in test_decide.test_the_table.pytestmark if mark.name == "parametrize"]
    told, grounds = set(), set()
    for differs, _, _ in rows:
        given: dict[str, Any] = {"review": test_decide.YES, "patch": test_decide.PLAUSIBLE, **differs}
        grounds.add(ground := rule_of(PullFacts(**given)).ground)
        if ground not in (*QUOTED, *NEEDS_NOTHING):
            told.add(reasons(decided(**given))[0])
    assert grounds == set(PullGround)
    compare(told, "Reasons in the check", BUDGET)


def test_every_refusal_of_the_server_is_on_the_page() -> None:
    told = set(spoken()) - set(NEVER_SEEN)
    assert len(told) > 40
    compare(told, "Messages of the server", ELSEWHERE)


def spoken() -> Iterator[str]:
    """What the server's processes refuse with: the text in the code, `X` for what differs each time."""
    for place in SPOKEN:
        for path in sorted((ROOT / place).rglob("*.py")) or [ROOT / place]:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFUSALS:
                    yield from filter(None, map(text, node.args))
                if isinstance(node, ast.FunctionDef) and node.name in RETURNED:
                    yield from (text(each) for each in ast.walk(node) if isinstance(each, ast.Return))


def text(node: ast.AST | None) -> str:
    """The sentence that it is, or returns first."""
    if isinstance(node, ast.Return):
        return text(node.value.elts[0] if isinstance(node.value, ast.Tuple) else node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
