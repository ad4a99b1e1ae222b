"""The decision about a pull request: one pure function, the first rule that applies.

Opinion decides nothing. What bounces is a fact about the change (it is empty, or does nothing where an issue asks for
behaviour), something that was executed (a test that it breaks, a test of its own that fails, a rejection that held), or
an issue nobody can answer yet. What passes is what ran: something turned from red to green where an issue asks for
behaviour, and nothing broke.
Everything else is `UNAVAILABLE`, for one of three causes.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.pulls.claims import uncovered
from bot.pulls.facts import RUN, Asked, PullFacts, Reproduced, Substance
from bot.pulls.ran import (
    SHARE,
    barely_noticed,
    control_is,
    mended,
    nothing_missed,
    refuted,
    settled,
    slow_by_itself,
    unbroken,
    unfit,
    unproved,
    untried,
)
from bot.rendering import run_words
from bot.rendering.escape import clean
from bot.verdicts import Cause, Decision, Effect, Evidence, Verdict
from bot.verification.values import (
    Case,
    Contradiction,
    Fate,
    Proof,
    Red,
    Settled,
    Standing,
    Strength,
    TestStatus,
    Turned,
)

NOBODY = "nobody"  # the judge of a verdict for which none was needed
_LIFTED = (
    "This counts by the report's own words. Where these ask for something else than what is right, a maintainer lifts "
    "it with `/bouncer override` and a reason; a report that was corrected is looked at again."
)
_OPINION = "The judge would not accept it. That is an opinion, and opinion alone blocks nobody."
_UNCLEAR = "The judge's reasons do not say what its verdict says, so neither counts."
_NO_DEFECTS = "No small defect in the changed lines was tried, so nothing says how closely the tests look at them."
_NOTHING_RAN = "Nothing of it was run."
_UNASKED = "What no test asks about."
_RIGHTLY = "What its issue reports is fixed already, and it rightly leaves the code alone."
WEAK = 0.5  # a smaller share of small defects noticed is called weak
_NAMED, _NAME = 3, 160  # names in one sentence, and characters of one
_CAUSE = 500  # characters of why nothing ran, with a stranger's line in it


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table. why: the first reason of the verdict, from the facts. cause: of an `UNAVAILABLE`, where
    it is always the same; `None` where the facts say it."""

    name: str
    applies: Callable[[PullFacts], bool]
    decision: Decision
    why: Callable[[PullFacts], str]
    cause: Cause | None = None
    blames: Callable[[PullFacts], Cause] | None = None

    def cause_of(self, facts: PullFacts) -> Cause | None:
        """Why it is `UNAVAILABLE`; `None` for every other decision."""
        return self.blames(facts) if self.blames else self.cause


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
        reasons=tuple(dict.fromkeys(reason for reason in (rule.why(facts), *_beside(facts, rule)) if reason)),
        evidence=(*facts.evidence, *_answer(facts), *(review.evidence if review else ()), *_name_of(facts)),
        cause=rule.cause_of(facts),
        uncovered=_uncovered(facts, rule),
    )


def rule_of(facts: PullFacts) -> Rule:
    """The first rule that applies."""
    return next(rule for rule in RULES if rule.applies(facts))


def _beside(facts: PullFacts, rule: Rule) -> tuple[str, ...]:
    """What else the reader should know, whatever decided."""
    executed = (*(facts.filtered.reasons if facts.filtered else ()), *(facts.patch.reasons if facts.patch else ()))
    share = facts.strength.share if facts.strength else None
    weak = (
        f"The tests notice {_of_those_tried(facts.strength)} in the changed lines."
        if facts.strength and share is not None and share < WEAK
        else ""
    )
    ran = facts.reproduced
    lifted = _LIFTED if ran.still else ""
    mended_by = (f"At this head the report's reproduction passes: {what}." for what in ran.mended)
    otherwise = (f"At this head the report's reproduction fails in another way: {what}." for what in ran.otherwise)
    said = (*facts.risks, *_opinion(facts, rule), *executed, *_settled_for_it(facts))
    return (lifted, *said, *mended_by, *otherwise, weak, *facts.remarks)


def _opinion(facts: PullFacts, rule: Rule) -> tuple[str, ...]:
    """What the judge says, where something else decided."""
    if facts.review is None or rule.decision is not Decision.ACCEPT:
        return ()
    if not facts.review.consistent:
        return (_UNCLEAR,)
    return (_OPINION,) if facts.review.rejects and not refuted(facts) else ()


