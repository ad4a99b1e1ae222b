"""The fix-guided filter: run the rejected program and the reviewer's own fix, and see what becomes of the rejection.

After the overcorrection paper, section 7.1. Here is the order of the work and its budget; `cases.decide` decides.
"""

import time
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, islice

from bot.judges.code import BlindAnswer, Opinion, Reviewer, SpecTest, TestWriter
from bot.judges.protocol import NoJudgement
from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verdicts import Decision
from bot.verification.calls.observe import ObservationError
from bot.verification.defects.defect import BREAKABLE
from bot.verification.defects.null_edit import null_edited
from bot.verification.defects.strength import measure
from bot.verification.differential.compare import Versions, VisibleCalls, compare, doubt
from bot.verification.differential.noticed import unnoticed
from bot.verification.differential.relations import descriptions, try_relations
from bot.verification.differential.symbolic import search
from bot.verification.differential.visible import order_to_record, visible_calls
from bot.verification.evidence import Case, Claimant, Verified
from bot.verification.fix_guided.cases import FilterFacts, best, decide, part_of, told
from bot.verification.fix_guided.questions import Ruling, answers_file, as_test, ruled
from bot.verification.fix_guided.specified import (
    NOBODY,
    BlindJury,
    Examples,
    SpecifiedProgram,
    as_tests_call,
    confirms,
    interface_for_judges,
    own_examples,
    settle,
    specified,
    subject,
    tried_examples,
    uncontested,
)
from bot.verification.literals import calls_in
from bot.verification.model_tests import as_file, as_suite, differing, failed, without
from bot.verification.patch_evidence import PatchEvidence
from bot.verification.programs import changed_files, changed_lines, is_alike, why_no_fix
from bot.verification.testing.assertions import plain_assertions
from bot.verification.testing.run import run_suite
from bot.verification.trial.outcomes import both
from bot.verification.trial.trial import on_trial
from bot.verification.values import Augmentation, Base, Differential, Generator, Order, Program, Side, Suite, TestRun

LEAST = 1.0  # seconds without which nothing new is begun
_NOT_BACKED = "There was no time left for testing what the change breaks."
_NO_TIME = "The tests did not finish in time."
# Seconds for what is looked at beside the tests. Where these took long, on a slow machine too, it gets more.
FOR_COMPARING, FOR_STRENGTH = 10.0, 8.0
FOR_SEARCH = 1.0  # seconds of processor time, for a symbolic search of inputs
FROM_REVIEW = 20  # calls, at most
MOST_ASKED = 3  # of models' tests that fail, and of differences: blind judges are asked about so many

_Calls = Sequence[tuple[Generator, str]]


@dataclass(frozen=True, slots=True)
class RejectedProgram:
    """What is put to the test, what it is held against, and whom to ask; without `reviewer`, `test_writers` and `jury`
    no model is asked.

    suite: the tests there are. examples: the specification's own, as calls. review: what the reviewer wrote; the calls
    it names are tried as well. answers: what maintainers said is right, for this specification. base: what `program` is
    a change of, where that is known: then an example that holds there counts for nobody, and a rejection is lifted only
    when the change stands the tests too. patch: how it does, where that is known. red: asks for the names of the tests
    that fail without the change as well; asked only where change and fix both fail. own: of some tests those that the
    change brings or rewrites; asked only where the fix alone fails. without: by what the two are not compared.
    seconds: for everything together. rounds: how often the reviewer is asked again.
    """

    executor: Executor
    program: Program
    suite: Suite
    specification: str = ""
    examples: tuple[SpecTest, ...] = ()
    review: str = ""
    reviewer: Reviewer | None = None
    test_writers: tuple[TestWriter, ...] = ()
    jury: BlindJury = NOBODY
    answers: tuple[Ruling, ...] = ()
    base: Base | None = None
    patch: PatchEvidence | None = None
    red: Callable[[], Set[str]] = frozenset
    own: Callable[[Set[str]], Set[str]] = lambda tests: frozenset()
    without: Set[Augmentation] = frozenset()
    seconds: float = 120.0
    rounds: int = 2
    seed: int = 0


