"""The check run that carries a pull request's verdict. The templates escape what is untrusted."""

from dataclasses import dataclass, replace

from bot.github.values import Annotation, LineNote
from bot.judges.rejections import Named
from bot.judges.reviews import PatchReview
from bot.policy import Mode, Unavailable
from bot.rendering import words
from bot.rendering.comment import render
from bot.rendering.escape import clean, code, prose
from bot.rendering.handed import PROMPT, pasteable, pytest_line
from bot.rendering.pull import gist
from bot.rendering.verified import counts, outcome
from bot.verdicts import Decision, Effect, Verdict
from bot.verification.repair.values import Repair
from bot.verification.values import PatchEvidence, Strength, TestResult, TestRun, Verified

NAME = "bouncer"
_LONGEST = 60_000  # GitHub stops at 65,535 characters
_TITLE = 120
_MOST = 3  # tests shown
_HEADS = {Decision.ACCEPT: "Plausible", Decision.BOUNCE: "Bounced", Decision.UNAVAILABLE: "Could not be judged"}
_ADVICE = {
    Decision.ACCEPT: "Plausible",
    Decision.BOUNCE: "Would be bounced",
    Decision.UNAVAILABLE: "Could not be judged",
}


@dataclass(frozen=True, slots=True)
class GateView:
    """What to publish. conclusion is GitHub's; `None` while it is judged. summary: Markdown. details_url: its page."""

    conclusion: str | None
    title: str
    summary: str
    annotations: tuple[Annotation, ...] = ()
    details_url: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything there is to tell about one judged commit. agent: whose pull request it is, with the reason, in words.

    asked: what it was held against, in words. symptom, guess: the judge's, untrusted. claimed: a rejection's
    counterexamples, run on the change. annotations: what is said beside its lines. fix: one that was found right, as a
    diff; suggestions: the same on its lines. shown: what speaks against it, to be run. named: what sort of rejection
    was refuted. unneeded: nothing had to be changed at all.
    """

    verdict: Verdict
    head: str
    agent: str = ""
    asked: str = ""
    symptom: str = ""
    guess: str = ""
    verified: Verified | None = None
    patch: PatchEvidence | None = None
    review: PatchReview | None = None
    claimed: TestRun | None = None
    strength: Strength | None = None
    repair: Repair | None = None
    fix: str = ""
    shown: str = ""
    named: Named | None = None
    annotations: tuple[Annotation, ...] = ()
    suggestions: tuple[LineNote, ...] = ()
    unneeded: bool = False


def under_way(doing: str) -> GateView:
    """While it is judged. doing: e.g. `reading the change`."""
    return GateView(None, f"Judging: {doing}", "Bouncer is looking at this commit. This check completes by itself.")


def let_through(why: str) -> GateView:
    """A pull request that is none of Bouncer's business, so that the check can be required of all."""
    return GateView(
        "success", clean(why, _TITLE), "Bouncer judges only what its policy names; nothing was looked at here."
    )


def a_persons(who: str, reason: str) -> GateView:
    """A maintainer says that it is no coding agent's, and the policy has only those judged."""
    said = f"{code(who, 60)} says that this is a person's pull request: {prose(reason, 400)}"
    ends = "An agent's push ends that, and so does `/bouncer override-cancel`."
    return GateView("success", clean(f"A person's, says {who}: not judged", _TITLE), f"{said}\n\n{ends}")


def overridden(judged: Judged, who: str, reason: str, carried_from: str = "") -> GateView:
    """A maintainer's word beats the verdict. carried_from: the commit it was given for, if that is an earlier one."""
    title = clean(f"Overridden by {who}", _TITLE)
    return GateView("success", title, _summary(judged, who, reason, carried_from), judged.annotations)


def gate_view(judged: Judged, mode: Mode, unavailable: Unavailable) -> GateView:
    """The completed check, as loud as the policy says."""
    decision = judged.verdict.decision
    heads = _HEADS if mode is Mode.ENFORCE else _ADVICE
    title = ": ".join([heads[decision], *judged.verdict.reasons[:1]])
    conclusion = _conclusion(decision, mode, unavailable)
    return GateView(conclusion, clean(title, _TITLE), _summary(judged), judged.annotations)


