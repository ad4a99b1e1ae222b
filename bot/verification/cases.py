"""What the runs amount to: one pure function from facts to the filter's answer.

The cases are those of the overcorrection paper, section 7.1, and two it lacks.
docs/internals/verification.md holds them as a table. Throughout: a flaky test counts for nobody, a skipped one is not a
pass, and no text of a stranger enters a reason.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.judges.code import SpecTest
from bot.plain_text import count_of
from bot.verdicts import Decision
from bot.verification.questions import from_answer
from bot.verification.values import Difference, Differential, Side, Strength, TestRun, TestStatus
from bot.verification.verified import Case, Verified

WEAK = 0.5  # a share of noticed mutants below this is little: such tests alone do not speak for the original


@dataclass(frozen=True, slots=True)
class FilterFacts:
    """All that was observed of one rejection.

    no_fix: why there is no fix to try (Bouncer's own words); empty when there is one.
    original, fix: the repository's tests on each. augmented_*: the tests made from the specification.
    differential: their behaviour side by side; `None` when it was not compared.
    doubt: why passing the tests says little of the original by itself, as one sentence; empty when nothing does.
    answered: calls of which a maintainer said what is right.
    rounds: how often the reviewer was asked again. withdrawn: shown the failed tests, the reviewer no longer says no.
    unfinished: what there was no time for, each as a noun phrase.
    described: how many examples of the specification hold before the change, and so were left out.
    stated: the specification's tests that the original fails.
    """

    no_fix: str = ""
    original: TestRun | None = None
    fix: TestRun | None = None
    augmented_original: TestRun | None = None
    augmented_fix: TestRun | None = None
    differential: Differential | None = None
    doubt: str = ""
    strength: Strength | None = None
    answered: frozenset[str] = frozenset()
    rounds: int = 0
    withdrawn: bool = False
    unfinished: tuple[str, ...] = ()
    described: int = 0
    stated: tuple[SpecTest, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """What tests say of the two: the names of tests that speak against one, or both.

    evaded: tests that speak of the fix and that the original skips or never reaches: it cannot be said to pass them.
    silent: not one test speaks of both.
    """

    against_original: frozenset[str]
    against_fix: frozenset[str]
    evaded: frozenset[str]
    silent: bool


THE_RUN = "the whole run"  # stands for a run that the program ended, forged or never let begin


def told(original: TestRun, fix: TestRun) -> CaseOutcome:
    """Compare two runs of the same tests, test by test."""
    flaky = {result.name for run in (original, fix) for result in run.results if result.status is TestStatus.FLAKY}
    original_passes, original_fails = _counted(original, flaky)
    fix_passes, fix_fails = _counted(fix, flaky)
    known = _with_files(original_passes | original_fails) | {THE_RUN}
    # What the fix only skips it does not repair.
    unrepaired = original_fails - _with_files(fix_passes) - {THE_RUN}
    return CaseOutcome(
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


def decide(facts: FilterFacts) -> Verified:
    """The filter's answer; the first case that applies, in the order of docs/internals/verification.md."""
    if facts.no_fix:
        return _answer(facts, Decision.UNAVAILABLE, Case.NO_FIX, facts.no_fix, _NO_FIX)
    if facts.original is None or facts.fix is None:
        return _answer(facts, Decision.UNAVAILABLE, None, "Nothing could be run.")
    for run in (facts.original, facts.fix):
        if run.unavailable:
            return _answer(facts, Decision.UNAVAILABLE, None, run.problem or "The tests could not be run.")
    tests = told(facts.original, facts.fix)
    if tests.silent:
        problem = facts.original.problem or facts.fix.problem
        return _answer(facts, Decision.UNAVAILABLE, None, *([problem] if problem else []), _SILENT)
    if tests.evaded and not tests.against_original:
        return _answer(facts, Decision.UNAVAILABLE, Case.UNDECIDED, _EVADED)
    if tests.against_original or tests.against_fix:
        return _by_tests(facts, tests, "repository's")
    if facts.augmented_original and facts.augmented_fix:
        tests = told(facts.augmented_original, facts.augmented_fix)
        unavailable = facts.augmented_original.unavailable or facts.augmented_fix.unavailable
        if not unavailable and not tests.silent and (tests.against_original or tests.against_fix):
            return _by_tests(facts, tests, "specification's")
    if facts.differential and facts.differential.differences:
        return _by_difference(facts, facts.differential.differences)
    return _equivalent(facts)


def best(differences: Iterable[Difference], answered: frozenset[str] = frozenset()) -> Difference:
    """The one that decides: tied to a requirement first, then one that speaks against the original.

    Of equals the first, which the generators put in order of plainness.
    """
    return min(differences, key=lambda found: (not _tied(found, answered), found.favours is not Side.FIX))


def _by_tests(facts: FilterFacts, tests: CaseOutcome, whose: str) -> Verified:
    if not tests.against_fix:
        answered = all(map(from_answer, tests.against_original))
        passed = ", and the fix does as it says" if answered else " that the fix passes"
        said = f"The change fails {_tests(tests.against_original, whose)}{passed}."
        return _answer(facts, Decision.BOUNCE, Case.REPAIR_SUCCESS, said)
    if not tests.against_original:
        passes = f"The change passes the {whose} tests and the fix fails {_tests(tests.against_fix, whose)}"
        strength = facts.strength if whose == "repository's" else None
        weak = strength is not None and strength.share is not None and strength.share < WEAK
        doubt = facts.doubt or (_noticed(strength) if strength and weak else "")
        if doubt:
            return _answer(facts, Decision.UNAVAILABLE, Case.OVER_REPAIR, f"{passes}.", _NO_WITNESS, doubt)
        return _answer(facts, Decision.ACCEPT, Case.OVER_REPAIR, f"{passes}: the fix was not needed.")
    both = f"Change and fix both fail the {whose} tests."
    times = {1: "once", 2: "twice"}.get(facts.rounds, f"{facts.rounds} times")
    asked = f"The reviewer was asked again {times}, shown what failed" if facts.rounds else ""
    if whose == "specification's" and facts.withdrawn:
        said = f"{both} The repository's tests pass with the change."
        return _answer(facts, Decision.ACCEPT, Case.BOTH_FAIL, said, f"{asked}, and no longer rejects it.")
    kept = f"{asked}, and it was not resolved." if asked else "The rejection holds."
    return _answer(facts, Decision.BOUNCE, Case.BOTH_FAIL, both, kept)


def _by_difference(facts: FilterFacts, differences: tuple[Difference, ...]) -> Verified:
    found = best(differences, facts.answered)
    tied = _tied(found, facts.answered)
    if not tied and all(each.favours is Side.ORIGINAL for each in differences):
        breaks = f"Both pass the tests, but on {count_of(len(differences), 'input')} like those of the tests only the"
        reasons = [f"{breaks} change answers as it does there: the fix was not needed.", found.why]
        return _answer(facts, Decision.ACCEPT, Case.OVER_REPAIR, *filter(None, reasons), difference=found)
    reasons = [_BEHAVE[tied, found.favours]]
    if found.why:
        reasons.append(found.why)
    reasons.append(_seen_by(found, facts.differential or Differential()))
    decision = Decision.UNAVAILABLE
    if tied:
        decision = Decision.BOUNCE if found.favours is Side.FIX else Decision.ACCEPT
    return _answer(facts, decision, Case.UNDECIDED, *reasons, difference=found)


def _equivalent(facts: FilterFacts) -> Verified:
    compared = facts.differential or Differential()
    strength = facts.strength
    reasons = []
    if compared.calls:
        reasons.append(
            f"Change and fix pass the tests and behave the same on {count_of(len(compared.calls), 'input')}."
        )
    else:
        reasons.append("Change and fix pass the tests; their behaviour could not be compared beyond them.")
        reasons += [compared.problem] if compared.problem else []
    if compared.outside:
        differ = (
            f"On {count_of(compared.outside, 'input')} outside what the tests use they differ, which is no evidence."
        )
        reasons.append(differ)
    if strength and (strength.share is not None or not strength.complete):
        reasons.append(_noticed(strength))
    if not compared.calls and not compared.agreed and not (strength and strength.killed):
        reasons.append("So nothing shows that the tests look at what the fix changes.")
        return _answer(facts, Decision.UNAVAILABLE, Case.EQUIVALENT, *reasons)
    if compared.doubt:
        return _answer(facts, Decision.UNAVAILABLE, Case.EQUIVALENT, *reasons, compared.doubt)
    return _answer(
        facts, Decision.ACCEPT, Case.EQUIVALENT, *reasons, "The rejection asked for an edit that changes nothing."
    )


_NO_FIX = "So nothing could be run to test the rejection. It is one reviewer's opinion and deserves less confidence."
_DESCRIBED = "The specification shows {} of behaviour that the base has already. This is not used to judge the change."
_SILENT = "No test counts: each was skipped, flaky or never ran."
_NO_WITNESS = "But a fix that fails does not prove that the change is right, and there is a doubt about it."
_EVADED = "The change skips or never reaches tests that the fix passes, so it does not count as passing."
_DIFFER = "Both pass the tests, but they behave differently"
_BEHAVE = {
    (True, Side.FIX): f"{_DIFFER}, and a requirement decides for the fix.",
    (True, Side.ORIGINAL): f"{_DIFFER}, and a requirement decides for the change.",
    (False, Side.FIX): f"{_DIFFER}. The fix looks right, but no requirement says so.",
    (False, Side.ORIGINAL): f"{_DIFFER}. The change looks right, but no requirement says so.",
    (False, None): f"{_DIFFER}, and nothing says which is right.",
}
_GENERATORS = {
    "example": "the calls in the tests",
    "mutation": "inputs near those of the tests",
    "hypothesis": "Hypothesis",
    "review": "the reviewer's own example",
    "model": "a model's test",
}


def _tied(found: Difference, answered: frozenset[str]) -> bool:
    """Whether a requirement decides it: a quoted clause, or a maintainer's answer."""
    return bool(found.favours and (found.quote or found.call in answered))


def _seen_by(found: Difference, compared: Differential) -> str:
    """Which generator saw the difference, and which did not: they are told apart."""
    said = f"Found by {_GENERATORS.get(found.generator, 'another generator')}"
    others = [_GENERATORS.get(name, "another generator") for name in compared.agreed if name != found.generator]
    return f"{said}; {' and '.join(others)} found no difference." if others else f"{said}."


def _noticed(strength: Strength) -> str:
    share = strength.share
    if share is None:
        return "There was no time to try which small defects the tests notice."
    little = " That is few: the tests could overlook a defect here." if share < WEAK else ""
    where = " in the functions around the change" if strength.around else " in the changed lines"
    tried = where if strength.complete else f"{where} tried in the time there was"
    return f"The tests notice {strength.killed} of {count_of(strength.mutants, 'small defect')}{tried}.{little}"


def _tests(names: frozenset[str], whose: str) -> str:
    if THE_RUN in names:
        return f"the {whose} tests as a whole (it ended or falsified their run)"
    answered = sum(map(from_answer, names))
    others = len(names) - answered
    said = []
    if others:
        said.append(f"one of the {whose} tests" if others == 1 else f"{others} of the {whose} tests")
    if answered:
        said.append("what a maintainer answered" if answered == 1 else f"{answered} of the maintainers' answers")
    return " and ".join(said)


def _answer(
    facts: FilterFacts,
    decision: Decision,
    case: Case | None,
    *reasons: str,
    difference: Difference | None = None,
) -> Verified:
    more = [_DESCRIBED.format(count_of(facts.described, "example"))] if facts.described else []
    more += [f"There was no time left for {' and '.join(facts.unfinished)}."] if facts.unfinished else []
    runs = (facts.original, facts.fix, facts.augmented_original, facts.augmented_fix)
    return Verified(
        decision=decision,
        case=case,
        reasons=(*reasons, *more),
        original=facts.original,
        fix=facts.fix,
        augmented_original=facts.augmented_original,
        augmented_fix=facts.augmented_fix,
        differential=facts.differential,
        difference=difference,
        strength=facts.strength,
        limits_enforced=next((run.limits_enforced for run in runs if run), ()),
        rounds=facts.rounds,
    )
