"""Why a pull request's verdict is what it is, in sentences: one for each rule of `bot.pulls.decide`, and what else the
reader should know. Names in them are strangers': they are escaped where they are shown."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from bot.judges.claims import How
from bot.plain_text import clean, count_of, join_words
from bot.pulls.decide import PullGround
from bot.pulls.facts import CLAIMS, CheckedStatement, PullFacts, StatementFinding, Substance
from bot.pulls.outcomes import SHARE, refuted, settled, unproved, unrun
from bot.pulls.result import MERGED, PullResult
from bot.rendering import words
from bot.rendering.pull_findings import gist
from bot.verdicts import Decision, Effect, Evidence, Verdict
from bot.verification.patch_evidence import (
    KEPT,
    Contradiction,
    Fate,
    PatchEvidence,
    Proof,
    Red,
    Settled,
    TestModules,
    Turned,
    UnrunSuite,
    count_sentences,
)
from bot.verification.values import Strength, TestStatus
from bot.verification.verified import Case

_LIFTED = (
    "This follows the report's own words. If these ask for the wrong thing, a maintainer can lift it with "
    "`/bouncer override` and a reason. A corrected report is checked again."
)
_OPINION = "The judge would not accept this change. An opinion alone neither blocks nor passes."
_AGREED = "The judge would not accept this change, but whoever was to make a fix says that it is right."
_WITHOUT_MODEL = (
    "No model is set up. So nobody wrote tests from the issue, looked for a fix, or said what the issue asks of an "
    "input."
)
_TRIED = {How.CALL: "a call", How.COMMAND: "a command", How.STATE: "a file"}
_UNCLEAR = "The judge's reasons contradict its verdict, so neither counts."
_NO_DEFECTS = "No small defect was tried in the changed lines, so it is unknown how well the tests check them."
_NOTHING_RAN = "No code of this change was run."
_OF_MERGED = "This is about the merged result, as the merge queue would make it."
_UNASKED = "Behaviour that no test checks."
_RIGHTLY = "What its issue reports is fixed already, and this change correctly leaves the code alone."
WEAK = 0.5  # a smaller share of small defects noticed is called weak
_NAMED, _NAME = 3, 160  # names in one sentence, and characters of one
_CAUSE = 500  # characters of why nothing ran, with a stranger's line in it


def reasons(result: PullResult) -> tuple[str, ...]:
    """Plain sentences, the most important first; the first says what decided. A verdict on a review bot's rejection
    follows from no rule and brings them along."""
    if not result.verdict.ground:
        return result.verdict.reasons
    first = _WHY[PullGround(result.verdict.ground)](result.facts)
    merged = _OF_MERGED if result.verdict.judge == MERGED else ""
    return tuple(dict.fromkeys(each for each in (first, merged, *_beside(result)) if each))


def verdict_with_reasons(result: PullResult) -> Verdict:
    """The verdict with its sentences, for records that say what people were told then."""
    return replace(result.verdict, reasons=reasons(result), uncovered=not_covered(result))


def not_covered(result: PullResult) -> tuple[str, ...]:
    """What nothing that ran speaks for, as sentences."""
    if not result.verdict.ground:
        return result.verdict.uncovered
    facts = result.facts
    said = [f"No judge read this change: {_clean(facts.unjudged)}"] if facts.unjudged else []
    said += [_WITHOUT_MODEL] if facts.without_model else []
    said += [f"The judge names {_TRIED[each.how]} that was not tried: {_clean(each.what)}." for each in facts.not_run]
    return (*said, *_uncovered(result))


def evidence_of(result: PullResult) -> tuple[Evidence, ...]:
    """What was found, with what sort of rejection execution refuted."""
    return (*result.verdict.evidence, *(_name_of(result.facts) if result.verdict.ground else ()))


def _beside(result: PullResult) -> tuple[str, ...]:
    """What else the reader should know, whatever decided."""
    facts = result.facts
    ran = (*(facts.filtered.reasons if facts.filtered else ()), *(facts.patch.reasons if facts.patch else ()))
    executed = [each for each in ran if each not in _said_first(result)]
    share = facts.strength.share if facts.strength else None
    weak = (
        f"The tests notice {_of_those_tried(facts.strength)} in the changed lines."
        if facts.strength and share is not None and share < WEAK
        else ""
    )
    shown = facts.reproduced
    lifted = _LIFTED if shown.still else ""
    mended_by = (f"With this change the report's reproduction passes: {what}." for what in shown.mended)
    otherwise = (
        f"With this change the report's reproduction fails in another way: {what}." for what in shown.otherwise
    )
    said = (*facts.risks, *_opinion(result), *executed, *_settled_for_it(facts))
    return (lifted, *said, *mended_by, *otherwise, weak, *facts.remarks)


def _said_first(result: PullResult) -> set[str]:
    """What the first sentence says already, as the evidence counts it."""
    ground, patch = PullGround(result.verdict.ground), result.facts.patch
    if patch is None:
        return set()
    kept = {KEPT} if ground in _NOTHING_BROKE else set()
    return {*kept, count_sentences(patch).get(_NAMES_THEM.get(ground, ""), "")}


def _opinion(result: PullResult) -> tuple[str, ...]:
    """What the judge says, where something else decided."""
    facts = result.facts
    if facts.review is None or result.verdict.decision is not Decision.ACCEPT:
        return ()
    if not facts.review.consistent:
        return (_UNCLEAR,)
    if not facts.review.rejects or refuted(facts):
        return ()
    return (_AGREED if facts.repair and facts.repair.says_right else _OPINION,)


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
        ran = facts.filtered or facts.reproduced.base
        return (*(() if ran else (_NOTHING_RAN,)), *_idle(facts), *_unchecked(facts.claims))
    open_ = [*_idle(facts)]
    if patch.unfinished:
        open_.append(f"Not run, because the time ran out: {', '.join(map(_clean, patch.unfinished))}.")
    open_ += [f"The tests ran without {_clean(each)}." for each in patch.without]
    if result.verdict.ground != PullGround.SUITE_WITHOUT_RESULT:
        open_ += map(_silent, patch.unrun)
    if patch.modules.unread and result.verdict.ground != PullGround.TESTS_DO_NOT_RUN:
        open_.append(f"{_not_run(patch.modules, 'without this change either')}.")
    control = patch.control
    if control and control.proof is Proof.UNPROVED and not unproved(facts):
        open_.append(f"Unproved: nothing shows that the tests can still fail here. {control.why}".strip())
    if tried and not tried.complete:
        open_.append("Not every small defect in the changed lines was tried, because the time ran out.")
    elif (
        not (tried and tried.mutants)
        and result.verdict.decision is Decision.ACCEPT
        and facts.substance is Substance.CODE
    ):
        open_.append(_NO_DEFECTS)
    return (*open_, *_unchecked(facts.claims)) or (_UNASKED,)


def _idle(facts: PullFacts) -> tuple[str, ...]:
    """Which examples of its issue say nothing, and why."""
    shown = facts.reproduced
    if shown.sources and not (shown.base or shown.idle):
        return (f"No example was recognised in {_names(shown.sources)}, so none was run.",)
    return tuple(f"This example does not count: {_clean(each)}." for each in shown.idle[:_NAMED])


def example_form(result: PullResult) -> str:
    """An example to be copied, where nothing shows that the change answers its issue."""
    return "" if result.verdict.decision is Decision.ACCEPT else result.facts.reproduced.form


def _unchecked(weighed: tuple[CheckedStatement, ...]) -> tuple[str, ...]:
    """What the verdict does not cover, as one sentence; none where there is nothing."""
    left = [CLAIMS[each.said.claim] for each in weighed if each.held is StatementFinding.UNCHECKED]
    return (f"The description claims this, and it was not checked: {'; '.join(left)}.",) if left else ()


def _name_of(facts: PullFacts) -> tuple[Evidence, ...]:
    """What sort of rejection execution refuted."""
    if facts.named is None:
        return ()
    sort = words.REJECTIONS[facts.named.rejection]
    found = f"Running the code refuted the rejection. {facts.named.judge} names its kind: {sort}."
    return (Evidence("refuted_rejection", Effect.CLEAR, found),)


def _clean(name: str) -> str:
    return clean(name, _NAME)


def _names(names: Iterable[str]) -> str:
    """`a`, `a and b`, or `a, b, c and 2 more`, of at least one. They are strangers': escaped where they are shown."""
    found = tuple(names)
    shown, more = [_clean(name) for name in found[:_NAMED]], len(found) - _NAMED
    return join_words([*shown, f"{more} more"] if more > 0 else shown)


