"""Why an issue's verdict is what it is, in sentences, which are in `templates/issue_reasons.j2`."""

from functools import cache
from typing import Any

from bot.issues.facts import IssueGround
from bot.plain_text import join_words
from bot.rendering.comment import template
from bot.verdicts import KINDS, Verdict


def issue_reasons(verdict: Verdict) -> tuple[str, ...]:
    """Plain sentences, the most important first. A verdict of a record brings them along."""
    if verdict.reasons:
        return verdict.reasons
    said = str(getattr(_sentences(), IssueGround(verdict.ground).name.lower())(verdict))
    return tuple(line for line in said.split("\n") if line)


def issue_promise(verdict: Verdict) -> str:
    """What the strictness promises and what that stands on, as sentences; empty for rules, which promise no share."""
    return str(_sentences().promise(verdict.basis, verdict.judge)).strip() if verdict.basis else ""


@cache
def _sentences() -> Any:
    return template(
        "issue_reasons.j2", kinds=KINDS, quoted=lambda names: join_words([f"“{name}”" for name in names])
    ).module