def _settled_for_it(facts: PullFacts) -> tuple[str, ...]:
    """Tests that it rewrites as its issue asks: shown, and not held against it."""
    found = settled(facts, Settled.NEW)
    if not found:
        return ()
    return (f"It changes what {_names(each.test for each in found)} {_demand(found)}, as its issue asks.",)


def _uncovered(facts: PullFacts, rule: Rule) -> tuple[str, ...]:
    """What no run speaks for."""
    patch, tried = facts.patch, facts.strength
    if patch is None:
        ran = facts.filtered or facts.reproduced != Reproduced()
        return (*(() if ran else (_NOTHING_RAN,)), *uncovered(facts.claims))
    open_ = [f"For want of time: {', '.join(map(_clean, patch.unfinished))}."] if patch.unfinished else []
    control = patch.control
    if control and control.proof is Proof.UNPROVED and not unproved(facts):
        open_.append(f"Unproved: nothing shows that the tests can still fail here. {control.why}".strip())
    if tried and not tried.complete:
        open_.append("Not every small defect in the changed lines was tried, for want of time.")
    elif not (tried and tried.mutants) and rule.decision is ACCEPT and facts.substance is Substance.CODE:
        open_.append(_NO_DEFECTS)
    return (*open_, *uncovered(facts.claims)) or (_UNASKED,)


def _answer(facts: PullFacts) -> tuple[Evidence, ...]:
    return (facts.answered,) if facts.answered else ()


def _name_of(facts: PullFacts) -> tuple[Evidence, ...]:
    """What sort of rejection execution refuted."""
    if facts.named is None:
        return ()
    sort = run_words.REJECTIONS[facts.named.rejection]
    found = f"Execution refuted the rejection. What sort it was, as {facts.named.judge} names it: {sort}."
    return (Evidence("refuted_rejection", Effect.CLEAR, found),)


def _clean(name: str) -> str:
    return clean(name, _NAME)


def _names(names: Iterable[str]) -> str:
    """`a`, `a and b`, or `a, b, c and 2 more`, of at least one. They are strangers': escaped where they are shown."""
    found = tuple(names)
    shown, more = [_clean(name) for name in found[:_NAMED]], len(found) - _NAMED
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _tests(names: tuple[str, ...]) -> str:
    return "a test" if len(names) == 1 else f"{len(names)} tests"


def _do(names: tuple[str, ...], verb: str) -> str:
    return f"{verb}es" if len(names) == 1 and verb.endswith("s") else f"{verb}s" if len(names) == 1 else verb


def _demand(found: tuple[Contradiction, ...]) -> str:
    return "demands" if len(found) == 1 else "demand"


def _said(text: str) -> Callable[[PullFacts], str]:
    return lambda facts: text


def _rejects(facts: PullFacts) -> bool:
    return facts.review is not None and facts.review.rejects and facts.review.consistent


def _filtered(decision: Decision) -> Callable[[PullFacts], bool]:
    return lambda facts: _rejects(facts) and facts.filtered is not None and facts.filtered.decision is decision


def _has(name: str) -> Callable[[PullFacts], bool]:
    """Whether the evidence of the change's trial has any of this."""
    return lambda facts: facts.patch is not None and bool(getattr(facts.patch, name))


def _listed(name: str, say: Callable[[tuple[str, ...]], str]) -> Callable[[PullFacts], str]:
    return lambda facts: say(tuple(getattr(facts.patch, name)))


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


def _left_alone(facts: PullFacts) -> bool:
    """Whether nothing had to be changed, and nothing was but documentation, tests and comments."""
    return facts.unneeded is not None and facts.unneeded.leaves_code


def _against_the_issue(facts: PullFacts) -> str:
    found = settled(facts, Settled.OLD)
    it = "it" if len(found) == 1 else "them"
    names = _names(each.test for each in found)
    return f"Its issue asks for what {names} {_demand(found)}, and it changes {it} instead of passing {it}."


def _contradicted(facts: PullFacts) -> str:
    found = settled(facts, Settled.OPEN)
    how = {Fate.REWRITTEN: "changes", Fate.RENAMED: "renames and changes", Fate.REMOVED: "takes away"}[found[0].fate]
    fails = "fails" if len(found) == 1 else "fail"
    return (
        f"It {how} {_names(each.test for each in found)}, which {fails} with it as the base has it, and nothing says "
        "which of the two is right."
    )