def verify_fix(given: RejectedProgram, fix: Program | None) -> Verified:
    """What becomes of a rejection whose reviewer offered `fix`. Never raises for what programs do."""
    started = time.monotonic()
    about = subject(given.program, changed_files(given.program, fix), given.examples) if fix else None
    if about:
        tested = Program(given.program.tree, {**given.program.files, **given.suite.files})
        before = given.base.program if given.base else tested
        about = as_tests_call(about, given.examples, before, given.suite.files)
    work = _Work(given, about, started)
    if about and not why_no_fix(given.program, fix):
        work = replace(work, own=uncontested(_own_examples(work, about), _asserted(work, about)))
    facts = _observed(work, fix)
    if unheard := _red_before(work, facts) or _own_alone(work, facts):
        suite = replace(work.given.suite, ignore=given.suite.ignore | unheard)
        work = replace(work, given=replace(work.given, suite=suite))
        own = 0 if decide(facts).case is Case.BOTH_FAIL else len(unheard)
        facts = replace(_observed(work, fix), own=own)
    while about and given.reviewer and decide(facts).case is Case.BOTH_FAIL:
        if facts.withdrawn or facts.rounds >= given.rounds or work.left <= LEAST:
            break
        facts = _asked_again(work, given.reviewer, about, facts)
    verified = decide(facts)
    if given.base and verified.decision is Decision.ACCEPT:
        verified = _backed(work, given.base, verified)
    ran = given.executor.name if facts.original else ""
    against = (*facts.stated, *facts.settled) if verified.decision is Decision.BOUNCE else ()
    shown, module = "", about.interface.module if about else ""
    if about:  # what people can run themselves
        shown = differing(verified.difference, module) if verified.difference else as_file(against, module)
    return replace(verified, executor=ran, shown=shown, seconds=time.monotonic() - started).to_keep()


def not_run(original: Program, fix: Program | None, why: str) -> Verified:
    """The answer where nothing isolates, so that nothing runs."""
    nothing = TestRun((), 0.0, why, unavailable=True)
    return decide(FilterFacts(no_fix=why_no_fix(original, fix), original=nothing, fix=nothing))


@dataclass(frozen=True, slots=True)
class _Work:
    """One rejection over all rounds. about: how tests call what the fix changes, where they can. started: on the
    monotonic clock. own: what the specification shows and demands. counterexample: of a reviewer who was asked again.
    """

    given: RejectedProgram
    about: SpecifiedProgram | None
    started: float
    own: Examples = Examples()
    counterexample: SpecTest | None = None

    @property
    def spent(self) -> float:
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        return self.given.seconds - self.spent

    @property
    def comparing(self) -> float:
        """Seconds of running each program: as many as everything before took, where that is more than usual."""
        return min(self.left, max(FOR_COMPARING, self.spent))


def _observed(work: _Work, fix: Program | None, original: TestRun | None = None) -> FilterFacts:
    """Everything there is to see of one fix; each step only where the one before it left the question open.

    original: the repository's tests on the original, where they ran before.
    """
    no_fix = why_no_fix(work.given.program, fix)
    if fix is None or no_fix:
        return FilterFacts(no_fix=no_fix)
    on_original, on_fix, once = _both(work, fix, _with_answers(work), original)
    alike = is_alike(work.given.program, fix)
    facts = FilterFacts(alike=alike, original=on_original, fix=on_fix, once=once)
    case = decide(facts).case
    if case is Case.OVER_REPAIR:
        return _doubted(work, fix, facts)
    return _looked_closer(work, fix, facts) if case in (Case.EQUIVALENT, Case.UNSEEN) else facts


def _red_before(work: _Work, facts: FilterFacts) -> Set[str]:
    """Of the tests that change and fix fail, those that fail without them as well."""
    failing = {each.name for each in facts.original.failing} if facts.original else set()
    asked = failing and decide(facts).case is Case.BOTH_FAIL and work.left >= LEAST
    return work.given.red() & failing if asked else frozenset()


