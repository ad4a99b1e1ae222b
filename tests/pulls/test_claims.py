"""A pull request's claims against what was seen: the lie asks for a person, the truth is no merit."""

from dataclasses import replace

import pytest

from bot.pulls.claims import by_diff, by_runs, shown
from bot.pulls.facts import NOTHING_RAN, Statement, StatementFinding, StatementKind
from bot.rendering.pull_reasons import not_covered
from bot.verdicts import Effect
from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Red, Standing, Turned
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.changes.parts import as_shown, change_of
from tests.pulls.results import decided
from tests.support.cases import cases

CODE = ("shop/cart.py", "def total(a):\n    return 1\n", "def total(a):\n    return 2\n")


@cases
def test_by_the_diff(claim: StatementKind, files: list[tuple[str, str, str]], held: StatementFinding) -> None:
    (found,) = by_diff((Statement(claim, "as said", "title"),), change_of(*files), as_shown, dependency=False)
    assert found.held is held
    (told,) = shown((found,))
    assert told.effect is (Effect.MISSING if held is StatementFinding.CONTRADICTED else Effect.NEUTRAL), (
        "none is a merit"
    )
    assert (told.quote, told.where) == ("as said", "title")
    open_ = [each for each in not_covered(decided(claims=(found,))) if each.startswith("The description claims this")]
    assert bool(open_) is (held is StatementFinding.UNCHECKED)


def test_whole_files_tell_a_docstring_from_code() -> None:
    before = 'def total(a):\n    """The total.\n\n    Of one.\n    Or none.\n    """\n    return 1\n'
    said = (Statement(StatementKind.DOCUMENTATION_ONLY, "", "title"),)
    for after, held in (
        (before.replace("Of one.", "Of two."), StatementFinding.SHOWN),
        (before.replace("return 1", "return 2"), StatementFinding.CONTRADICTED),
    ):
        change = change_of(("shop/cart.py", before, after))
        (found,) = by_diff(said, change, lambda file, after=after: (before, after), dependency=False)
        assert found.held is held


@pytest.mark.parametrize(
    ("dependency", "held"), [(True, StatementFinding.CONTRADICTED), (False, StatementFinding.SHOWN)]
)
def test_dependencies(dependency: bool, held: StatementFinding) -> None:
    (found,) = by_diff((Statement(StatementKind.NO_DEPENDENCIES, "", ""),), change_of(CODE), dependency=dependency)
    assert found.held is held


PASSES = TestRun((TestResult("a", TestStatus.PASSED),), 1.0)
FINE = PatchEvidence(Standing.PLAUSIBLE, (), PatchFacts(PASSES, PASSES, PASSES))
TURNED = Turned("tests/test_cart.py::test_total", Red.ASSERTION, counts=True)


@pytest.mark.parametrize(
    ("claim", "patch", "held"),
    [
        (StatementKind.ALL_GREEN, FINE, StatementFinding.SHOWN),
        (StatementKind.ALL_GREEN, NOTHING_RAN, StatementFinding.UNCHECKED),
        (StatementKind.ALL_GREEN, PatchEvidence(Standing.OPEN, (), FINE.facts), StatementFinding.UNCHECKED),
        (StatementKind.ALL_GREEN, replace(FINE, only_tested=PASSES.results), StatementFinding.UNCHECKED),
        (
            StatementKind.ALL_GREEN,
            PatchEvidence(Standing.OPEN, (), FINE.facts, own_failing=("a",)),
            StatementFinding.CONTRADICTED,
        ),
        (StatementKind.BEHAVIOUR_KEPT, FINE, StatementFinding.SHOWN),
        (
            StatementKind.BEHAVIOUR_KEPT,
            PatchEvidence(Standing.PLAUSIBLE, (), FINE.facts, turned=(TURNED,)),
            StatementFinding.CONTRADICTED,
        ),
        (StatementKind.FASTER, FINE, StatementFinding.UNCHECKED),
    ],
)
def test_by_the_runs(claim: StatementKind, patch: PatchEvidence, held: StatementFinding) -> None:
    (found,) = by_runs(by_diff((Statement(claim, "", ""),), change_of(CODE), dependency=False), patch)
    assert found.held is held
