"""Whether a pull request is needed: only what ran at its base says that it is not."""

from dataclasses import replace
from typing import Any

import pytest

from bot.already_fixed.finding import FixFinding
from bot.already_fixed.values import Expectation, Failure, Fixed, Form, Reproduction, Run, Seen, Trial
from bot.history.values import Candidate
from bot.pulls.already_fixed import (
    SearchedIssue,
    evidence_of,
    may_be_unneeded,
    suspicion,
    unneeded,
)
from bot.verdicts import FixStatus
from tests.support.cases import cases

BASE = "b" * 40
FIX = Candidate("f" * 40, "Halve rightly", "2026-03-01T10:00:00Z", 0.9, (), True, "v2", None, (), likely=True)
SHOWN = Reproduction("a", Form.SCRIPT, "half(3)", Expectation(Failure.RAISES, "TypeError"), "the example")
OTHER = replace(SHOWN, name="b", code="half(5)")
PASSES, FAILS, ELSE = Run(Seen.PASSES), Run(Seen.AS_REPORTED), Run(Seen.OTHERWISE)
MENDED = Trial(SHOWN, head=PASSES, without_fix=FAILS, fix=FIX.commit)
PROVES_NOTHING = Trial(OTHER, head=PASSES)
FOUND = FixFinding(
    "text", "c" * 40, Fixed(FixStatus.ALREADY_FIXED, 0.95, (FIX,), (MENDED, PROVES_NOTHING), "v2", commits=500)
)
LOOKED = SearchedIssue(12, FOUND)


@pytest.mark.parametrize(
    ("differs", "may"),
    [
        ({}, True),
        ({"fixed": replace(FOUND.fixed, status=FixStatus.PARTIALLY_FIXED)}, False),
        ({"fixed": replace(FOUND.fixed, status=FixStatus.POSSIBLY_FIXED)}, False),
        ({"fixed": replace(FOUND.fixed, status=FixStatus.STILL_PRESENT)}, False),
        ({"regression": True}, False),
    ],
)
def test_only_what_ran_and_is_stale_may_make_it_needless(differs: dict[str, Any], may: bool) -> None:
    other = SearchedIssue(13, replace(FOUND, **differs))
    assert may_be_unneeded((other,)) is may
    assert may_be_unneeded((LOOKED, other)) is may
    assert not may_be_unneeded(())


@cases
def test_the_base_decides(runs: dict[str, Run], needless: bool) -> None:
    assert (unneeded((LOOKED,), {12: runs}, BASE, leaves_code=False) is not None) is needless
    both = (LOOKED, SearchedIssue(13, FOUND))
    assert (unneeded(both, {12: runs, 13: {"a": PASSES}}, BASE, leaves_code=False) is not None) is needless
    assert unneeded(both, {12: {"a": PASSES}}, BASE, leaves_code=False) is None


def test_what_is_said_names_the_commit_and_what_ran() -> None:
    found = unneeded((LOOKED,), {12: {"a": PASSES}}, BASE, leaves_code=False)
    assert found is not None
    shown = "# While the bug exists, it raises TypeError.\nhalf(3)\n"
    assert (found.issues, found.commit, found.shown) == ((12,), FIX.commit, shown)
    assert not found.leaves_code
    ran, by = evidence_of(found)
    assert ran.found == f"At the base, commit {BASE[:10]}, what issue 12 shows was run, and it passes."
    assert FIX.commit[:10] in by.found
    paper = unneeded((LOOKED,), {12: {"a": PASSES}}, BASE, leaves_code=True)
    assert paper is not None and paper.leaves_code


def test_history_alone_is_a_note() -> None:
    possibly = SearchedIssue(12, replace(FOUND, fixed=replace(FOUND.fixed, status=FixStatus.POSSIBLY_FIXED)))
    (note,) = suspicion((possibly, LOOKED))
    assert note.startswith("Issue 12 may be fixed already, by commit ffffffffff")
    assert suspicion((SearchedIssue(12, replace(possibly.found, regression=True)),)) == ()
    short = replace(possibly.found.fixed, commits=3, trials=())
    assert suspicion((SearchedIssue(12, replace(possibly.found, fixed=short)),)) == (), "too little, and nothing ran"
