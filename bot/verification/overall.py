"""What the trials of several suites say of one change together. Pure.

What speaks against the change in one suite speaks against it. What one suite cannot say, no other says in its place.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import reduce
from typing import Any

from bot.verification.evidence import TrialDigests
from bot.verification.patch_evidence import Control, PatchEvidence, PatchFacts, Proof, TestModules, UnrunSuite
from bot.verification.reasons import weigh
from bot.verification.testing.witnesses import NO_TESTS
from bot.verification.trial.times import brought_about
from bot.verification.values import TestRun

# One that is proved shows that tests look.
_WORST_FIRST = (Proof.BLIND, Proof.PROVED, Proof.PARTLY, Proof.UNTRIED, Proof.UNPROVED, Proof.NOTHING)


def overall_evidence(suites: Mapping[str, PatchEvidence], unrun: tuple[UnrunSuite, ...] = ()) -> PatchEvidence:
    """suites: command -> what that suite says; at least one. One of which no test is found is none. unrun: those that
    could not be set up."""
    there = {test: each for test, each in suites.items() if each.facts.base.problem != NO_TESTS}
    first, *others = (there or suites).values()
    if not others:
        return replace(first, unrun=unrun)
    silent = {test: each for test, each in there.items() if not each.gone and not each.facts.ended}
    told = [each for test, each in there.items() if test not in silent]
    facts = reduce(_facts, (each.facts for each in told or [first]))
    values = {each.name: [getattr(suite, each.name) for suite in there.values()] for each in fields(PatchEvidence)}
    joined: dict[str, Any] = {
        name: tuple(dict.fromkeys(sum(each, ()))) for name, each in values.items() if isinstance(each[0], tuple)
    }
    why = {test: next(iter(each.reasons), "it does not come to its end").rstrip(".") for test, each in silent.items()}
    unheard = (UnrunSuite(test, why[test], brought_about(each.facts)) for test, each in silent.items())
    joined |= {
        "facts": facts,
        "seconds": sum(values["seconds"]),
        "gone": next(filter(None, values["gone"]), ""),
        "control": _control([each.control for each in told]),
        "modules": reduce(TestModules.beside, values["modules"]),
        "unrun": (*unrun, *unheard),
    }
    return weigh(replace(first, **joined))


def overall_digests(found: Sequence[TrialDigests], tests: str) -> TrialDigests:
    """tests: of the files that judged in any of them. Several recipes are told by a digest of theirs."""
    if len(found) == 1:
        return replace(found[0], tests=tests)
    sides = [each.environment for each in found], [each.environment_of_head for each in found]
    base, head = (hashlib.sha256("\n".join(each).encode()).hexdigest() if any(each) else "" for each in sides)
    return replace(found[0], tests=tests, environment=base, environment_of_head=head)


def _facts(one: PatchFacts, two: PatchFacts) -> PatchFacts:
    """own: of either where it brings tests of its own; else the runs of the head stand for it, as in each."""
    mine = [each.own for each in (one, two) if each.own != each.head]
    runs: dict[str, Any] = {}
    for name in ("base", "head", "own_base", "as_pushed"):
        known = [run for run in (getattr(one, name), getattr(two, name)) if run]
        runs[name] = reduce(_run, known) if known else None
    return replace(one, **runs, own=reduce(_run, mine) if mine else runs["head"])


def _run(one: TestRun, two: TestRun) -> TestRun:
    return replace(
        one,
        results=(*one.results, *two.results),
        seconds=one.seconds + two.seconds,
        problem=one.problem or two.problem,
        unavailable=one.unavailable or two.unavailable,
        written=(*one.written, *two.written),
        replaced=(*one.replaced, *two.replaced),
        late=(*one.late, *two.late),
        also_passed=one.also_passed + two.also_passed,
    )


def _control(found: list[Control | None]) -> Control | None:
    known = sorted((each for each in found if each), key=lambda each: _WORST_FIRST.index(each.proof))
    if not known or (len(known) < len(found) and known[0].proof not in (Proof.BLIND, Proof.PROVED)):
        return None
    named: dict[str, Any] = {name: sum((getattr(each, name) for each in known), ()) for name in ("broken", "unnoticed")}
    worst = replace(known[0], **named)
    if worst.proof not in (Proof.PROVED, Proof.PARTLY):
        return worst
    noticed = {_path(name) for each in known for name in each.broken if name not in each.unnoticed}
    left = tuple(name for name in worst.unnoticed if _path(name) not in noticed)
    why = next((each.why for each in known if not noticed.issuperset(map(_path, each.unnoticed))), "")
    return replace(worst, proof=Proof.PARTLY if left else Proof.PROVED, unnoticed=left, why=why)


def _path(name: str) -> str:
    """Of a function, as the control names it, or of a file."""
    return name.rpartition(":")[0] or name
