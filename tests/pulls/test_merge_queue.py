"""What stops the merge queue: each row differs from a merged result that breaks nothing."""

from dataclasses import replace
from typing import Any

import pytest

from bot.pulls.judgement import queue_objection
from bot.rendering.pull_reasons import reasons
from bot.verdicts import Cause, Decision
from bot.verification.evidence import HeadTrial
from bot.verification.patch_evidence import Control, Proof
from tests.pulls.test_decide import BREAKS, ENDED, LOSES, RUNS, trial


@pytest.mark.parametrize(
    ("stood", "outcome"),
    [
        ({}, None),
        ({"patch": trial(control=Control(Proof.UNPROVED))}, None),
        ({"patch": None, "problem": "Nothing isolates here."}, None),
        ({"patch": trial(facts=replace(RUNS, base=ENDED, head=ENDED)), "problem": ""}, None),
        ({"patch": BREAKS}, Decision.BOUNCE),
        ({"patch": trial(own_failing=("test_new",))}, Decision.BOUNCE),
        ({"patch": trial(gone="No test is found any more.")}, Cause.CHANGE),
        ({"patch": trial(control=Control(Proof.BLIND, unnoticed=("a.py:f",)))}, Cause.CHANGE),
        ({"patch": None, "problem": "It cannot be set up.", "blame": Cause.CHANGE}, Cause.CHANGE),
        ({"patch": trial(written=("tests/test_a.py",))}, Cause.PERSON),
        ({"patch": trial(unlike=("test_a",))}, Cause.PERSON),
        ({"patch": trial(unsteady=("test_a",))}, Cause.PERSON),
        ({"patch": trial(lost_kills=LOSES)}, Cause.PERSON),
    ],
)
def test_the_same_table_decides_about_a_merged_result(stood: dict[str, Any], outcome: Decision | Cause | None) -> None:
    found = queue_objection(HeadTrial(**{"patch": trial(), **stood}), "a" * 40)
    assert (found and (found.verdict.cause or found.verdict.decision)) == outcome
    assert found is None or reasons(found)[1] == "This is about the merged result, as the merge queue would make it."