def explained(judged: Judged) -> str:
    """All that led to the verdict, for a comment."""
    head = f"How commit `{judged.head[:7]}` was judged: {_ADVICE[judged.verdict.decision].lower()}."
    return f"{head}\n\n{_summary(judged)}"


def _conclusion(decision: Decision, mode: Mode, unavailable: Unavailable) -> str:
    """GitHub counts `neutral` as passed, and `action_required` not."""
    if mode is not Mode.ENFORCE:
        return "neutral"
    if decision is Decision.UNAVAILABLE:
        return "neutral" if unavailable is Unavailable.PASS else "action_required"
    return "success" if decision is Decision.ACCEPT else "failure"


def _summary(judged: Judged, who: str = "", reason: str = "", carried_from: str = "") -> str:
    patch, failing = judged.patch, _failing(judged)
    differs = judged.verified.difference if judged.verified else None
    return render(
        "gate",
        judged=judged,
        verdict=judged.verdict,
        bounced=judged.verdict.decision is Decision.BOUNCE,
        who=who,
        reason=reason,
        carried_from=carried_from,
        failing=failing,
        command=pytest_line(failing),
        shown=pasteable(judged.shown),
        for_shell=judged.shown.rpartition("\n")[0].rpartition("\n")[2].startswith(PROMPT),
        quote=_quote(judged),
        fix=pasteable(judged.fix, len(judged.fix)),
        sides=[("as it is", outcome(differs.original)), ("with the fix", outcome(differs.fix))] if differs else [],
        rows=_rows(judged),
        repaired=patch.repaired[:_MOST] if patch else (),
        labels=words.LABELS,
        evidence=[found for found in judged.verdict.evidence if found.effect is not Effect.HIDDEN],
        hidden=[found for found in judged.verdict.evidence if found.effect is Effect.HIDDEN],
    )[:_LONGEST]


def _rows(judged: Judged) -> list[tuple[str, str]]:
    """What was run, and how it did."""
    rows = []
    if judged.patch:
        facts = judged.patch.facts
        rows += [("the base's tests, without this change", counts(facts.base))]
        rows += [("the base's tests, with it", counts(facts.head))]
        if facts.reproduction_base and facts.reproduction_head:
            rows += [("what the issue shows, without it", counts(facts.reproduction_base))]
            rows += [("what the issue shows, with it", counts(facts.reproduction_head))]
    verified = judged.verified
    if verified and verified.fix:
        rows += [("its own tests, with a fix for it", counts(verified.fix))]
    if verified and verified.augmented_original and verified.augmented_fix:
        rows += [("what the issue says, tried on this change", counts(verified.augmented_original))]
        rows += [("what the issue says, tried on a fix for it", counts(verified.augmented_fix))]
    return rows


def _quote(judged: Judged) -> str:
    """The requirement that is violated, where one is known."""
    differs = judged.verified.difference if judged.verified else None
    if differs and differs.quote:
        return differs.quote
    return judged.review.quote if judged.review and judged.review.rejects and judged.review.grounded else ""


def _failing(judged: Judged) -> list[TestResult]:
    """The tests that speak against it, the first few, with what each said."""
    found: list[TestResult] = []
    if judged.patch:
        lost = set(judged.patch.regressions)
        runs = (judged.patch.facts.head, judged.patch.facts.reproduction_head)
        found = [
            result
            for run in runs
            if run
            for result in run.failing
            if result.name in lost or run is judged.patch.facts.reproduction_head
        ]
    if not found and judged.verdict.decision is Decision.BOUNCE:
        verified = judged.verified
        beside = (verified.original, verified.augmented_original) if verified else ()
        found = [result for run in (*beside, judged.claimed) if run for result in run.failing]
    return [replace(result, message=gist(result.message)) for result in found[:_MOST]]
