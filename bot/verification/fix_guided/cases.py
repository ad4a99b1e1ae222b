"""What the runs amount to: pure functions from facts to findings, of which the table of evidence takes the first.

The cases are those of the overcorrection paper, section 7.1, and two it lacks. Throughout: a flaky test counts for
nobody, a skipped one is not a pass, and no text of a stranger enters a reason.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot.judges.code import BlindAnswer, SpecTest
from bot.plain_text import count_of, join_words
from bot.verification.evidence import Case, Claimant, ClaimEvidence, Jury, Ran, Verified
from bot.verification.fix_guided.questions import from_answer
from bot.verification.model_tests import CLAIMS_FILE, EXAMPLES_FILE
from bot.verification.values import Difference, Differential, Side, Strength, TestRun, TestStatus

WEAK = 0.5  # a share of noticed mutants below this is little: such tests alone do not speak for the original
LEAST_TRIED = 3  # small defects, below which those that there was time for say little


@dataclass(frozen=True, slots=True)
class FilterFacts:
    """All that was observed of one rejection.

    no_fix: why there is no fix to try (Bouncer's own words); empty when there is one.
    fix_agent_agrees: there is none, and whoever was to make it says that the change is right.
    alike: change and fix are one program, but for comments and layout.
    original, fix: the repository's tests on each. once: what they decide was seen once, and not in a second run.
    augmented_*: the issue's examples and a model's tests.
    differential: their behaviour side by side; `None` when it was not compared.
    edited: the repository's tests on the original with an edit that changes nothing; `None` where that was not tried.
    doubt: why passing the tests says little of the original by itself, as one sentence; empty when nothing does.
    answered: calls of which a maintainer said what is right.
    rounds: how often the reviewer was asked again. withdrawn: shown the failed tests, the reviewer no longer says no.
    unfinished: what there was no time for, each as a noun phrase.
    described: how many examples of the specification hold before the change, and so were left out.
    own: how many tests of the change's own the fix fails, and so were left out.
    stated: the issue's examples that the original fails; settled: a model's tests that it fails, and of which blind
        judges demand the same. heard: what these judges said.
    """

    no_fix: str = ""
    fix_agent_agrees: bool = False
    alike: bool = False
    original: TestRun | None = None
    fix: TestRun | None = None
    once: bool = False
    augmented_original: TestRun | None = None
    augmented_fix: TestRun | None = None
    differential: Differential | None = None
    edited: TestRun | None = None
    doubt: str = ""
    strength: Strength | None = None
    answered: frozenset[str] = frozenset()
    rounds: int = 0
    withdrawn: bool = False
    unfinished: tuple[str, ...] = ()
    described: int = 0
    own: int = 0
    stated: tuple[SpecTest, ...] = ()
    settled: tuple[SpecTest, ...] = ()
    heard: tuple[BlindAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class TestsTold:
    """What tests say of the two: the names of tests that speak against one, or both.

    evaded: tests that speak of the fix and that the original skips or never reaches: it cannot be said to pass them.
    silent: not one test speaks of both.
    """

    against_original: frozenset[str]
    against_fix: frozenset[str]
    evaded: frozenset[str]
    silent: bool


THE_RUN = "the whole run"  # stands for a run that the program ended, forged or never let begin


def told(original: TestRun, fix: TestRun) -> TestsTold:
    """Compare two runs of the same tests, test by test."""
    flaky = {result.name for run in (original, fix) for result in run.results if result.status is TestStatus.FLAKY}
    original_passes, original_fails = _counted(original, flaky)
    fix_passes, fix_fails = _counted(fix, flaky)
    known = _with_files(original_passes | original_fails) | {THE_RUN}
    # What the fix only skips it does not repair.
    unrepaired = original_fails - _with_files(fix_passes) - {THE_RUN}
    return TestsTold(
        against_original=original_fails,
        against_fix=(fix_fails & known) | unrepaired,
        evaded=frozenset() if THE_RUN in original_fails else (fix_passes | fix_fails) - known,
        silent=not (original_passes or original_fails)
        or not (fix_passes or fix_fails)
        or not (original.results or fix.results),
    )


def _with_files(names: frozenset[str]) -> frozenset[str]:
    """The tests and the files they stand in, since a file that cannot be imported fails under its own name."""
    return names | {name.partition("::")[0] for name in names}


def _counted(run: TestRun, flaky: set[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The names of tests passed, and of tests failed."""
    passes = run.passing.keys() - flaky
    fails = {result.name for result in run.failing} - flaky
    return frozenset(passes), frozenset(fails | ({THE_RUN} if run.problem else set()))


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one claim, and how that is told. reasons: sentences, the most important first. difference: the input
    that tells change and fix apart."""

    outcome: ClaimEvidence
    case: Case | None
    reasons: tuple[str, ...]
    difference: Difference | None = None


def decide(facts: FilterFacts) -> Verified:
    """The filter's answer: that of the first row of the table."""
    found = min(_findings(facts), key=lambda finding: finding.outcome.rank)
    more = [_DESCRIBED.format(count_of(facts.described, "example"))] if facts.described else []
    more += [_OWN.format(count_of(facts.own, "test"))] if facts.own else []
    more += [f"There was no time left for {' and '.join(facts.unfinished)}."] if facts.unfinished else []
    runs = (facts.original, facts.fix, facts.augmented_original, facts.augmented_fix)
    return Verified(
        decision=found.outcome.row.rejection,
        case=found.case,
        reasons=(*found.reasons, *more),
        outcome=found.outcome,
        original=facts.original,
        fix=facts.fix,
        augmented_original=facts.augmented_original,
        augmented_fix=facts.augmented_fix,
        differential=facts.differential,
        difference=found.difference,
        strength=facts.strength,
        limits_enforced=next((run.limits_enforced for run in runs if run), ()),
        rounds=facts.rounds,
        heard=facts.heard,
    )


def claimant_of(test: str) -> Claimant:
    """Who says something by a test of this name."""
    files = {EXAMPLES_FILE: Claimant.EXAMPLE, CLAIMS_FILE: Claimant.MODEL_TEST}
    return Claimant.ANSWER if from_answer(test) else files.get(test.partition("::")[0], Claimant.BASE_TESTS)


def part_of(run: TestRun, claimant: Claimant) -> TestRun:
    """Of a run of the issue's examples and a model's tests those of one of them. What ended the whole run counts as a
    model's doing where one had a say."""
    results = tuple(each for each in run.results if claimant_of(each.name) is claimant)
    models = {claimant_of(each.name) for each in run.results} != {Claimant.EXAMPLE}
    return replace(run, results=results, problem=run.problem if models is (claimant is Claimant.MODEL_TEST) else "")


def best(differences: Iterable[Difference], answered: frozenset[str] = frozenset()) -> Difference:
    """The one that decides: tied to a requirement first, then one that speaks against the original.

    Of equals the first, which the generators put in order of plainness.
    """
    return min(differences, key=lambda found: (not _tied(found, answered), found.favours is not Side.FIX))


def _findings(facts: FilterFacts) -> Iterator[Finding]:
    """Of each claim what came of it, at least one."""
    if facts.no_fix:
        ran, so = (Ran.NO_FIX_NEEDED, _AGREES) if facts.fix_agent_agrees else (Ran.NOTHING, _NO_FIX)
        yield Finding(ClaimEvidence(Claimant.REVIEWER, ran), Case.NO_FIX, (facts.no_fix, so))
        return
    if facts.original is None or facts.fix is None:
        yield Finding(_NOTHING, None, ("Nothing could be run.",))
        return
    runs = (facts.original, facts.fix)
    if gone := next((run for run in runs if run.unavailable), None):
        yield Finding(_NOTHING, None, (gone.problem or "The tests could not be run.",))
        return
    tests = told(*runs)
    if tests.silent:
        problem = next((run.problem for run in runs if run.problem), "")
        yield Finding(_NOTHING, None, tuple(filter(None, (problem, _SILENT))))
    elif tests.evaded and not tests.against_original:
        yield Finding(ClaimEvidence(Claimant.BASE_TESTS, Ran.DOUBTED), Case.UNDECIDED, (_EVADED,))
    elif tests.against_original or tests.against_fix:
        yield _by_tests(facts, tests)
    else:
        yield from _beyond_the_tests(facts)


def _by_tests(facts: FilterFacts, tests: TestsTold) -> Finding:
    """What the repository's tests say, and maintainers' answers among them."""
    if not tests.against_original:
        ran = count_of(facts.original.numbers[TestStatus.PASSED], "test") if facts.original else ""
        passes = f"The change passes {ran} and the fix fails {_tests(tests.against_fix)}"
        if doubt := _why_no_witness(facts, tests):
            return Finding(
                ClaimEvidence(Claimant.FIX, Ran.DOUBTED), Case.OVER_REPAIR, (f"{passes}.", _NO_WITNESS, doubt)
            )
        return Finding(
            ClaimEvidence(Claimant.BASE_TESTS, Ran.BROKEN), Case.OVER_REPAIR, (f"{passes}: the fix was not needed.",)
        )
    answered = all(map(from_answer, tests.against_original))
    claimant = Claimant.ANSWER if answered else Claimant.BASE_TESTS
    if tests.against_fix:
        said = "Change and fix both fail the repository's tests."
        ran, case, kept = Ran.FAILS, Case.BOTH_FAIL, _asked_again(facts) or "The rejection holds."
    else:
        passed = ", and the fix does as it says" if answered else " that the fix passes"
        said = f"The change fails {_tests(tests.against_original)}{passed}."
        ran, case, kept = Ran.REPAIRED, Case.REPAIR_SUCCESS, ""
    if facts.once:
        ran, kept = Ran.DOUBTED, _ONCE
    return Finding(ClaimEvidence(claimant, ran), case, tuple(filter(None, (said, kept))))


def _why_no_witness(facts: FilterFacts, tests: TestsTold) -> str:
    """Why that the fix fails does not speak for the change, as a sentence; empty where it does."""
    if facts.original is None or facts.edited is None or facts.edited.unavailable:
        return _UNEDITED
    if not tests.against_fix - told(facts.original, facts.edited).against_fix:
        return _MINDS
    found = facts.strength
    little = found and not found.complete and found.mutants < LEAST_TRIED
    weak = found and found.share is not None and found.share < WEAK
    return facts.doubt or (_noticed(found) if found and (little or weak) else "")


def _beyond_the_tests(facts: FilterFacts) -> Iterator[Finding]:
    """Both pass the tests there are: what the issue's examples, a model's tests and their behaviour say."""
    original, fix = facts.augmented_original, facts.augmented_fix
    if original and fix and not (original.unavailable or fix.unavailable):
        for claimant in _WRITTEN:
            tests = told(part_of(original, claimant), part_of(fix, claimant))
            if not tests.silent and (tests.against_original or tests.against_fix):
                yield from _by_written(facts, claimant, tests)
    yield _by_difference(facts) if facts.differential and facts.differential.differences else _alike(facts)


def _by_written(facts: FilterFacts, claimant: Claimant, tests: TestsTold) -> Iterator[Finding]:
    """What the issue's examples say, or a model's tests, of which blind judges have a word."""
    what = _WRITTEN[claimant]
    jury = Jury.SAME if claimant is Claimant.MODEL_TEST and facts.settled else Jury.SILENT
    why = () if claimant is Claimant.EXAMPLE else (_UNSETTLED if jury is Jury.SILENT else SETTLED,)
    if not tests.against_original:
        said = f"The change passes {what}, and the fix fails it."
        yield Finding(ClaimEvidence(claimant, Ran.BROKEN), Case.OVER_REPAIR, (said, *why))
    elif not tests.against_fix:
        said = f"The change fails {what} that the fix passes."
        yield Finding(ClaimEvidence(claimant, Ran.REPAIRED, jury), Case.REPAIR_SUCCESS, (said, *why))
    else:
        both, again = f"Change and fix both fail {what}.", _asked_again(facts)
        yield Finding(ClaimEvidence(claimant, Ran.FAILS, jury), Case.BOTH_FAIL, (both, *why, *filter(None, (again,))))
        if facts.withdrawn:
            passes = f"{both} The repository's tests pass with the change."
            yield Finding(ClaimEvidence(Claimant.REVIEWER, Ran.WITHDRAWN), Case.BOTH_FAIL, (passes, again))


def _by_difference(facts: FilterFacts) -> Finding:
    compared = facts.differential or Differential()
    found = best(compared.differences, facts.answered)
    tied = _tied(found, facts.answered)
    found_by = f"Found by {found.generator}. {_calls(compared)} were compared."
    said = (_BEHAVE.get((tied, found.favours), _OPEN), *filter(None, (found.why,)), found_by)
    if found.call in facts.answered:
        ran = Ran.REPAIRED if found.favours is Side.FIX else Ran.BROKEN
        return Finding(ClaimEvidence(Claimant.ANSWER, ran), Case.UNDECIDED, said, found)
    jury = (Jury.SAME if found.favours is Side.FIX else Jury.CHANGE) if tied else Jury.SILENT
    return Finding(ClaimEvidence(Claimant.FIX, Ran.DIFFER, jury), Case.UNDECIDED, said, found)


def _alike(facts: FilterFacts) -> Finding:
    compared = facts.differential or Differential()
    outside, reasons = count_of(compared.outside, "input"), []
    if facts.alike:
        return Finding(ClaimEvidence(Claimant.FIX, Ran.ALIKE), Case.EQUIVALENT, (_ALIKE, _CHANGES_NOTHING))
    if compared.calls:
        reasons.append(f"Both pass the tests, and both gave the same on {_calls(compared)}.")
    else:
        reasons += ["Both pass the tests. Beyond them nothing was compared.", *filter(None, (compared.problem,))]
    if compared.outside:
        reasons.append(f"On {outside} outside what the tests use they differ, which is no evidence.")
    if doubt := compared.doubt if compared.calls else _NOTHING_COMPARED:
        return Finding(ClaimEvidence(Claimant.FIX, Ran.DOUBTED), Case.UNSEEN, (*reasons, doubt))
    return Finding(ClaimEvidence(Claimant.FIX, Ran.ALIKE), Case.EQUIVALENT, (*reasons, _CHANGES_NOTHING))


_NAME = re.compile(r"(?:[\w.]+\([^'\"()]*\)\.)?(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w{0,59})\(", re.ASCII)
_NAMED = 3  # functions


def _calls(compared: Differential) -> str:
    """How many calls were compared, and of which functions, as far as these have plain names."""
    asked = (call.rpartition(", o")[2].partition(".")[2] if call.endswith(")[-1]") else call for call in compared.calls)
    names = dict.fromkeys(f"`{found[1]}`" for call in asked if (found := _NAME.match(call)))
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    of = f" of {join_words([*[*names][:_NAMED], *more])}" if names else ""
    return f"{count_of(len(compared.calls), 'call')}{of}"


SETTLED = "Judges who saw only the issue and the input, and not this claim, quote the issue and expect the same."
_UNSETTLED = "Nothing says that this test is right."
_NOTHING = ClaimEvidence(Claimant.REVIEWER, Ran.NOTHING)
_AGREES = "Whoever was to make a fix says that the change is right. So the rejection counts less."
_ONCE = "There was no time to run this a second time, so it does not count yet."
_WRITTEN = {
    Claimant.EXAMPLE: "an example of the issue",
    Claimant.MODEL_TEST: "a test that a model wrote from the issue",
}
_NOTHING_COMPARED = "So nothing shows that what the fix changes makes no difference."
_ALIKE = "Change and fix are the same program: at most comments or layout differ."
_CHANGES_NOTHING = "The rejection asked for an edit that changes nothing."
_NO_FIX = "So nothing could be run to test the rejection. It is one reviewer's opinion and deserves less confidence."
_DESCRIBED = "The specification shows {} of behaviour that the base has already. This is not used to judge the change."
_OWN = "The fix fails {} that the change brings or rewrites itself. This speaks for nobody."
_SILENT = "No test counts: each was skipped, flaky or never ran."
_NO_WITNESS = "But a fix that fails does not prove that the change is right, and there is a doubt about it."
_UNEDITED = "There was no time to try an edit that changes nothing, which could fail as well."
_MINDS = "The change fails in the same way with an edit that changes nothing: it looks at its own text."
_EVADED = "The change skips or never reaches tests that the fix passes, so it does not count as passing."
_DIFFER = "Both pass the tests, but they behave differently"
_BEHAVE: dict[tuple[bool, Side | None], str] = {
    (True, Side.FIX): f"{_DIFFER}, and a requirement decides for the fix.",
    (True, Side.ORIGINAL): f"{_DIFFER}, and a requirement decides for the change.",
    (False, Side.FIX): f"{_DIFFER}. The fix looks right, but no requirement says so.",
}
_OPEN = f"{_DIFFER}, and nothing says which is right."


def _tied(found: Difference, answered: frozenset[str]) -> bool:
    """Whether a requirement decides it: a quoted clause, or a maintainer's answer."""
    return bool(found.favours and (found.quote or found.call in answered))


def _noticed(strength: Strength) -> str:
    share = strength.share
    if share is None:
        return "There was no time to try which small defects the tests notice."
    little = " That is few: the tests could overlook a defect here." if share < WEAK else ""
    where = " in the functions around the change" if strength.around else " in the changed lines"
    tried = where if strength.complete else f"{where} tried in the time there was"
    return f"The tests notice {strength.killed} of {count_of(strength.mutants, 'small defect')}{tried}.{little}"


def _asked_again(facts: FilterFacts) -> str:
    times = {1: "once", 2: "twice"}.get(facts.rounds, f"{facts.rounds} times")
    came = "no longer rejects it" if facts.withdrawn else "it was not resolved"
    return f"The reviewer was asked again {times}, shown what failed, and {came}." if facts.rounds else ""


def _tests(names: frozenset[str]) -> str:
    if THE_RUN in names:
        return "the repository's tests as a whole (it ended or falsified their run)"
    answered = sum(map(from_answer, names))
    others = len(names) - answered
    said = []
    if others:
        said.append("one of the repository's tests" if others == 1 else f"{others} of the repository's tests")
    if answered:
        said.append("what a maintainer answered" if answered == 1 else f"{answered} of the maintainers' answers")
    return " and ".join(said)