def _blind(facts: PullFacts) -> str:
    assert facts.patch is not None and facts.patch.control is not None
    broken = _names(facts.patch.control.unnoticed) if facts.patch.control.unnoticed else "what it changes"
    return f"The tests cannot fail any more: {broken} was broken on purpose, and no test turned red."


def _untried(facts: PullFacts) -> str:
    assert facts.patch is not None
    why = facts.patch.control.why if facts.patch.control else ""
    return f"Nothing shows that the tests can still fail with it. {why or 'No time was left for it.'}"


def _unproved(facts: PullFacts) -> str:
    assert facts.patch is not None and facts.patch.control is not None
    return (
        "It is unproved: nothing shows that a test can fail here, and it brings none that goes from red to green. "
        f"{facts.patch.control.why}"
    ).strip()


def _lost(facts: PullFacts) -> str:
    assert facts.patch is not None
    found = facts.patch.lost_kills
    first = found[0]
    what = f", such as {_clean(first.lost[0])}" if first.lost else ""
    notice = "notices" if len(found) == 1 else "notice"
    return f"With it {_names(each.test for each in found)} {notice} fewer defects than before{what}."


def _nothing_turned(facts: PullFacts) -> str:
    """The issue asks for behaviour. What comes nearest to it is said."""
    assert facts.demanded
    near = next((each for each in facts.patch.turned if not each.counts), None) if facts.patch else None
    told = f"Nothing goes from red to green, though {facts.demanded} asks for behaviour."
    return f"{told} {_clean(near.test)} fails without it{_why_not(near)}." if near else f"{told}{_skipped(facts)}"


def _skipped(facts: PullFacts) -> str:
    """Which of its own tests did not run, as where the environment lacks what they need."""
    runs = facts.patch.facts if facts.patch else None
    own = runs.own.results if runs and runs.own_base else ()
    found = [each for each in own if each.status is TestStatus.SKIPPED]
    if not found:
        return ""
    why = f" ({_clean(found[0].message.strip().splitlines()[0])})" if found[0].message.strip() else ""
    return f" Of its own tests {_names(each.name for each in found)} {'is' if len(found) == 1 else 'are'} skipped{why}."


def _why_not(near: Turned) -> str:
    """Why a test that fails without the change and passes with it does not count."""
    if near.missing and not near.asked:
        return f" only since {_clean(near.missing)} is not there"
    looks = near.asked or near.red is Red.ASSERTION
    return ", but looks at nothing that changes" if looks else ", but not in what it asserts"


def _only_tested(facts: PullFacts) -> str:
    names = tuple(each.name for each in facts.patch.only_tested) if facts.patch else ()
    return (
        f"It does what {facts.demanded} asks for only while it is tested: {_names(names)} {_do(names, 'fail')} once "
        "its code is told otherwise."
    )


def _silenced(facts: PullFacts) -> str:
    names = tuple(each.name for each in facts.patch.silenced) if facts.patch else ()
    them, they = ("it", "it") if len(names) == 1 else ("them", "they")
    return (
        f"It brings {_names(names)} and keeps {them} from running or from failing. Made to run, {they} "
        f"{_do(names, 'fail')}, and nothing goes from red to green."
    )


def _barely(facts: PullFacts) -> str:
    assert facts.strength is not None
    found = facts.strength
    return (
        f"Tests hardly look at what it changes: they notice {_of_those_tried(found)} there, "
        f"and it takes more than {SHARE.numerator} in {SHARE.denominator}."
    )


def _of_those_tried(found: Strength) -> str:
    """How many of how many, and whether there were more."""
    of = f"the {found.mutants} small defects tried" if found.there else f"{found.mutants} small defects"
    return f"{found.killed} of {of}"


def _turned(facts: PullFacts) -> str:
    """What went from red to green."""
    assert facts.patch is not None
    own = tuple(each.test for each in facts.patch.turned if each.counts)
    what = (
        f"{_names(own)} {_do(own, 'fail')} without it and {_do(own, 'pass')} with it"
        if own
        else "what its issue shows fails without it and passes with it"
    )
    return f"It does something that was not there: {what}; nothing broke."


def _nothing_ran(facts: PullFacts) -> str:
    """Why it could not be executed, the real cause first."""
    reasons = facts.patch.reasons if facts.patch else ()
    return clean(facts.unexecuted, _CAUSE) or next(iter(reasons), "Nothing could be executed.")


OPEN, BOUNCE, ACCEPT = Decision.UNAVAILABLE, Decision.BOUNCE, Decision.ACCEPT

