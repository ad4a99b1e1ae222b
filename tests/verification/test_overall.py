"""What several suites say of one change together."""

from dataclasses import replace
from typing import Any

import pytest

from bot.verification.evidence import TrialDigests
from bot.verification.overall import overall_digests, overall_evidence
from bot.verification.patch_evidence import (
    Control,
    PatchEvidence,
    PatchFacts,
    Proof,
    Standing,
    TestModules,
    UnrunSuite,
)
from bot.verification.trial.outcomes import judge_patch
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.support.cases import cases


def run(problem: str = "", **tests: str) -> TestRun:
    results = tuple(TestResult(f"{name}.x::t", TestStatus(status)) for name, status in tests.items())
    return TestRun(results, 1.0, problem)


def suite(base: TestRun, head: TestRun, proof: Proof = Proof.PROVED, **facts: Any) -> PatchEvidence:
    ran = PatchFacts(base, head, facts.pop("own", head), **facts)
    found = judge_patch(PatchEvidence(Standing.OPEN, (), ran))
    return replace(found, control=Control(proof, (proof.value,))).to_keep()


GOOD, BROKEN = suite(run(a="passed"), run(a="passed")), suite(run(b="passed"), run(b="failed"))
NONE, ENDED = run("no tests were found"), run("it broke off")
NOTHING, CUT = suite(NONE, NONE), suite(ENDED, ENDED)
OWN = suite(run(c="passed"), run(c="passed"), own=run(d="passed"), own_base=run(d="failed"))
RED = suite(run(e="failed"), run(e="failed"))
LATE = suite(run(f="passed"), ENDED)


@pytest.mark.parametrize(
    ("suites", "standing", "regressions", "unrun"),
    [
        ((GOOD, GOOD), Standing.PLAUSIBLE, (), ()),
        ((GOOD, BROKEN), Standing.IMPLAUSIBLE, ("b.x::t",), ()),
        ((BROKEN, GOOD), Standing.IMPLAUSIBLE, ("b.x::t",), ()),
        # Where there are no tests, there is no suite; where they do not come to their end, nobody else speaks for them
        ((NOTHING, GOOD), Standing.PLAUSIBLE, (), ()),
        ((NOTHING, BROKEN), Standing.IMPLAUSIBLE, ("b.x::t",), ()),
        ((GOOD, CUT), Standing.PLAUSIBLE, (), ("1", False)),
        ((CUT, BROKEN), Standing.IMPLAUSIBLE, ("b.x::t",), ("0", False)),
        ((GOOD, RED), Standing.PLAUSIBLE, (), ("1", False)),
        ((CUT, CUT), Standing.OPEN, (), ("0", False, "1", False)),
        # A head that cannot be judged though its base can
        ((GOOD, LATE), Standing.OPEN, (), ()),
    ],
)
def test_what_one_suite_cannot_say_no_other_says_in_its_place(
    suites: tuple[PatchEvidence, ...], standing: Standing, regressions: tuple[str, ...], unrun: tuple[object, ...]
) -> None:
    found = overall_evidence({str(number): each for number, each in enumerate(suites)})
    assert (found.standing, found.regressions) == (standing, regressions)
    assert tuple(each for suite in found.unrun for each in (suite.test, suite.by_change)) == unrun
    assert all(each.why for each in found.unrun)
    assert bool(found.gone) is (LATE in suites)


def test_one_suite_says_what_it_says_and_those_that_could_not_be_set_up_are_named() -> None:
    absent = (UnrunSuite("npm test", "npm is not there"),)
    assert overall_evidence({"pytest": BROKEN}, absent) == replace(BROKEN, unrun=absent)
    assert overall_evidence({"pytest": GOOD, "go test": CUT}, absent).unrun[0] == absent[0]


def test_tests_of_its_own_in_one_language_stand_alone() -> None:
    found = overall_evidence({"a": GOOD, "b": OWN})
    assert (found.facts.own.passing.keys(), found.facts.own_base and found.facts.own_base.failing[0].name) == (
        {"d.x::t"},
        "d.x::t",
    )
    assert found.facts.head.passing.keys() == {"a.x::t", "c.x::t"}
    assert overall_evidence({"a": GOOD, "b": GOOD}).facts.own == overall_evidence({"a": GOOD, "b": GOOD}).facts.head
    assert found.modules == TestModules(2)
    assert sum(found.facts.base.numbers.values()) == 2


@cases
def test_tests_that_can_no_longer_fail_in_one_suite_are_not_outweighed(
    proofs: tuple[Proof, Proof], overall: Proof
) -> None:
    one, two = (replace(GOOD, control=Control(proof, (proof.value,))) for proof in proofs)
    control = overall_evidence({"a": one, "b": two}).control
    assert control and (control.proof, set(control.broken)) == (overall, {each.value for each in proofs})
    assert overall_evidence({"a": GOOD, "b": replace(GOOD, control=None)}).control == GOOD.control
    assert overall_evidence({"a": replace(one, control=None), "b": replace(two, control=None)}).control is None


def test_digests_are_of_all() -> None:
    alone = TrialDigests(environment="e", environment_of_head="h")
    assert overall_digests([alone], "t") == replace(alone, tests="t")
    pair = overall_digests([TrialDigests(environment="e"), TrialDigests(environment="f")], "t")
    assert (pair.tests, len(pair.environment), pair.environment_of_head) == ("t", 64, "")
