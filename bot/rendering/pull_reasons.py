"""Why a pull request's verdict is what it is, in sentences: one for each rule of `bot.pulls.decide`, and what else the
reader should know. Names in them are strangers': they are escaped where they are shown."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from bot.plain_text import clean
from bot.pulls.decide import PullGround
from bot.pulls.facts import CLAIMS, CheckedStatement, PullFacts, ReproductionOutcome, StatementFinding, Substance
from bot.pulls.ran import SHARE, refuted, settled, unproved
from bot.pulls.result import MERGED, PullResult
from bot.rendering import run_words
from bot.verdicts import Decision, Effect, Evidence, Verdict
from bot.verification.values import Case, Contradiction, Fate, Proof, Red, Settled, Strength, TestStatus, Turned

_LIFTED = (
    "This counts by the report's own words. Where these ask for something else than what is right, a maintainer lifts "
    "it with `/bouncer override` and a reason; a report that was corrected is looked at again."
)
_OPINION = "The judge would not accept it. That is an opinion, and opinion alone blocks nobody."
_UNCLEAR = "The judge's reasons do not say what its verdict says, so neither counts."
_NO_DEFECTS = "No small defect in the changed lines was tried, so nothing says how closely the tests look at them."
_NOTHING_RAN = "Nothing of it was run."
_OF_MERGED = "This is about the merged result, as the queue would have it."
_UNASKED = "What no test asks about."
_RIGHTLY = "What its issue reports is fixed already, and it rightly leaves the code alone."
WEAK = 0.5  # a smaller share of small defects noticed is called weak
_NAMED, _NAME = 3, 160  # names in one sentence, and characters of one
_CAUSE = 500  # characters of why nothing ran, with a stranger's line in it


def reasons(result: PullResult) -> tuple[str, ...]:
    """Plain sentences, the most important first; the first says what decided. A verdict that was stored before its rule
    had a name brings them along."""
    if not result.verdict.ground:
        return result.verdict.reasons
    first = _WHY[PullGround(result.verdict.ground)](result.facts)
    merged = _OF_MERGED if result.verdict.judge == MERGED else ""
    return tuple(dict.fromkeys(each for each in (first, merged, *_beside(result)) if each))


def as_told(result: PullResult) -> Verdict:
    """The verdict with its sentences, for records that say what people were told then."""
    return replace(result.verdict, reasons=reasons(result), uncovered=not_covered(result))


def not_covered(result: PullResult) -> tuple[str, ...]:
    """What nothing that ran speaks for, as sentences."""
    return _uncovered(result) if result.verdict.ground else result.verdict.uncovered


def evidence_of(result: PullResult) -> tuple[Evidence, ...]:
    """What was found, with what sort of rejection execution refuted."""
    return (*result.verdict.evidence, *(_name_of(result.facts) if result.verdict.ground else ()))


def _beside(result: PullResult) -> tuple[str, ...]:
    """What else the reader should know, whatever decided."""
    facts = result.facts
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
    said = (*facts.risks, *_opinion(result), *executed, *_settled_for_it(facts))
    return (lifted, *said, *mended_by, *otherwise, weak, *facts.remarks)


def _opinion(result: PullResult) -> tuple[str, ...]:
    """What the judge says, where something else decided."""
    facts = result.facts
    if facts.review is None or result.verdict.decision is not Decision.ACCEPT:
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


def _uncovered(result: PullResult) -> tuple[str, ...]:
    facts = result.facts
    patch, tried = facts.patch, facts.strength
    if patch is None:
        ran = facts.filtered or facts.reproduced != ReproductionOutcome()
        return (*(() if ran else (_NOTHING_RAN,)), *_unchecked(facts.claims))
    open_ = [f"For want of time: {', '.join(map(_clean, patch.unfinished))}."] if patch.unfinished else []
    control = patch.control
    if control and control.proof is Proof.UNPROVED and not unproved(facts):
        open_.append(f"Unproved: nothing shows that the tests can still fail here. {control.why}".strip())
    if tried and not tried.complete:
        open_.append("Not every small defect in the changed lines was tried, for want of time.")
    elif (
        not (tried and tried.mutants)
        and result.verdict.decision is Decision.ACCEPT
        and facts.substance is Substance.CODE
    ):
        open_.append(_NO_DEFECTS)
    return (*open_, *_unchecked(facts.claims)) or (_UNASKED,)


def _unchecked(weighed: tuple[CheckedStatement, ...]) -> tuple[str, ...]:
    """What the verdict does not cover, as one sentence; none where there is nothing."""
    left = [CLAIMS[each.said.claim] for each in weighed if each.held is StatementFinding.UNCHECKED]
    return (f"Not checked, though it says so: {'; '.join(left)}.",) if left else ()


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


def _listed(name: str, say: Callable[[tuple[str, ...]], str]) -> Callable[[PullFacts], str]:
    return lambda facts: say(tuple(getattr(facts.patch, name)))


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


_WHY: dict[PullGround, Callable[[PullFacts], str]] = {
    PullGround.COULD_NOT_BE_READ: lambda facts: facts.unread,
    PullGround.EMPTY: _said("It changes no file."),
    PullGround.CONFLICTS: lambda facts: (
        f"It conflicts with its base branch in {_names(facts.conflict)}, so nothing was run."
    ),
    PullGround.FIXED_ALREADY_AND_LEFT_ALONE: _said(_RIGHTLY),
    PullGround.DOES_NOTHING: _said(
        "It touches code and changes nothing in what it does: only comments, docstrings and layout differ."
    ),
    PullGround.UNCLEAR_ISSUE: _said(
        "The issue it answers still waits for clarification, so nobody can say whether it is answered."
    ),
    PullGround.NO_ISSUE: _said(
        "It names no issue, and this repository's policy asks for one: write `Fixes #…` into the description."
    ),
    PullGround.FIXED_ALREADY: _unneeded,
    PullGround.BREAKS_TESTS: _listed(
        "regressions",
        lambda names: f"It breaks {_tests(names)} that {_do(names, 'pass')} without it: {_names(names)}.",
    ),
    PullGround.FAILS_ITS_OWN_TESTS: _listed(
        "own_failing",
        lambda names: f"It fails {_tests(names)} that it brings or changes: {_names(names)}.",
    ),
    PullGround.PASSES_ONLY_WHILE_IT_IS_TESTED: _only_tested,
    PullGround.KEEPS_ITS_OWN_TESTS_QUIET: _silenced,
    PullGround.CHANGES_THE_TEST_ITS_ISSUE_ASKS_FOR: _against_the_issue,
    PullGround.LEAVES_THE_ISSUE_AS_IT_IS: _said("What the issue shows to be wrong is still wrong with it."),
    PullGround.LEAVES_THE_REPORT_AS_IT_IS: lambda facts: (
        f"What the report shows still goes wrong at this head: {facts.reproduced.still[0]}."
    ),
    PullGround.UPHELD_BY_A_MAINTAINER: lambda facts: facts.answered.found if facts.answered else "",
    PullGround.CANNOT_BE_JUDGED: lambda facts: facts.patch.gone if facts.patch else "",
    PullGround.THE_TESTS_CANNOT_FAIL: _blind,
    PullGround.REJECTION_HOLDS: lambda facts: (
        "A fix was tried beside it: it fails where that passes."
        if facts.filtered and facts.filtered.case is Case.REPAIR_SUCCESS
        else "It was executed, and the rejection holds."
    ),
    PullGround.COUNTEREXAMPLE_HOLDS: _said(
        "What it was said to get wrong was run, and it does get it wrong; the issue demands otherwise."
    ),
    PullGround.CONTRADICTS_A_TEST: _contradicted,
    PullGround.UNSTEADY_WITH_IT: _listed(
        "unsteady", lambda names: f"With it {_names(names)} {_do(names, 'fail')} at times, and never without."
    ),
    PullGround.FAILS_ITS_OWN_TESTS_AS_THE_BASE_FAILS: _listed(
        "alike",
        lambda names: (
            f"It brings or changes {_names(names)}, which {_do(names, 'fail')} on its own head, and tests fail in "
            "the same way without it, as far as they came to run. So nobody can say whose doing it is."
        ),
    ),
    PullGround.WRITES_TO_WHAT_JUDGES: _listed(
        "written", lambda names: f"While it ran, its code wrote to what judges it: {_names(names)}."
    ),
    PullGround.STEERS_ITS_TESTS: _listed(
        "unlike",
        lambda names: f"{_names(names)} {_do(names, 'end')} otherwise with its own configuration of the tests.",
    ),
    PullGround.ANSWERS_ITS_TESTS: _listed(
        "answers", lambda places: f"It compares with values of the tests and gives their answers: {_names(places)}."
    ),
    PullGround.WEAKENS_TESTS: _lost,
    PullGround.FIXED_ALREADY_BUT_LOOK: _said(
        "What its issue reports is fixed already, and it leaves the code alone. A person should look at it."
    ),
    PullGround.NAMED_RISK: lambda facts: facts.risks[0],
    PullGround.FIXED_ALREADY_AND_NOTHING_BROKE: _said(f"{_RIGHTLY} Nothing broke."),
    PullGround.NOTHING_TURNED_ON_PAPER: _nothing_turned,
    PullGround.NOTHING_TO_EXECUTE: _said("Nothing broke: nothing that runs was changed."),
    PullGround.NOT_EXECUTED: _nothing_ran,
    PullGround.NOTHING_TURNED: _nothing_turned,
    PullGround.NOT_KNOWN_TO_BE_ABLE_TO_FAIL: _untried,
    PullGround.UNPROVED: _unproved,
    PullGround.HARDLY_LOOKED_AT: _barely,
    PullGround.RED_TO_GREEN: _turned,
    PullGround.REJECTION_STAYS_UNRESOLVED: _said(
        "The change fails tests, and so does a fix for it; the judge names no requirement. So it is open."
    ),
    PullGround.OPEN_QUESTION: _said("The change and a fix for it behave differently, and nothing says which is right."),
    PullGround.OPINION_ALONE: _rejected_alone,
    PullGround.NOTHING_BROKE: _said("Nothing broke; nothing was asked."),
}