def _tests(names: tuple[str, ...]) -> str:
    return "a test" if len(names) == 1 else f"{len(names)} tests"


def _do(names: tuple[str, ...], verb: str) -> str:
    return f"{verb}es" if len(names) == 1 and verb.endswith("s") else f"{verb}s" if len(names) == 1 else verb


def _demand(found: tuple[Contradiction, ...]) -> str:
    return "expects" if len(found) == 1 else "expect"


def _said(text: str) -> Callable[[PullFacts], str]:
    return lambda facts: text


def _listed(name: str, say: Callable[[tuple[str, ...]], str]) -> Callable[[PullFacts], str]:
    return lambda facts: say(tuple(getattr(facts.patch, name)))


def _rejected_alone(facts: PullFacts) -> str:
    """What an opinion that nothing settles amounts to."""
    assert facts.review is not None
    if facts.claimed and facts.claimed.failing:
        return (
            "The judge would not accept this change: on an input that it names, the change does something else than it "
            "expects. Nothing says that the judge is right. An opinion alone neither blocks nor passes."
        )
    named = "It quotes a requirement that it calls violated" if facts.review.grounded else "It names no requirement"
    return (
        f"The judge would not accept this change, but nothing that ran confirms that. {named}. "
        "An opinion alone neither blocks nor passes."
    )


