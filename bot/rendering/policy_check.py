"""The check run that tells the author of a policy what is wrong with it."""

from collections.abc import Sequence

from bot.github.values import Annotation
from bot.plain_text import count_of
from bot.policy_file import PATH, Problem
from bot.rendering.comment import render
from bot.rendering.gate import GateView

NAME = "Bouncer policy"
_LONGEST_SUMMARY = 60_000  # GitHub stops at 65,535 characters


def policy_check(problems: Sequence[Problem]) -> GateView:
    """The check for a policy with these problems; none means it is valid."""
    if not problems:
        return GateView("success", "The policy is valid", "Bouncer understands every line of it.")
    return GateView(
        "failure",
        f"{count_of(len(problems), 'problem')} in the policy",
        render("policy_check", problems=problems)[:_LONGEST_SUMMARY],
        tuple(
            Annotation(
                path=PATH,
                start_line=problem.line,
                end_line=problem.line,
                level="failure",
                message=problem.message,
                title=f"{NAME}, column {problem.column}",
                start_column=problem.column,
                end_column=problem.column,
            )
            for problem in problems
        ),
    )


def policy_failed(error: str) -> GateView:
    """Neutral: nobody knows whether it is valid. error: the number under which Bouncer's log says why."""
    said = f"This is a fault of Bouncer's. Its log says more under the number {error}; the next push is checked again."
    return GateView("neutral", f"Could not be checked: Bouncer failed (error {error})", said)