def _own_alone(work: _Work, facts: FilterFacts) -> Set[str]:
    """The tests that the fix alone fails, where all of them are the change's own: whoever wrote them may be wrong in
    them as in the code."""
    failing = {each.name for each in facts.fix.failing} if facts.fix and not facts.fix.problem else set()
    asked = failing and decide(facts).case is Case.OVER_REPAIR and work.left >= LEAST
    own = work.given.own(failing) if asked else frozenset()
    return own if own >= failing else frozenset()


def _with_answers(work: _Work) -> Suite:
    """The suite, and what maintainers answered as tests of it."""
    suite, tests = work.given.suite, [test for ruling in work.given.answers if (test := as_test(ruling))]
    if not tests or work.about is None:
        return suite
    files = as_suite(tests, work.about.interface.module).files
    named = {answers_file(number): source for number, source in enumerate(files.values(), 1)}
    select = (*suite.select, *named) if suite.select else ()
    return replace(suite, files={**suite.files, **named}, select=select)


def _both(work: _Work, fix: Program, suite: Suite, original: TestRun | None = None) -> tuple[TestRun, TestRun, bool]:
    """The suite on original and fix, side by side in separate sandboxes; what decides is run again in another order,
    and whether that could not be done.

    original: its run, where it is known from an earlier round.
    """
    first = _run_both(work, fix, suite, original)
    tests = told(*first)
    if tests.silent or not (tests.against_original or tests.against_fix):
        return *first, False
    again = _run_both(work, fix, suite, original, reverse=True) if work.left >= LEAST else first
    if again is first or any(run.unavailable for run in again):  # no time left for it, or no sandbox any more
        return *first, True
    return both(first[0], again[0]), both(first[1], again[1]), False


def _run_both(
    work: _Work, fix: Program, suite: Suite, original: TestRun | None, *, reverse: bool = False
) -> tuple[TestRun, TestRun]:
    with Pool(max_workers=2) as pool:
        on_fix = pool.submit(_run, work, fix, suite, Order(reverse) if reverse else order_to_record(fix, suite))
        order = Order(reverse) if reverse else order_to_record(work.given.program, suite)
        return original or _run(work, work.given.program, suite, order), on_fix.result()


def _run(work: _Work, program: Program, suite: Suite, order: Order) -> TestRun:
    seconds = max(work.left, LEAST)
    run = run_suite(work.given.executor, program, suite, seconds=seconds, order=order)
    if not run.problem or run.seconds < seconds:
        return run
    # Time ran out: of what did not run nothing is known, and what failed has failed.
    return replace(run, problem="" if run.failing else _NO_TIME, unavailable=not run.failing)


def _looked_closer(work: _Work, fix: Program, facts: FilterFacts) -> FilterFacts:
    """Both pass the tests there are: compare them where those do not look."""
    given, about, own = work.given, work.about, work.own.demanded
    if work.left < LEAST:
        return facts if facts.alike else replace(facts, unfinished=("comparing how they behave",))
    facts, claims = replace(facts, described=work.own.described), tuple[SpecTest, ...]()
    if about:
        claims = specified(about, given.specification, work.own, given.test_writers, work.counterexample)
    with Pool(max_workers=2) as pool:
        comparing = None if facts.alike else pool.submit(_compared, work, fix, facts, (*own, *claims))
        if about and (own or claims):
            suite = as_suite(own, about.interface.module, claims)
            suite = replace(suite, environment=given.suite.environment, test_seconds=given.suite.test_seconds)
            original, fixed, _ = _both(work, fix, suite)
            shown = failed(own, part_of(original, Claimant.EXAMPLE))
            failing = failed(claims, part_of(original, Claimant.MODEL_TEST))
            asked = {test: _heard(work, fix, test.call) for test in failing[:MOST_ASKED]}
            same, wrong = (tuple(t for t in asked if confirms(t, asked[t]) is right) for right in (True, False))
            original, fixed = (without(wrong, claims, run) for run in (original, fixed))
            facts = replace(facts, augmented_original=original, augmented_fix=fixed, stated=shown, settled=same)
            facts = replace(facts, heard=tuple(chain.from_iterable(asked.values())))
        facts = replace(facts, differential=comparing.result() if comparing else None)
    return _settled(work, fix, facts)