def _unneeded(facts: PullFacts) -> str:
    """Why nothing had to be changed."""
    assert facts.unneeded is not None
    found = facts.unneeded
    issues = f"issue {found.issues[0]} reports" if len(found.issues) == 1 else "its issues report"
    by = f" by commit {found.commit[:10]}" if found.commit else ""
    return f"No change was needed: what {issues} is fixed already{by}. It was run at the base, and passes."


def _against_the_issue(facts: PullFacts) -> str:
    found = settled(facts, Settled.OLD)
    tests, it = ("that test", "it") if len(found) == 1 else ("those tests", "them")
    names = _names(each.test for each in found)
    return f"Its issue asks for what {names} {_demand(found)}, but this change edits {tests} instead of passing {it}."


def _contradicted(facts: PullFacts) -> str:
    found = settled(facts, Settled.OPEN)
    how = {Fate.REWRITTEN: "edits", Fate.RENAMED: "renames and edits", Fate.REMOVED: "removes"}[found[0].fate]
    old = "The base's version fails" if len(found) == 1 else "The base's versions fail"
    return (
        f"This change {how} {_names(each.test for each in found)}. {old} with this change, and nothing says which "
        "version is right."
    )


def _blind(facts: PullFacts) -> str:
    assert facts.patch is not None and facts.patch.control is not None
    broken = _names(facts.patch.control.unnoticed) if facts.patch.control.unnoticed else "what it changes"
    return f"The tests can no longer fail: {broken} was broken on purpose, and no test failed."


def _untried(facts: PullFacts) -> str:
    assert facts.patch is not None
    why = facts.patch.control.why if facts.patch.control else ""
    return f"Nothing shows that the tests can still fail with this change. {why or 'No time was left to try.'}"


