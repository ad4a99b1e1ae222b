"""An issue's verdict without GitHub, and its prediction in BouncerBench's shape."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.commands.shared import policy_in
from bot.issues.decide import decide_issue, wants_judge
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.issues.templates import Template
from bot.judges.protocol import IssueJudge
from bot.plain_text import clean
from bot.policy import Policy
from bot.policy_choices import Strictness
from bot.rendering.issue_reasons import issue_reasons
from bot.reports import IssueText
from bot.verdicts import Decision, Verdict


def issue_verdict(
    text: IssueText, judging: IssueJudge, policy: Policy, templates: tuple[Template, ...] = ()
) -> Verdict:
    """As the server would decide about somebody whom no policy exempts."""
    facts = IssueFacts(parse(text, templates))
    if wants_judge(facts, policy):
        facts = replace(facts, judgement=judging.judge(facts.report))
    return decide_issue(facts, policy)


def issue_prediction(verdict: Verdict) -> dict[str, Any]:
    """BouncerBench's shape. What was not judged is not bounced, and says so."""
    unavailable = verdict.decision is Decision.UNAVAILABLE
    label = verdict.label.value if verdict.label and not unavailable else ""
    missing = ", ".join(clean(line.section) or line.item.value for line in verdict.checklist if not line.clear)
    return {
        "input_bounce": verdict.decision is Decision.BOUNCE,
        "probability": None
        if verdict.probability is None and not unavailable
        else round(verdict.probability or 0.0, 4),
        "label": label or (Decision.UNAVAILABLE.value if unavailable else str(verdict.kind).upper()),
        "trace": f"{verdict.decision}: {clean(' '.join(issue_reasons(verdict)))}"
        + (f" Missing: {missing}." if missing else ""),
    }


def policy_with(path: Path | None, strictness: str | None, default: Strictness) -> Policy:
    """The file's policy, or the default one with `default`; a strictness that was asked for beats both."""
    policy = policy_in(path)
    if path and not strictness:
        return policy
    wanted = {"strictness": Strictness(strictness) if strictness else default}
    return policy.model_copy(update={"issues": policy.issues.model_copy(update=wanted)})
