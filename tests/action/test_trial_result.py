"""What the first job of a pull request hands to the second, read as a stranger's."""

import io
import json
import zipfile
from dataclasses import replace

import pytest

from bot.action.trial_result import (
    FILE,
    LARGEST,
    RunBasis,
    TrialResult,
    file_content,
    request_digest,
    result_of,
    results_in,
)
from bot.action.verifiers import CHANGED, NOTHING_KNOWN, ReplayVerifier, recall_run
from bot.github.channel import StaticToken
from bot.github.errors import Unavailable
from bot.github.values import Repository
from bot.policy import Policy
from bot.pulls.facts import PullFacts
from bot.pulls.result import PullResult, stored
from bot.sandbox.results import ArtifactError
from bot.storage.gates import GateRecord
from bot.verdicts import Cause, Decision, Verdict
from bot.verification.evidence import Case, HeadTrial, Verified
from bot.verification.patch_evidence import ExampleRuns, PatchFacts
from bot.verification.values import TestResult, TestRun, TestStatus
from bot.workflows.verifier import ExecutionRequest
from tests.action.runner import zipped
from tests.workflows.house import PLAUSIBLE

WANTED = ExecutionRequest(
    repository=Repository(7, "acme/kettle"),
    number=3,
    head="a" * 40,
    base="b" * 40,
    specification="The shares must add up.",
    review="",
    policy=Policy(),
    tip="c" * 40,
)
HONEST = result_of(WANTED, PLAUSIBLE)
SHOWN = replace(PLAUSIBLE, examples=ExampleRuns(mended=("issue 12, the example",)))
HOLDS = Verified(Decision.BOUNCE, Case.REPAIR_SUCCESS, ())
RAN = RunBasis(WANTED.base, WANTED.tip, request_digest(WANTED))


def archive(content: bytes) -> bytes:
    return zipped({FILE: content})


def as_json() -> dict[str, object]:
    found: dict[str, object] = json.loads(file_content([HONEST]))
    return found


def test_an_honest_result_comes_back_as_it_was() -> None:
    assert results_in(archive(file_content([HONEST]))) == (HONEST,)


def _linked() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as whole:
        entry = zipfile.ZipInfo(FILE)
        entry.external_attr = 0o120777 << 16  # a symbolic link; its target would be the content
        whole.writestr(entry, "/etc/passwd")
    return made.getvalue()


def _with(**changes: object) -> bytes:
    [result] = json.loads(file_content([HONEST]))["results"]
    return archive(json.dumps({**as_json(), "results": [{**result, **changes}]}).encode())


