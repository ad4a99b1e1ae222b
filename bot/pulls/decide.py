"""The decision about a pull request: one pure function, the first rule that applies.

Opinion alone never bounces. What bounces is a fact about the change (it is empty, it does nothing), something that was
executed (a test it breaks, a rejection that held), or an issue nobody can answer yet. Where judge and execution leave
it open, the verdict is `UNAVAILABLE`, and a person decides.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bot.pulls.facts import Asked, PullFacts, Substance
from bot.rendering import words
from bot.verdicts import Decision, Effect, Evidence, Verdict
from bot.verification.values import Case, Standing

NOBODY = "nobody"  # the judge of a verdict for which none was needed
_LIFTED = (
    "This counts by the report's own words. Where these ask for something else than what is right, a maintainer lifts "
    "it with `/bouncer override` and a reason; a report that was corrected is looked at again."
)
WEAK = 0.5  # a smaller share of small defects noticed is called weak


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table. why: the first reason of the verdict, from the facts."""

    name: str
    applies: Callable[[PullFacts], bool]
    decision: Decision
    why: Callable[[PullFacts], str]


def decide_pull(facts: PullFacts) -> Verdict:
    """The verdict on one head commit. Total: the last rule always applies."""
    rule = rule_of(facts)
    review = facts.review
    return Verdict(
        decision=rule.decision,
        label=review.label if review else None,
        probability=review.probability if review else None,
        judge=review.judge if review else NOBODY,
        kind=None,
        reasons=tuple(dict.fromkeys(reason for reason in (rule.why(facts), *_beside(facts)) if reason)),
        evidence=(*facts.evidence, *(review.evidence if review else ()), *_name_of(facts)),
    )


def rule_of(facts: PullFacts) -> Rule:
    """The first rule that applies."""
    return next(rule for rule in RULES if rule.applies(facts))


def _beside(facts: PullFacts) -> tuple[str, ...]:
    """What else the reader should know, whatever decided."""
    executed = facts.filtered.reasons if facts.filtered else facts.patch.reasons if facts.patch else ()
    share = facts.strength.share if facts.strength else None
    weak = (
        f"The tests notice {facts.strength.killed} of {facts.strength.mutants} small defects in the changed lines."
        if facts.strength and share is not None and share < WEAK
        else ""
    )
    ran = facts.reproduced
    lifted = _LIFTED if ran.still else ""
    mended = (f"At this head the report's reproduction passes: {what}." for what in ran.mended)
    otherwise = (f"At this head the report's reproduction fails in another way: {what}." for what in ran.otherwise)
    return (lifted, *executed, *mended, *otherwise, *facts.risks, weak, *facts.remarks)


def _name_of(facts: PullFacts) -> tuple[Evidence, ...]:
    """What sort of rejection execution refuted."""
    if facts.named is None:
        return ()
    sort = words.REJECTIONS[facts.named.rejection]
    found = f"Execution refuted the rejection. What sort it was, as {facts.named.judge} names it: {sort}."
    return (Evidence("refuted_rejection", Effect.CLEAR, found),)


def _said(text: str) -> Callable[[PullFacts], str]:
    return lambda facts: text


def _rejects(facts: PullFacts) -> bool:
    return facts.review is not None and facts.review.rejects


def _filtered(decision: Decision) -> Callable[[PullFacts], bool]:
    return lambda facts: _rejects(facts) and facts.filtered is not None and facts.filtered.decision is decision


def _stands(standing: Standing) -> Callable[[PullFacts], bool]:
    return lambda facts: facts.patch is not None and facts.patch.standing is standing


def _unwatched(facts: PullFacts) -> bool:
    """Whether nothing that ran looks at what changed: not one small defect in its lines is noticed, and nothing failed
    before it that passes with it."""
    strength, patch = facts.strength, facts.patch
    blind = strength is not None and strength.complete and strength.mutants > 0 and not strength.killed
    return blind and not (facts.reproduced.mended or (patch and (patch.repaired or patch.facts.reproduction_head)))


def _firm(facts: PullFacts) -> bool:
    """Whether what ran speaks for the change, and nothing asks for a person."""
    return _stands(Standing.PLAUSIBLE)(facts) and not facts.risks and not _unwatched(facts)


def _stays_unresolved(facts: PullFacts) -> bool:
    """Whether change and fix both fail. Then nothing that ran shows that the issue can be met, so the rejection has to
    say what it demands."""
    both = facts.filtered is not None and facts.filtered.case is Case.BOTH_FAIL
    return both and _filtered(Decision.BOUNCE)(facts) and facts.review is not None and not facts.review.grounded


def _rejected_alone(facts: PullFacts) -> str:
    """What an opinion that nothing tested amounts to."""
    assert facts.review is not None
    named = (
        "It quotes a requirement that is said to be violated" if facts.review.grounded else "It names no requirement"
    )
    return (
        f"The judge would not accept it, but nothing that ran confirms that. {named}, and opinion alone blocks nobody."
    )


def _unneeded(facts: PullFacts) -> str:
    """Why nothing had to be changed."""
    assert facts.unneeded is not None
    found = facts.unneeded
    issues = f"issue {found.issues[0]} reports" if len(found.issues) == 1 else "its issues report"
    by = f" by commit {found.commit[:10]}" if found.commit else ""
    return f"No change was needed: what {issues} is fixed already{by}; it was run at the base, and passes."


