"""What a job of the Action says on its page at GitHub, and the outputs it gives to later steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.pulls.result import PullResult
from bot.rendering.escape import code, prose
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
    lines = ["### Bouncer"]
    if not told:
        lines += ["There was nothing to judge."]
    for each in told:
        lines += _of(each)
    if policy:
        lines += [f"The policy is not valid, so nothing is judged by it: {prose(policy, 600)}"]
    if without_effect:
        lines += ["The policy gives these keys, and here they have no effect:"]
        lines += ["\n".join(f"- `{key}`, since {why}." for key, why in without_effect.items())]
    if unfinished:
        lines += ["GitHub did not answer in time, so this was not done. Run the job again:"]
        lines += ["\n".join(f"- {prose(line)}" for line in unfinished[:_MOST])]
    return "\n\n".join(lines)


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


def _of(told: SubjectSummary) -> list[str]:
    said = _said(told)
    lines = [f"**{told.subject}** {said}" if said else f"**{told.subject}**"]
    lines += [prose(reason) for reason in _reasons(told)[:3]]
    if told.ended:
        lines.append("\n".join(f"- {prose(line, 300)}" for line in told.ended[:_MOST]))
    if told.foreign:
        where = ", ".join(code(each, 300) for each in told.foreign[:3])
        lines.append(f"Another workflow wrote a check with the name of Bouncer's on this commit: {where}")
    return lines


def _said(told: SubjectSummary) -> str:
    if told.overridden:
        return "is let through by a maintainer"
    if told.result is not None:
        return decision_words(told.result.verdict.decision, told.result.verdict.cause)
    return _ISSUES[told.verdict.decision] if told.verdict is not None else ""


def _reasons(told: SubjectSummary) -> tuple[str, ...]:
    if told.result is not None:
        return tuple(reasons(told.result))
    return tuple(issue_reasons(told.verdict)) if told.verdict is not None else ()
