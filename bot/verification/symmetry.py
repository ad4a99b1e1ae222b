"""An accepted change is tested as well: what it repairs, what it breaks, and what it takes away from the tests.

A change that passes all of this is *plausible*, never valid: tests cannot show that nothing is wrong.
"""

import time
from dataclasses import replace

from bot.plain_text import count_of
from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verification.evidence import Claimant, ClaimEvidence, Ran, Verified
from bot.verification.patch_evidence import (
    KEPT,
    PatchEvidence,
    PatchFacts,
    Settled,
    Standing,
    TestModules,
    count_sentences,
)
from bot.verification.testing.compare import compare_runs
from bot.verification.testing.witnesses import LEFT_OUT
from bot.verification.trial.repeats import lost
from bot.verification.trial.setup import TrialRun
from bot.verification.trial.times import out_of_time, spent_by_base
from bot.verification.trial.trial import ChangeTrial
from bot.verification.values import BAD, Base, Program, Suite, TestResult, TestRun
from bot.verification.weakening import weakened

_PYTEST = "pytest"  # the name under which a run has what pytest said when it gave up
_GIST = 200  # characters of that
_TOO_SLOW = "The base's tests take longer than allowed: raise the policy's `verify.timeout`."


def on_trial(
    executor: Executor,
    base: Base,
    head: Program,
    suite: Suite,
    *,
    specification: str = "",
    seconds: float = 120.0,
) -> TrialRun:
    """Run the change's own tests and the base's; say how the change stands, and by which runs.

    head: as it was pushed. suite: its environment. specification: what was asked for, by others than the author.
    """
    started = time.monotonic()
    with Pool(max_workers=2) as pool:
        trial = ChangeTrial(executor, base, head, suite, specification, started + seconds, pool)
        tried = trial.tried()
    found, judges = tried.found, tried.judges
    lesser = weakened({path: judges.changed[path] for path in judges.beside})
    found = replace(found, facts=replace(found.facts, weakened=lesser))
    found = judge_patch(found, tried.altered)
    return replace(tried, found=replace(found, seconds=time.monotonic() - started))


def backed(verified: Verified, evidence: PatchEvidence) -> Verified:
    """The answer to a rejection that was to be lifted, with what tests say of the change itself.

    A regression or a test of its own that fails keeps the change back, whatever the reviewer's fix was worth. A test of
    the base's and its new version that demand different things leave the matter open, and so do tests of its own that
    fail once they can or as the base's do.
    """
    said = tuple(evidence.reasons)
    outcome = verified.outcome
    if evidence.regressions or evidence.own_failing:
        outcome = ClaimEvidence(Claimant.BASE_TESTS, Ran.FAILS)
    elif (
        evidence.standing is Standing.IMPLAUSIBLE
        or any(each.settled is not Settled.NEW for each in evidence.contradictions)
        or (evidence.silenced or evidence.only_tested or evidence.alike)
    ):
        outcome = ClaimEvidence(Claimant.BASE_TESTS, Ran.DOUBTED)
    elif evidence.standing is Standing.PLAUSIBLE:
        said = (*said, "So the change is plausible, which is all that tests can show.")
    worse = outcome is not verified.outcome
    reasons = (*said, *verified.reasons) if worse else (*verified.reasons, *said)
    decision = outcome.row.rejection if outcome else verified.decision
    return replace(verified, decision=decision, outcome=outcome, reasons=reasons, patch=evidence)


def judge_patch(found: PatchEvidence, altered: frozenset[str] = frozenset()) -> PatchEvidence:
    """The same with how the change stands. A test that is flaky in any of the runs counts for nobody, and so does one
    that did not come to run. altered: see `TrialRun`.
    """
    facts = found.facts
    kept = compare_runs(facts.base, facts.head)
    flaky = {*kept.flaky, *compare_runs(facts.base, facts.own).flaky}
    gone = set() if facts.unavailable else lost(facts.base, facts.head) - flaky
    contradicted = {each.test for each in found.contradictions} & gone
    other = unlike(facts, altered) - flaky
    unread = _unread(gone, other, facts.head)
    excused = (gone - contradicted) & (other | unread) & (facts.as_pushed.passing.keys() if facts.as_pushed else set())
    said = replace(
        found,
        regressions=tuple(sorted(gone - contradicted - excused)),
        rewritten=tuple(sorted(contradicted & facts.own.passing.keys())),
        repaired=tuple(sorted(set(kept.fixed) - flaky)),
        contradictions=tuple(each for each in found.contradictions if each.test in contradicted),
        gone=_gone(facts),
        unlike=tuple(sorted(other)),
        modules=TestModules.of(facts.base, facts.head),
    )
    return weigh(said)