RULES: tuple[Rule, ...] = (
    Rule("could not be read", lambda facts: bool(facts.unread), Decision.UNAVAILABLE, lambda facts: facts.unread),
    Rule("empty", lambda facts: facts.substance is Substance.EMPTY, Decision.BOUNCE, _said("It changes no file.")),
    Rule(
        "fixed already, and left alone",
        lambda facts: facts.unneeded is not None and facts.unneeded.leaves_code and not facts.risks,
        Decision.ACCEPT,
        _said("What its issue reports is fixed already, and it rightly leaves the code alone."),
    ),
    Rule(
        "does nothing",
        lambda facts: facts.substance is Substance.NO_OP,
        Decision.BOUNCE,
        _said("It touches code and changes nothing in what that code does: layout and comments apart, it is the same."),
    ),
    Rule(
        "unclear issue",
        lambda facts: facts.asked is Asked.UNCLEAR,
        Decision.BOUNCE,
        _said("The issue it answers still waits for clarification, so nobody can say whether it is answered."),
    ),
    Rule(
        "no issue",
        lambda facts: facts.asked is Asked.NOTHING,
        Decision.BOUNCE,
        _said("It names no issue, and this repository's policy asks for one: write `Fixes #…` into the description."),
    ),
    Rule(
        "fixed already",
        lambda facts: facts.unneeded is not None and not facts.unneeded.leaves_code,
        Decision.BOUNCE,
        _unneeded,
    ),
    Rule(
        "fixed already, but look",
        lambda facts: facts.unneeded is not None,
        Decision.UNAVAILABLE,
        _said("What its issue reports is fixed already, and it leaves the code alone. A person should look at it."),
    ),
    Rule(
        "breaks tests",
        lambda facts: bool(facts.patch and facts.patch.regressions),
        Decision.BOUNCE,
        _said("It breaks tests that pass without it."),
    ),
    Rule(
        "leaves the issue as it is",
        _stands(Standing.IMPLAUSIBLE),
        Decision.BOUNCE,
        _said("What the issue shows to be wrong is still wrong with it."),
    ),
    Rule(
        "leaves the report as it is",
        lambda facts: bool(facts.reproduced.still),
        Decision.BOUNCE,
        lambda facts: f"What the report shows still goes wrong at this head: {facts.reproduced.still[0]}.",
    ),
    Rule(
        "nobody judged",
        lambda facts: facts.review is None,
        Decision.UNAVAILABLE,
        lambda facts: facts.unjudged or "No judge could answer.",
    ),
    Rule(
        "judge contradicts itself",
        lambda facts: facts.review is not None and not facts.review.consistent,
        Decision.UNAVAILABLE,
        _said("The judge's reasons do not say what its verdict says, so neither counts."),
    ),
    Rule(
        "rejection stays unresolved",
        _stays_unresolved,
        Decision.UNAVAILABLE,
        _said("The change fails tests, and so does a fix for it; the judge names no requirement. So it is open."),
    ),
    Rule(
        "rejection holds",
        _filtered(Decision.BOUNCE),
        Decision.BOUNCE,
        lambda facts: (
            "A fix was tried beside it: it fails where that passes."
            if facts.filtered and facts.filtered.case is Case.REPAIR_SUCCESS
            else "It was executed, and the rejection holds."
        ),
    ),
    Rule(
        "rejection does not hold",
        lambda facts: _filtered(Decision.ACCEPT)(facts) and _firm(facts),
        Decision.ACCEPT,
        _said("The judge would have rejected it. That was put to the test by executing it, and does not hold."),
    ),
    Rule(
        "rejection does not hold, but look",
        _filtered(Decision.ACCEPT),
        Decision.UNAVAILABLE,
        _said("The judge's rejection was executed and does not hold. A person should still look at it."),
    ),
    Rule(
        "open question",
        lambda facts: (
            _filtered(Decision.UNAVAILABLE)(facts)
            and facts.filtered is not None
            and facts.filtered.case is Case.UNDECIDED
        ),
        Decision.UNAVAILABLE,
        _said("The change and a fix for it behave differently, and nothing says which is right. That takes a person."),
    ),
    Rule(
        "counterexample holds",
        lambda facts: _rejects(facts) and facts.claimed is not None and bool(facts.claimed.failing),
        Decision.BOUNCE,
        _said("What it was said to get wrong was run, and it does get it wrong; the issue demands otherwise."),
    ),
    Rule(
        "counterexample does not hold",
        lambda facts: (
            _rejects(facts)
            and facts.claimed is not None
            and facts.claimed.passed
            and not facts.risks
            and _stands(Standing.PLAUSIBLE)(facts)
        ),
        Decision.ACCEPT,
        _said("The judge would have rejected it. What it was said to get wrong was run, and it gets that right."),
    ),
    Rule("opinion alone", _rejects, Decision.UNAVAILABLE, _rejected_alone),
    Rule(
        "accepted, but look",
        lambda facts: bool(facts.risks),
        Decision.UNAVAILABLE,
        _said("A person should look at it."),
    ),
    Rule(
        "nothing to execute",
        lambda facts: facts.substance is Substance.PAPER,
        Decision.ACCEPT,
        _said("It changes documentation or tests alone, and the judge accepts it."),
    ),
    Rule(
        "nothing looks at it",
        lambda facts: _stands(Standing.PLAUSIBLE)(facts) and _unwatched(facts),
        Decision.UNAVAILABLE,
        _said("The judge accepts it, but no test looks at what it changes, and opinion alone passes nobody."),
    ),
    Rule(
        "plausible",
        _stands(Standing.PLAUSIBLE),
        Decision.ACCEPT,
        _said(
            "The judge accepts it, and nothing that ran speaks against it. So it is plausible; tests cannot say more."
        ),
    ),
    Rule(
        "not executed",
        lambda facts: True,
        Decision.UNAVAILABLE,
        lambda facts: facts.unexecuted or "The judge accepts it, but what was executed leaves it open.",
    ),
)