RULES: tuple[Rule, ...] = (
    Rule(
        "could not be read",
        lambda facts: bool(facts.unread),
        OPEN,
        lambda facts: facts.unread,
        blames=lambda facts: facts.blame,
    ),
    Rule("empty", lambda facts: facts.substance is Substance.EMPTY, BOUNCE, _said("It changes no file.")),
    Rule(
        "conflicts",
        lambda facts: bool(facts.conflict),
        OPEN,
        lambda facts: f"It conflicts with its base branch in {_names(facts.conflict)}, so nothing was run.",
        Cause.CHANGE,
    ),
    Rule(
        "fixed already, and left alone",
        lambda facts: _left_alone(facts) and not facts.risks and facts.substance not in RUN,
        ACCEPT,
        _said(_RIGHTLY),
    ),
    Rule(
        "does nothing",
        lambda facts: facts.substance is Substance.NO_OP,
        BOUNCE,
        _said("It touches code and changes nothing in what it does: only comments, docstrings and layout differ."),
    ),
    Rule(
        "unclear issue",
        lambda facts: facts.asked is Asked.UNCLEAR,
        BOUNCE,
        _said("The issue it answers still waits for clarification, so nobody can say whether it is answered."),
    ),
    Rule(
        "no issue",
        lambda facts: facts.asked is Asked.NOTHING,
        BOUNCE,
        _said("It names no issue, and this repository's policy asks for one: write `Fixes #…` into the description."),
    ),
    Rule(
        "fixed already",
        lambda facts: facts.unneeded is not None and not facts.unneeded.leaves_code,
        BOUNCE,
        _unneeded,
    ),
    Rule(
        "breaks tests",
        _has("regressions"),
        BOUNCE,
        _listed(
            "regressions",
            lambda names: f"It breaks {_tests(names)} that {_do(names, 'pass')} without it: {_names(names)}.",
        ),
    ),
    Rule(
        "fails its own tests",
        _has("own_failing"),
        BOUNCE,
        _listed(
            "own_failing",
            lambda names: f"It fails {_tests(names)} that it brings or changes: {_names(names)}.",
        ),
    ),
    Rule(
        "passes only while it is tested",
        lambda facts: bool(facts.demanded) and _has("only_tested")(facts) and not mended(facts),
        BOUNCE,
        _only_tested,
    ),
    Rule(
        "keeps its own tests quiet",
        lambda facts: bool(facts.demanded) and _has("silenced")(facts) and not mended(facts),
        BOUNCE,
        _silenced,
    ),
    Rule(
        "changes the test its issue asks for",
        lambda facts: bool(settled(facts, Settled.OLD)),
        BOUNCE,
        _against_the_issue,
    ),
    Rule(
        "leaves the issue as it is",
        lambda facts: facts.patch is not None and facts.patch.standing is Standing.IMPLAUSIBLE,
        BOUNCE,
        _said("What the issue shows to be wrong is still wrong with it."),
    ),
    Rule(
        "leaves the report as it is",
        lambda facts: bool(facts.reproduced.still),
        BOUNCE,
        lambda facts: f"What the report shows still goes wrong at this head: {facts.reproduced.still[0]}.",
    ),
    Rule(
        "upheld by a maintainer",
        lambda facts: facts.answered is not None and facts.answered.effect is Effect.MISSING,
        BOUNCE,
        lambda facts: facts.answered.found if facts.answered else "",
    ),
    Rule("cannot be judged", _has("gone"), OPEN, lambda facts: facts.patch.gone if facts.patch else "", Cause.CHANGE),
    Rule("the tests cannot fail", lambda facts: control_is(facts, Proof.BLIND), OPEN, _blind, Cause.CHANGE),
    Rule(
        "rejection holds",
        lambda facts: _filtered(BOUNCE)(facts) and not _stays_unresolved(facts),
        BOUNCE,
        lambda facts: (
            "A fix was tried beside it: it fails where that passes."
            if facts.filtered and facts.filtered.case is Case.REPAIR_SUCCESS
            else "It was executed, and the rejection holds."
        ),
    ),
    Rule(
        "counterexample holds",
        lambda facts: (
            _rejects(facts)
            and facts.claimed is not None
            and bool(facts.claimed.failing)
            and not (facts.filtered and facts.filtered.case in (Case.UNDECIDED, Case.EQUIVALENT, Case.OVER_REPAIR))
        ),
        BOUNCE,
        _said("What it was said to get wrong was run, and it does get it wrong; the issue demands otherwise."),
    ),
    Rule(
        "contradicts a test",
        lambda facts: bool(settled(facts, Settled.OPEN)),
        OPEN,
        _contradicted,
        Cause.PERSON,
    ),
    Rule(
        "unsteady with it",
        _has("unsteady"),
        OPEN,
        _listed("unsteady", lambda names: f"With it {_names(names)} {_do(names, 'fail')} at times, and never without."),
        Cause.PERSON,
    ),
    Rule(
        "fails its own tests as the base fails",
        _has("alike"),
        OPEN,
        _listed(
            "alike",
            lambda names: (
                f"It brings or changes {_names(names)}, which {_do(names, 'fail')} on its own head, and tests fail in "
                "the same way without it, as far as they came to run. So nobody can say whose doing it is."
            ),
        ),
        Cause.PERSON,
    ),
    Rule(
        "writes to what judges",
        _has("written"),
        OPEN,
        _listed("written", lambda names: f"While it ran, its code wrote to what judges it: {_names(names)}."),
        Cause.PERSON,
    ),
    Rule(
        "steers its tests",
        _has("unlike"),
        OPEN,
        _listed(
            "unlike",
            lambda names: f"{_names(names)} {_do(names, 'end')} otherwise with its own configuration of the tests.",
        ),
        Cause.PERSON,
    ),
    Rule(
        "answers its tests",
        _has("answers"),
        OPEN,
        _listed(
            "answers", lambda places: f"It compares with values of the tests and gives their answers: {_names(places)}."
        ),
        Cause.PERSON,
    ),
    Rule(
        "weakens tests",
        lambda facts: _has("lost_kills")(facts) and not nothing_missed(facts),
        OPEN,
        _lost,
        Cause.PERSON,
    ),
    Rule(
        "fixed already, but look",
        lambda facts: _left_alone(facts) and bool(facts.risks),
        OPEN,
        _said("What its issue reports is fixed already, and it leaves the code alone. A person should look at it."),
        Cause.PERSON,
    ),
    Rule("named risk", lambda facts: bool(facts.risks), OPEN, lambda facts: facts.risks[0], Cause.PERSON),
    Rule(
        "fixed already, and nothing broke",
        lambda facts: _left_alone(facts) and unbroken(facts),
        ACCEPT,
        _said(f"{_RIGHTLY} Nothing broke."),
    ),
    Rule(
        "nothing turned, on paper",
        lambda facts: facts.substance is Substance.PAPER and bool(facts.demanded),
        OPEN,
        _nothing_turned,
        Cause.CHANGE,
    ),
    Rule(
        "nothing to execute",
        lambda facts: facts.substance is Substance.PAPER,
        ACCEPT,
        _said("Nothing broke: nothing that runs was changed."),
    ),
    Rule(
        "not executed",
        lambda facts: not unbroken(facts),
        OPEN,
        _nothing_ran,
        blames=lambda facts: unfit(facts),
    ),
    Rule(
        "nothing turned",
        lambda facts: bool(facts.demanded) and not mended(facts),
        OPEN,
        _nothing_turned,
        Cause.CHANGE,
    ),
    Rule(
        "not known to be able to fail",
        untried,
        OPEN,
        _untried,
        blames=lambda facts: Cause.CHANGE if slow_by_itself(facts) else Cause.OUTSIDE,
    ),
    Rule("unproved", unproved, OPEN, _unproved, Cause.CHANGE),
    Rule(
        "hardly looked at",
        barely_noticed,
        OPEN,
        _barely,
        blames=lambda facts: Cause.CHANGE if facts.demanded else Cause.OUTSIDE,
    ),
    Rule("red to green", mended, ACCEPT, _turned),
    Rule(
        "rejection stays unresolved",
        _stays_unresolved,
        OPEN,
        _said("The change fails tests, and so does a fix for it; the judge names no requirement. So it is open."),
        Cause.OUTSIDE,
    ),
    Rule(
        "open question",
        lambda facts: _filtered(OPEN)(facts) and facts.filtered is not None and facts.filtered.case is Case.UNDECIDED,
        OPEN,
        _said("The change and a fix for it behave differently, and nothing says which is right."),
        Cause.OUTSIDE,
    ),
    Rule("opinion alone", lambda facts: _rejects(facts) and not refuted(facts), OPEN, _rejected_alone, Cause.OUTSIDE),
    Rule("nothing broke", lambda facts: True, ACCEPT, _said("Nothing broke; nothing was asked.")),
)