HOSTILE = {
    "no zip": b"PK, but nothing else",
    "another file": zipped({"other.json": file_content([HONEST])}),
    "a link": _linked(),
    "a bomb": archive(b" " * (LARGEST + 2)),
    "no JSON": archive(b"["),
    "deep": archive(b"[" * 100_000),
    "another version": archive(json.dumps({**as_json(), "version": 1}).encode()),
    "a text for a number": _with(number="3"),
    "a number for a text": _with(head=3),
    "a boolean for a number": _with(number=True),
    "no number": archive(file_content([HONEST]).replace(b'"seconds":1.0', b'"seconds":NaN', 1)),
    "infinite": archive(file_content([HONEST]).replace(b'"seconds":1.0', b'"seconds":1e999', 1)),
    "a key twice": archive(file_content([HONEST]).replace(b'"number":3', b'"number":4,"number":3', 1)),
    "too many": archive(file_content([replace(HONEST, number=each) for each in range(11)])),
    "a fix that nobody tried": _with(stood={"fix": "--- a\n+++ b\n"}),
    "less than no tests": archive(file_content([HONEST]).replace(b'"also_passed":0', b'"also_passed":-1', 1)),
    "endlessly many tests": archive(
        file_content([HONEST]).replace(b'"also_passed":0', b'"also_passed":9' + b"0" * 99, 1)
    ),
    "an unknown standing": archive(file_content([HONEST]).replace(b'"plausible"', b'"splendid"', 1)),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_whatever_the_first_job_does_not_write_is_refused(content: bytes) -> None:
    with pytest.raises(ArtifactError) as refused:
        results_in(content)
    assert "passwd" not in str(refused.value) and len(str(refused.value)) < 100


def test_the_replaced_texts_were_there() -> None:
    assert all(
        text in file_content([HONEST]) for text in (b'"seconds":1.0', b'"number":3', b'"plausible"', b'"also_passed":0')
    )


OTHERS = {
    "head": (replace(HONEST, head="d" * 40), "of another commit"),
    "base": (replace(HONEST, ran=replace(RAN, base="d" * 40)), "changed while the tests ran"),
    "tip": (replace(HONEST, ran=replace(RAN, tip="d" * 40)), "changed while the tests ran"),
    "asked": (replace(HONEST, ran=replace(RAN, asked="0" * 64)), "changed while the tests ran"),
    "number": (replace(HONEST, number=4), "tells nothing of this pull request"),
}


def of_artifact(found: TrialResult) -> ReplayVerifier:
    ran = ReplayVerifier()
    ran.take([found])
    return ran


@pytest.mark.parametrize(("found", "said"), OTHERS.values(), ids=OTHERS.keys())
def test_a_result_of_anything_else_asks_for_a_person(found: TrialResult, said: str) -> None:
    stood = of_artifact(found).check(WANTED, StaticToken())
    assert stood.patch is None and stood.blame is Cause.PERSON and said in stood.problem


def test_a_base_that_moved_on_meanwhile_is_no_other_base() -> None:
    ran = of_artifact(replace(HONEST, ran=replace(RAN, tip="d" * 40)))
    ran.is_older = lambda tip, now: (tip, now) == ("d" * 40, WANTED.tip)
    assert ran.check(WANTED, StaticToken()) == PLAUSIBLE

    def away(tip: str, now: str) -> bool:
        raise Unavailable("GitHub is away")

    ran.is_older = away
    assert ran.check(WANTED, StaticToken()).blame is Cause.PERSON


OTHER_POLICY = Policy.model_validate({"verify": {"test": "true"}})
NOT_THIS_RUN = {
    "another base": (replace(WANTED, base="d" * 40), CHANGED),
    "a base branch that was forced": (replace(WANTED, tip="d" * 40), CHANGED),
    "another issue text": (replace(WANTED, specification="Anything goes."), CHANGED),
    "another policy": (replace(WANTED, policy=OTHER_POLICY), CHANGED),
    "another commit": (replace(WANTED, head="d" * 40), NOTHING_KNOWN),
    "another pull request": (replace(WANTED, number=4), NOTHING_KNOWN),
}


def remembered(facts: PullFacts) -> TrialResult | None:
    judged = stored(PullResult(Verdict(Decision.ACCEPT, None, None, "nobody", None), WANTED.head, facts=facts))
    record = GateRecord(
        repo_id=7, number=3, installation_id=1, repository="acme/kettle", head=WANTED.head, judged=judged
    )
    return recall_run(record, RAN)


def of_memory() -> ReplayVerifier:
    found = remembered(PullFacts(trial=replace(SHOWN, verified=HOLDS, fix="--- a\n")))
    assert found is not None
    return ReplayVerifier({3: found}, ran_for={3: RAN})


def test_a_verdict_is_made_again_of_the_run_that_is_remembered() -> None:
    ran = of_memory()
    assert ran.check(WANTED, StaticToken()) == SHOWN and ran.ran_for == {3: RAN}
    ran.is_older = lambda tip, now: (tip, now) == (WANTED.tip, "d" * 40)  # the base branch went on
    assert ran.check(replace(WANTED, tip="d" * 40), StaticToken()) == SHOWN


@pytest.mark.parametrize(("wanted", "said"), NOT_THIS_RUN.values(), ids=NOT_THIS_RUN.keys())
def test_no_verdict_is_made_of_a_run_for_something_else(wanted: ExecutionRequest, said: str) -> None:
    ran = of_memory()
    assert ran.check(wanted, StaticToken()) == HeadTrial(problem=said, blame=Cause.PERSON)
    assert wanted.number not in ran.ran_for  # nor later of that


def test_a_verdict_that_needed_no_run_is_none() -> None:
    """As of a request that was unclear, and is clear now."""
    assert remembered(PullFacts()) is None


def test_what_was_asked_and_the_policy_are_bound() -> None:
    strict = Policy.model_validate({"verify": {"test": "true"}})
    others = (replace(WANTED, specification="Anything."), replace(WANTED, policy=strict), replace(WANTED, number=4))
    assert len({request_digest(each) for each in (WANTED, *others)}) == 4
    assert request_digest(replace(WANTED, review="I like it.")) == request_digest(
        WANTED
    )  # a model's, in the second job alone


def test_the_number_of_tests_that_pass_makes_nothing_too_long() -> None:
    patch = PLAUSIBLE.patch
    assert patch is not None
    passing = tuple(TestResult(f"tests/test_{each}.py::test_it", TestStatus.PASSED) for each in range(100_000))
    run = TestRun(passing, 1.0)
    kept = replace(patch, facts=PatchFacts(run, run, run)).to_keep()
    [found] = results_in(archive(file_content([replace(HONEST, stood=HeadTrial(kept))])))
    assert found.stood.patch == kept and kept.facts.head.numbers.total() == 100_000


def test_what_is_too_long_is_handed_on_as_that_and_passes_nothing() -> None:
    """Else a change that brings many tests with long names would have it neutral, whatever it breaks."""
    patch = PLAUSIBLE.patch
    assert patch is not None
    long = replace(PLAUSIBLE, patch=replace(patch, reasons=("x" * (LARGEST + 1),)))
    [found] = results_in(archive(file_content([replace(HONEST, stood=long)])))
    stood = found.stood
    assert stood.patch is None and "too long" in stood.problem and stood.blame is Cause.PERSON
