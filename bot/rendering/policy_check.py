"""The check run that tells the author of a policy what is wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.plain_text import clean, count_of
from bot.policy_file import MAX_PROBLEMS, Problem
from bot.rendering.comment import render

NAME = "Bouncer policy"
_LONGEST_SUMMARY = 60_000  # GitHub stops at 65,535 characters


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """What to publish. `annotations` are GitHub's own objects, at most 50; conclusion is GitHub's; `neutral`
    where nobody knows."""

    conclusion: str
    title: str
    summary: str
    annotations: tuple[dict[str, Any], ...] = ()


def policy_check(problems: Sequence[Problem]) -> PolicyCheck:
    """The check for a policy with these problems; none means it is valid."""
    if not problems:
        return PolicyCheck("success", "The policy is valid", "Bouncer understands every line of it.")
    return PolicyCheck(
        "failure",
        f"{count_of(len(problems), 'problem')} in the policy",
        render("policy_check", problems=problems)[:_LONGEST_SUMMARY],
        tuple(
            {
                "path": problem.path,
                "start_line": problem.line,
                "end_line": problem.line,
                "start_column": problem.column,
                "end_column": problem.column,
                "annotation_level": "failure",
                "title": "Bouncer policy",
                "message": clean(problem.message, 1000),
            }
            for problem in problems[:MAX_PROBLEMS]
        ),
    )


def policy_failed(error: str) -> PolicyCheck:
    """Nobody knows whether it is valid. error: the number under which Bouncer's log says why."""
    said = f"This is a fault of Bouncer's. Its log says more under the number {error}; the next push is checked again."
    return PolicyCheck("neutral", f"Could not be checked: Bouncer failed (error {error})", said)