def _asserted(work: _Work, about: SpecifiedProgram) -> dict[str, str]:
    """What the tests plainly assert: call -> value."""
    sources = (text for name, text in work.given.suite.files.items() if name.endswith(".py"))
    texts = (source.decode("utf-8", "replace") for source in sources)
    return {each.call: each.expected for text in texts for each in plain_assertions(text, about.interface)}


def _own_examples(work: _Work, about: SpecifiedProgram) -> Examples:
    given = work.given
    if given.base is None:
        return own_examples(given.examples, about.interface)
    return tried_examples(given.executor, given.base, given.examples, about, max(work.left, LEAST))


def _backed(work: _Work, base: Base, verified: Verified) -> Verified:
    """A rejection is lifted only from a change that stands the tests itself."""
    given = work.given
    if given.patch is None and work.left < LEAST:
        return replace(verified, reasons=(*verified.reasons, _NOT_BACKED))
    said, left, patch = given.specification, work.left, given.patch
    if patch is None:
        patch = on_trial(given.executor, base, given.program, given.suite, specification=said, seconds=left).found
    return verified.beside(patch.to_keep())


def _doubted(work: _Work, fix: Program, facts: FilterFacts) -> FilterFacts:
    """The fix fails the tests, so it is no witness: look at the original alone, at how the tests end with an edit that
    changes nothing, and at what they notice of small defects."""
    if work.left < LEAST:
        return replace(facts, unfinished=(*facts.unfinished, "measuring what the tests would notice"))
    given, lines = work.given, changed_lines(work.given.program, fix, BREAKABLE)
    seconds, visible = work.comparing, _visible(work, fix, facts)
    # Half of what was spent before, so that it is hardly more than a third of all.
    measuring = min(work.left, max(FOR_STRENGTH, work.spent / 2))
    with Pool(max_workers=1) as pool:
        doubting = pool.submit(doubt, given.executor, given.program, visible, seconds=seconds, seed=given.seed)
        edited = _run(work, null_edited(given.program, lines), given.suite, Order())
        measuring, python = min(measuring, work.left), {path: lines[path] for path in lines if path.endswith(".py")}
        strength = measure(given.executor, given.program, python, given.suite, edited, seconds=measuring)
        return replace(facts, edited=edited, strength=strength, doubt=doubting.result())


def _compared(work: _Work, fix: Program, facts: FilterFacts, tests: tuple[SpecTest, ...]) -> Differential:
    """How both behave on inputs near the calls, and on those named elsewhere; and whether these would tell, where they
    seem alike."""
    given, about = work.given, work.about
    named = islice(dict.fromkeys(calls_in(given.review, about.interface)), FROM_REVIEW) if about else ()
    # Of a model's tests the inputs alone: what one expects may be wrong where its input is telling.
    calls = [*((Generator.REVIEW, call) for call in named), *((Generator.MODEL, test.call) for test in tests)]
    versions = Versions(given.executor, given.program, fix, _visible(work, fix, facts))
    found = _on_inputs(work, versions, calls)
    if found.problem or work.left <= LEAST:
        return found
    if about:
        found = _searched(work, versions, found, about, calls)
    if found.differences or found.doubt or not found.calls:
        return found
    # Broken programs run one after the other, which matters for scripts alone.
    seconds, both = max(min(2 * work.comparing, work.left), LEAST), (given.program, fix)
    return replace(found, doubt=unnoticed(given.executor, both, found.calls, versions.visible, seconds=seconds))