def _unproved(facts: PullFacts) -> str:
    assert facts.patch is not None and facts.patch.control is not None
    return (
        "This change is unproved: nothing shows that a test can fail here, and it adds none that goes from red to "
        "green. "
        f"{facts.patch.control.why}"
    ).strip()


def _lost(facts: PullFacts) -> str:
    assert facts.patch is not None
    found = facts.patch.lost_kills
    first = found[0]
    what = f", such as {_clean(first.lost[0])}" if first.lost else ""
    notice = "notices" if len(found) == 1 else "notice"
    return f"With this change {_names(each.test for each in found)} {notice} fewer defects than before{what}."


def _nothing_turned(facts: PullFacts) -> str:
    """The issue asks for behaviour. What comes nearest to it is said."""
    assert facts.demanded
    near = next((each for each in facts.patch.turned if not each.counts), None) if facts.patch else None
    told = f"No test goes from red to green, but {facts.demanded} asks for a change of behaviour."
    return f"{told} {_clean(near.test)} fails without it{_why_not(near)}." if near else f"{told}{_skipped(facts)}"


def _skipped(facts: PullFacts) -> str:
    """Which of its own tests did not run, as where the environment lacks what they need."""
    runs = facts.patch.facts if facts.patch else None
    own = runs.own.results if runs and runs.own_base else ()
    found = [each for each in own if each.status is TestStatus.SKIPPED]
    if not found:
        return ""
    why = f" ({_clean(found[0].message.strip().splitlines()[0])})" if found[0].message.strip() else ""
    return (
        f" Of its own tests, {_names(each.name for each in found)} {'is' if len(found) == 1 else 'are'} skipped{why}."
    )


def _why_not(near: Turned) -> str:
    """Why a test that fails without the change and passes with it does not count."""
    if near.missing and not near.asked:
        return f" only because {_clean(near.missing)} is not there"
    looks = near.asked or near.red is Red.ASSERTION
    return ", but checks nothing that changes" if looks else ", but not at an assertion"


def _only_tested(facts: PullFacts) -> str:
    names = tuple(each.name for each in facts.patch.only_tested) if facts.patch else ()
    return (
        f"This change does what {facts.demanded} asks for only during tests: {_names(names)} {_do(names, 'fail')} when "
        "the code cannot see that it is tested."
    )


def _silenced(facts: PullFacts) -> str:
    names = tuple(each.name for each in facts.patch.silenced) if facts.patch else ()
    them, they = ("it", "it") if len(names) == 1 else ("them", "they")
    return (
        f"This change adds {_names(names)} and keeps {them} from running or from failing. When made to run, {they} "
        f"{_do(names, 'fail')}, and no test goes from red to green."
    )


def _barely(facts: PullFacts) -> str:
    assert facts.strength is not None
    found = facts.strength
    return (
        f"The tests hardly check the changed lines: they notice {_of_those_tried(found)} there. "
        f"More than {SHARE.numerator} in {SHARE.denominator} are needed."
    )


def _of_those_tried(found: Strength) -> str:
    """How many of how many, and whether there were more."""
    defects = count_of(found.mutants, "small defect")
    return f"{found.killed} of the {defects} tried" if found.there else f"{found.killed} of {defects}"


def _turned(facts: PullFacts) -> str:
    """What went from red to green."""
    assert facts.patch is not None
    own = _turning(facts.patch)
    what = (
        f"{_names(own)} {_do(own, 'fail')} without this change and {_do(own, 'pass')} with it"
        if own
        else "The examples of its issue fail without this change and pass with it"
    )
    return f"{what}. Nothing broke."


def _turning(patch: PatchEvidence) -> tuple[str, ...]:
    return tuple(each.test for each in patch.turned if each.counts)


def _nothing_ran(facts: PullFacts) -> str:
    """Why it could not be executed, the real cause first."""
    reasons = facts.patch.reasons if facts.patch else ()
    return clean(facts.unexecuted, _CAUSE) or next(iter(reasons), "Nothing could be run.")