def weigh(said: PatchEvidence) -> PatchEvidence:
    """The same, with its standing and reasons by all the rest of it."""
    facts = said.facts
    against, open_, for_ = _reasons(said)
    late = _picked(count_sentences(said), "silenced", "only_tested")
    standing = Standing.IMPLAUSIBLE if against else Standing.OPEN if open_ else Standing.PLAUSIBLE
    less = [f"It removes or weakens something in {count_of(len(facts.weakened), 'test')}."] if facts.weakened else []
    return replace(said, standing=standing, reasons=(*against, *open_, *late, *less, *for_))


def unlike(facts: PatchFacts, altered: frozenset[str]) -> set[str]:
    """Tests that the change left alone, and that end otherwise where its own configuration steers them. What pytest
    said of itself is no test: it comes and goes with how often pytest had to begin again. Nor does one count that is
    red on the base and green as pushed, by renewed data for one: it held nobody back. And what passes under a name that
    no other run has is called otherwise each time, as by the time of day."""
    if facts.as_pushed is None or facts.as_pushed.problem or facts.head.problem:
        return set()
    ended = {result.name: _ending(result) for result in facts.as_pushed.results}
    renewed = {result.name for result in facts.base.failing} & facts.as_pushed.passing.keys()
    there = ended.keys() | {result.name for result in facts.base.results}
    known = {*altered, *renewed, *facts.as_pushed.late, _PYTEST, *(facts.head.passing.keys() - there)}
    return {
        result.name
        for result in facts.head.results
        if result.name not in known and _ending(result) != ended.get(result.name, "absent")
    }


def _unread(gone: set[str], other: set[str], head: TestRun) -> set[str]:
    """Those of the lost tests whose file cannot be read, or built, beside the base's own; cargo runs nothing then."""
    ran = {result.name for result in head.results}
    unbuilt = any(name.endswith(".rs") for name in other & ran)
    return {name for name in gone if name.partition("::")[0] in other or (unbuilt and name not in ran)}


def _ending(result: TestResult) -> str:
    return "failed" if result.status in BAD else result.status.value


def _gone(facts: PatchFacts) -> str:
    """Why this head cannot be judged though its base can; empty where it can."""
    base_can = not facts.base.problem and bool(facts.base.passing)
    if not base_can or facts.unavailable or spent_by_base(facts):
        return ""
    if facts.head.problem:
        return _cut_short("With the change, the base's tests", facts.head)
    if not facts.head.results:
        return "With the change, none of the base's tests is found any more."
    if facts.own.problem:
        return _cut_short("On its own head, its own tests", facts.own)
    if facts.as_pushed and facts.as_pushed.problem and not facts.as_pushed.unavailable:
        return _cut_short("With its own configuration, the tests", facts.as_pushed)
    return ""


def _cut_short(which: str, run: TestRun) -> str:
    if run.problem.startswith(LEFT_OUT):
        return f"{which} are not all run: {run.problem}."
    return f"{which} do not finish: {_broke_off(run)}."


def _broke_off(run: TestRun) -> str:
    """Why the tests did not come to their end, with what pytest itself said of it, a stranger's words, as one line."""
    said = next((result.message for result in run.results if result.name == _PYTEST), "")
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    raised = [line.removeprefix("E").strip() for line in lines if line.startswith("E  ")]
    line = next(reversed(raised), "") or next((line for line in lines if "rror" in line), "")
    shown = " ".join("".join(each if each.isprintable() else " " for each in line).split())
    return f"{run.problem}: {shown[:_GIST].rstrip('.')}" if shown else run.problem


def _reasons(said: PatchEvidence) -> tuple[list[str], list[str], list[str]]:
    """What speaks against the change, what keeps it open, and what speaks for it."""
    facts, sentences = said.facts, count_sentences(said)
    if unavailable := facts.unavailable:
        return [], [unavailable.problem or "The tests could not be run."], []
    against, open_, for_ = _picked(sentences, "regressions", "own_failing"), [], []
    if said.gone:
        open_.append(said.gone)
    elif facts.base.problem or facts.head.problem:
        late = out_of_time(facts.base) or not facts.base.problem
        ended = f"The base's tests do not finish, without the change either: {_broke_off(facts.base)}."
        open_.append(_TOO_SLOW if late else ended)
    elif not facts.base.passing:
        open_.append("No test passes without the change, so none can show what it breaks.")
    elif not (said.regressions or said.contradictions or said.unlike or said.unsteady):
        for_.append(KEPT)
    open_ += _picked(sentences, "contradictions", "alike", "unsteady", "rewritten", "unlike")
    return against, open_, [*for_, *_picked(sentences, "repaired", "turned")]


def _picked(sentences: dict[str, str], *fields: str) -> list[str]:
    return [sentences[field] for field in fields if field in sentences]
