"""What a job of the Action says on its page at GitHub, and the outputs it gives to later steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.pulls.result import PullResult
from bot.rendering.comment import render
from bot.rendering.escape import prose
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.pull_reasons import reasons
from bot.rendering.words import decision_words
from bot.verdicts import Decision, Verdict

_MOST = 20  # lines of each list
_ISSUES = {
    Decision.ACCEPT: "says enough to act on",
    Decision.BOUNCE: "does not say enough to act on",
    Decision.UNAVAILABLE: "could not be judged",
}


@dataclass(frozen=True, slots=True)
class SubjectSummary:
    """One subject of a job. verdict: an issue's; result: a pull request's. ended: what was done, a line each; some of
    it from strangers. foreign: addresses of checks of Bouncer's name that another workflow wrote."""

    subject: str
    ended: Sequence[str] = ()
    verdict: Verdict | None = None
    result: PullResult | None = None
    overridden: bool = False
    foreign: Sequence[str] = ()


def job_summary(
    told: Sequence[SubjectSummary], policy: str, without_effect: Mapping[str, str], unfinished: Sequence[str]
) -> str:
    """Markdown. policy: what is wrong with it, else empty. without_effect: keys of its file, with the reason.
    unfinished: what GitHub did not let end."""
    return render(
        "job_summary",
        told=told,
        policy=policy,
        without_effect=without_effect,
        unfinished=unfinished,
        in_words=_said,
        reasons_of=_reasons,
        most=_MOST,
    ).strip()


def outputs(told: Sequence[SubjectSummary]) -> dict[str, str]:
    """Of the first subject: its number, the decision, the label, and the first reason, on one line each."""
    first = next(iter(told), SubjectSummary(""))
    verdict = first.result.verdict if first.result is not None else first.verdict
    return {
        "subject": first.subject.removeprefix("#"),
        "decision": verdict.decision.value if verdict is not None else "",
        "label": verdict.label.value if verdict is not None and verdict.label is not None else "",
        "overridden": str(first.overridden).lower(),
        "reason": prose(" ".join(_reasons(first)[:1]), 300),
    }


def _said(told: SubjectSummary) -> str:
    if told.overridden:
        return "is let through by a maintainer"
    if told.result is not None:
        return decision_words(told.result.verdict.decision, told.result.verdict.cause)
    return _ISSUES[told.verdict.decision] if told.verdict is not None else ""


def _reasons(told: SubjectSummary) -> tuple[str, ...]:
    if told.result is not None:
        return reasons(told.result)
    return issue_reasons(told.verdict) if told.verdict is not None else ()