def _silent(suite: UnrunSuite) -> str:
    return f"{_clean(suite.test)} gave no result for this change: {clean(suite.why, _CAUSE)}."


def _unread(facts: PullFacts) -> str:
    """How many of the base's test modules do not run, and what the first of them says."""
    assert facts.patch is not None
    found = facts.patch.modules
    if found.fewer:
        instead = f"{len(found.unread_with_it)} instead of {len(found.unread)}"
        return (
            f"With this change, {instead} of {count_of(found.count, 'test module')} do not run: {_names(found.fewer)}."
        )
    said = {each.name.partition("::")[0]: each.message for each in reversed(facts.patch.facts.base.failing)}
    why = next((gist(said[each]).strip() for each in found.unread if said.get(each)), "").splitlines()
    return f"{_not_run(found, 'with or without this change')}{f' ({_clean(why[-1])})' if why else ''}."


def _not_run(found: TestModules, when: str) -> str:
    do = "does" if len(found.unread) == 1 else "do"
    told = f"{len(found.unread)} of {count_of(found.count, 'test module')} {do} not run here, {when}"
    return f"{told}: {_names(found.unread)}"


# The tests that the first sentence names, as a field of the evidence.
_NAMES_THEM = {
    PullGround.BREAKS_TESTS: "regressions",
    PullGround.FAILS_ITS_OWN_TESTS: "own_failing",
    PullGround.PASSES_ONLY_WHILE_IT_IS_TESTED: "only_tested",
    PullGround.KEEPS_ITS_OWN_TESTS_QUIET: "silenced",
    PullGround.CHANGES_THE_TEST_ITS_ISSUE_ASKS_FOR: "contradictions",
    PullGround.CONTRADICTS_A_TEST: "contradictions",
    PullGround.UNSTEADY_WITH_IT: "unsteady",
    PullGround.FAILS_ITS_OWN_TESTS_AS_THE_BASE_FAILS: "alike",
    PullGround.STEERS_ITS_TESTS: "unlike",
    PullGround.RED_TO_GREEN: "turned",
}
_NOTHING_BROKE = (
    PullGround.FIXED_ALREADY_AND_NOTHING_BROKE,
    PullGround.NOTHING_TO_EXECUTE,
    PullGround.RED_TO_GREEN,
    PullGround.NOTHING_BROKE,
)
_WHY: dict[PullGround, Callable[[PullFacts], str]] = {
    PullGround.COULD_NOT_BE_READ: lambda facts: facts.unread,
    PullGround.EMPTY: _said("This change edits no file."),
    PullGround.CONFLICTS: lambda facts: (
        f"This change conflicts with its base branch in {_names(facts.conflict)}, so nothing was run."
    ),
    PullGround.FIXED_ALREADY_AND_LEFT_ALONE: _said(_RIGHTLY),
    PullGround.DOES_NOTHING: _said("This change affects only comments, docstrings and formatting."),
    PullGround.UNCLEAR_ISSUE: _said(
        "Its issue still waits for clarification, so nobody can say whether this change answers it."
    ),
    PullGround.NO_ISSUE: _said(
        "This pull request names no issue, and the policy asks for one: write `Fixes #…` into the description."
    ),
    PullGround.FIXED_ALREADY: _unneeded,
    PullGround.BREAKS_TESTS: _listed(
        "regressions",
        lambda names: f"This change breaks {_tests(names)} that {_do(names, 'pass')} without it: {_names(names)}.",
    ),
    PullGround.FAILS_ITS_OWN_TESTS: _listed(
        "own_failing",
        lambda names: f"This change fails {_tests(names)} that it adds or edits: {_names(names)}.",
    ),
    PullGround.PASSES_ONLY_WHILE_IT_IS_TESTED: _only_tested,
    PullGround.KEEPS_ITS_OWN_TESTS_QUIET: _silenced,
    PullGround.CHANGES_THE_TEST_ITS_ISSUE_ASKS_FOR: _against_the_issue,
    PullGround.LEAVES_THE_REPORT_AS_IT_IS: lambda facts: (
        ": ".join(("The report's example still fails with this change", *facts.reproduced.still[:1])) + "."
    ),
    PullGround.UPHELD_BY_A_MAINTAINER: lambda facts: facts.answered.found if facts.answered else "",
    PullGround.CANNOT_BE_JUDGED: lambda facts: facts.patch.gone if facts.patch else "",
    PullGround.THE_TESTS_CANNOT_FAIL: _blind,
    PullGround.REJECTION_HOLDS: lambda facts: (
        "A fix for this change was tried: the fix passes where this change fails."
        if facts.filtered and facts.filtered.case is Case.REPAIR_SUCCESS
        else "The code was run, and the rejection holds."
    ),
    PullGround.COUNTEREXAMPLE_HOLDS: _said(
        "This change gets an input wrong that the judge names. Judges who did not see this claim quote the issue and "
        "expect the same as it."
    ),
    PullGround.CONTRADICTS_A_TEST: _contradicted,
    PullGround.UNSTEADY_WITH_IT: _listed(
        "unsteady",
        lambda names: f"{_names(names)} sometimes {_do(names, 'fail')} with this change, and never without it.",
    ),
    PullGround.FAILS_ITS_OWN_TESTS_AS_THE_BASE_FAILS: _listed(
        "alike",
        lambda names: (
            f"This change adds or edits {_names(names)}, which {_do(names, 'fail')}. Without this change, tests fail "
            "in the same way, as far as they ran. So nobody can say what causes it."
        ),
    ),
    PullGround.WRITES_TO_WHAT_JUDGES: _listed(
        "written", lambda names: f"While it ran, its code wrote to test files or their configuration: {_names(names)}."
    ),
    PullGround.STEERS_ITS_TESTS: _listed(
        "unlike",
        lambda names: f"{_names(names)} {_do(names, 'end')} differently with this change's own test configuration.",
    ),
    PullGround.ANSWERS_ITS_TESTS: _listed(
        "answers",
        lambda places: (
            f"This change checks for values of the tests and returns the expected answers: {_names(places)}."
        ),
    ),
    PullGround.WEAKENS_TESTS: _lost,
    PullGround.FIXED_ALREADY_BUT_LOOK: _said(
        "What its issue reports is fixed already, and this change leaves the code alone. A person should look at it."
    ),
    PullGround.NAMED_RISK: lambda facts: facts.risks[0],
    PullGround.SUITE_WITHOUT_RESULT: lambda facts: " ".join(map(_silent, unrun(facts))),
    PullGround.TESTS_DO_NOT_RUN: _unread,
    PullGround.FIXED_ALREADY_AND_NOTHING_BROKE: _said(f"{_RIGHTLY} Nothing broke."),
    PullGround.NOTHING_TURNED_ON_PAPER: _nothing_turned,
    PullGround.NOTHING_TO_EXECUTE: _said("Nothing broke. This change edits nothing that runs."),
    PullGround.NOT_EXECUTED: _nothing_ran,
    PullGround.NOTHING_TURNED: _nothing_turned,
    PullGround.NOT_KNOWN_TO_BE_ABLE_TO_FAIL: _untried,
    PullGround.UNPROVED: _unproved,
    PullGround.HARDLY_LOOKED_AT: _barely,
    PullGround.RED_TO_GREEN: _turned,
    PullGround.REJECTION_STAYS_UNRESOLVED: _said(
        "This change fails a test that a model wrote, and nothing says that the test is right, so this stays open."
    ),
    PullGround.OPEN_QUESTION: _said(
        "This change and a fix for it behave differently, and nothing says which is right."
    ),
    PullGround.OPINION_ALONE: _rejected_alone,
    PullGround.NOTHING_BROKE: _said("Nothing broke. Nothing was asked for."),
}