def _searched(
    work: _Work, versions: Versions, found: Differential, about: SpecifiedProgram, calls: _Calls
) -> Differential:
    """With inputs that a symbolic search finds, and relations between answers."""
    given = work.given
    if Augmentation.SYMBOLS not in given.without and not found.differences:
        searched = search(versions, about.path, FOR_SEARCH)
        more = [(Generator.SYMBOLIC, call) for call in searched]
        found = _on_inputs(work, versions, [*calls, *more]) if _may_differ(versions, searched) else found
    shown = versions.visible.generator is Generator.EXAMPLE
    if Augmentation.RELATIONS not in given.without and shown and work.left > LEAST:
        said = descriptions(about.source, given.specification)
        found = try_relations(versions, found, said, work.comparing)
    return found


def _may_differ(versions: Versions, calls: Sequence[str]) -> bool:
    """Whether it is worth it to compare by these calls as well."""
    try:
        return any(one != other for _, one, other in versions.run(calls, seconds=FOR_COMPARING))
    except ObservationError:
        return False


def _on_inputs(work: _Work, versions: Versions, calls: _Calls) -> Differential:
    return compare(
        versions,
        seconds=work.comparing,
        seed=work.given.seed,
        extra_calls=calls,
        properties=Augmentation.PROPERTIES not in work.given.without,
    )


def _visible(work: _Work, fix: Program, facts: FilterFacts) -> VisibleCalls:
    given, about = work.given, work.about
    shown = (
        [*_asserted(work, about), *(each.call for each in own_examples(given.examples, about.interface).demanded)]
        if about
        else []
    )
    module = about.interface.module if about else ""
    return visible_calls(given.program, fix, facts.original, shown, suite=given.suite, module=module)


def _settled(work: _Work, fix: Program, facts: FilterFacts) -> FilterFacts:
    """What maintainers answered, and else blind judges, say of the differences."""
    compared = facts.differential
    if compared is None:
        return facts
    ruled_on = [(found, ruled(found, work.given.answers)) for found in compared.differences]
    kept = tuple(now for _, now in ruled_on if now)
    answered = frozenset(found.call for found, now in ruled_on if now and now != found)
    first = best(kept, answered) if kept else None
    asked = first is not None and first.call not in answered
    open_ = [each for each in kept if each.call not in answered]
    open_.sort(key=lambda each: each.favours is not Side.FIX)
    heard = facts.heard
    for found in open_[:MOST_ASKED] if asked else ():
        answers = _heard(work, fix, found.call)
        heard += answers if found.call not in {each.call for each in facts.heard} else ()
        if (now := settle(found, answers)) is not found:
            kept = tuple(now if each is found else each for each in kept)
            break
    return replace(facts, differential=replace(compared, differences=kept), answered=answered, heard=heard)


def _heard(work: _Work, fix: Program, call: str) -> tuple[BlindAnswer, ...]:
    """What blind judges say of a call, while there is time."""
    given, about = work.given, work.about
    if work.left <= LEAST:
        return ()
    interface = about.interface if about else interface_for_judges(given.program, changed_files(given.program, fix))
    return given.jury.ask(given.specification, interface, call)


def _asked_again(work: _Work, reviewer: Reviewer, about: SpecifiedProgram, facts: FilterFacts) -> FilterFacts:
    """One more round: the reviewer sees which tests the program fails, and may offer another fix or give in."""
    runs, given, rounds = (facts.original, facts.augmented_original), work.given, facts.rounds + 1
    failing = tuple(f"{each.name}: {each.message}" for run in runs if run for each in run.failing)
    answer = reviewer.review(given.specification, about.source, failing)
    if isinstance(answer, NoJudgement):
        return replace(facts, rounds=rounds)
    if answer.opinion is Opinion.YES:
        return replace(facts, rounds=rounds, withdrawn=True)
    files = {**given.program.files, about.path: (answer.fix or "").encode("utf-8", "replace")}
    fix = Program(given.program.tree, files) if answer.fix else None
    if fix is None or why_no_fix(given.program, fix) or is_alike(given.program, fix):
        return replace(facts, rounds=rounds)
    stated = replace(work, counterexample=answer.counterexample)
    return replace(_observed(stated, fix, facts.original), rounds=rounds)
