"""How one change is judged, for the gate and the command line alike: an opinion where there is something to judge, what
runs where something can, and the facts of both. Pure except for the two that it is given."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.changes.mentions import Mentions
from bot.changes.values import Change, Whole
from bot.github.values import LinkedIssue
from bot.judges.agent.code_tools import CodeReader
from bot.judges.claims import How
from bot.judges.patches import PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchReview, PatchReviewer
from bot.policy_choices import WhenUnproved
from bot.pulls.claims import by_diff, by_runs, shown
from bot.pulls.decide import decide_pull
from bot.pulls.facts import RUN, PullFacts, RequestKind, Substance
from bot.pulls.reading import read_facts
from bot.pulls.request import MAY_NOT, Request, texts
from bot.pulls.result import MERGED, PullResult
from bot.verdicts import Cause, Decision, Effect, Evidence
from bot.verification.evidence import HeadTrial

_WITH_MEANING = (*RUN, Substance.PAPER)
_SETTLED = (RequestKind.UNCLEAR, RequestKind.NOTHING)  # nobody can say whether it does what was asked


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """The judge's answer as it crosses a checkpoint; `unjudged` says why there is none."""

    review: PatchReview | None = None
    unjudged: str = ""


def opinion(reviewer: PatchReviewer, subject: PatchSubject, code: CodeReader | str = "") -> ReviewAnswer:
    """What the reviewer says. Never raises.

    code: where it may look things up; or why it cannot, as a phrase, which then stands beside the review.
    """
    answer = reviewer.review(subject, None if isinstance(code, str) else code)
    if isinstance(answer, NoJudgement):
        return ReviewAnswer(unjudged=answer.reason)
    if isinstance(code, str) and code:
        found = Evidence("context", Effect.NEUTRAL, f"The code around the change was not looked at: {code}.")
        answer = replace(answer, evidence=(*answer.evidence, found))
    return ReviewAnswer(answer)


def subject_of(wanted: Request, change: Change) -> PatchSubject:
    """What a judge is shown."""
    return PatchSubject(wanted.specification or wanted.description, change, asked=bool(wanted.specification))


def is_given(issue: LinkedIssue) -> bool:
    """Where nobody can ask GitHub for rights: whoever runs the command gave the issue that nobody is named for, and
    answers for it; no other issue waives anything."""
    return not issue.author


def first_facts(
    wanted: Request, change: Change, whole: Whole, mentions: Mentions, may_waive: Callable[[LinkedIssue], bool]
) -> PullFacts:
    """The facts of a change held against what was asked for, before anybody judges it. whole: a file before and after,
    where it can be had. mentions: lines of its tree that hold given texts. may_waive: whether who wrote an issue may
    allow what a person must look at; asked only where it would.
    """

    def read(waiving: tuple[LinkedIssue, ...]) -> PullFacts:
        return read_facts(
            *(wanted.asked, change, wanted.specification or wanted.description),
            others=texts(waiving),
            demanded=bool(wanted.demanded) and not wanted.documentation,
            whole=whole,
            mentions=mentions,
        )

    facts = read(wanted.waiving)
    if facts.remarks and (refused := [issue for issue in wanted.waiving if not may_waive(issue)]):
        facts = read(tuple(issue for issue in wanted.waiving if issue not in refused))
        told = (MAY_NOT.format(number=issue.number) for issue in refused)
        facts = replace(facts, remarks=(*facts.remarks, *told))
    added = any(found.check == "dependency_added" for found in facts.evidence)
    return replace(
        facts,
        demanded=wanted.demanded,
        person_if_unproved=wanted.unproved is WhenUnproved.PERSON,
        risks=(*wanted.risks, *facts.risks),
        remarks=(*wanted.remarks, *facts.remarks),
        claims=by_diff(wanted.claims, change, whole, dependency=added),
    )


def judged(
    facts: PullFacts, ask: Callable[[], ReviewAnswer], execute: Callable[[PatchReview | None], HeadTrial]
) -> PullFacts:
    """The facts of a change with what a judge says of it and what became of it when it ran.

    ask: called where there is something to judge; what says nothing new costs nothing. execute: called with the review
    where there is something that runs, also where nothing had to be changed and nothing but its tests was; and without
    it for documentation, which is judged as what runs where its tests open it.
    """
    # What changes code that nobody had to change decides by itself.
    needless = facts.unneeded is not None and not facts.unneeded.leaves_code
    if facts.unread or needless or facts.substance not in _WITH_MEANING or facts.asked in _SETTLED:
        return facts
    if not facts.unneeded:
        said = ask()
        facts = replace(facts, review=said.review, unjudged=said.unjudged)
    if facts.substance is Substance.PAPER:
        trial = execute(None)
        return replace(facts, substance=Substance.CODE, trial=trial) if _is_read(trial) else facts
    if facts.substance not in RUN:
        return facts
    trial, review = execute(facts.review), facts.review
    ran = replace(facts, trial=trial)
    stated = [claim.counterexample for claim in review.claims] if review and review.counts else []
    return replace(
        ran,
        # Commands, states of files, and calls that do not fit.
        not_run=tuple(each for each in stated if each and (each.how is not How.CALL or each.what not in trial.tried)),
        shown=facts.shown or trial.examples.shown or trial.shown or (trial.verified.shown if trial.verified else ""),
    )


def _is_read(trial: HeadTrial) -> bool:
    """Whether documentation is more than that: tests open it, or mind that it is another, or gone."""
    patch = trial.patch
    minded = patch is not None and bool(patch.regressions or patch.own_failing or patch.gone)
    return minded or bool(trial.opened or trial.conflict) or trial.blame is Cause.CHANGE


def with_claims(facts: PullFacts) -> PullFacts:
    """The same, with what the diff and the runs say of its own claims: a contradicted one asks for a person, and what
    was not checked is said."""
    weighed = by_runs(facts.claims, facts.patch)
    told = shown(weighed)
    against = (each.found for each in told if each.effect is Effect.MISSING)
    return replace(facts, claims=weighed, risks=(*facts.risks, *against), evidence=(*facts.evidence, *told))


def concluded(facts: PullFacts, *, head: str, base: str = "", agent: str = "", asked: str = "") -> PullResult:
    """The verdict, with all that it stands on. base: the commit it was held against. agent, asked: in words, for the
    reader."""
    facts = with_claims(facts)
    return PullResult(decide_pull(facts), head, base, facts, agent, asked)


def queue_objection(stood: HeadTrial, head: str) -> PullResult | None:
    """What speaks against a group of the merge queue, whose commit is `head`; `None` where nothing does, or nobody can
    say for reasons outside of it: then its pull request's own verdict holds. What was asked for is that verdict's
    matter."""
    facts = PullFacts(trial=stood)
    verdict = replace(decide_pull(facts), judge=MERGED)
    passes = verdict.decision is Decision.ACCEPT or verdict.cause is Cause.OUTSIDE
    return None if passes else PullResult(verdict, head, facts=facts)
