"""A pull request's claims against what was seen: the lie asks for a person, the truth is no merit."""

from dataclasses import replace

import pytest

from bot.pulls.claims import by_diff, by_runs, contradictions, shown
from bot.pulls.facts import Claim, Held, Said
from bot.rendering.pull_reasons import not_covered
from bot.verdicts import Effect
from bot.verification.values import PatchEvidence, PatchFacts, Red, Standing, TestResult, TestRun, TestStatus, Turned
from tests.changes.parts import change_of
from tests.pulls.results import decided

CODE = ("shop/cart.py", "def total(a):\n    return 1\n", "def total(a):\n    return 2\n")
DOCSTRING = ("shop/cart.py", 'def total(a):\n    """The total."""\n', 'def total(a):\n    """The sum."""\n')
TEST = ("tests/test_cart.py", "\n", "\ndef test_total():\n    assert total(1) == 2\n")
DOCS = ("docs/cart.rst", "a\n", "b\n")
LOG = ("CHANGES.rst", "a\n", "b\n")


@pytest.mark.parametrize(
    ("claim", "files", "held"),
    [
        (Claim.TESTS_ADDED, [CODE], Held.CONTRADICTED),
        (Claim.TESTS_ADDED, [CODE, TEST], Held.SHOWN),
        (Claim.TESTS_ADDED, [DOCS], Held.UNCHECKED),
        (Claim.DOCUMENTATION_ONLY, [CODE, DOCS], Held.CONTRADICTED),
        (Claim.DOCUMENTATION_ONLY, [DOCS, TEST], Held.SHOWN),
        (Claim.DOCUMENTATION_ONLY, [DOCSTRING], Held.SHOWN),
        (Claim.TESTS_ONLY, [CODE, TEST], Held.CONTRADICTED),
        (Claim.TESTS_ONLY, [TEST], Held.SHOWN),
        (Claim.DOCUMENTED, [CODE, DOCS], Held.SHOWN),
        (Claim.DOCUMENTED, [DOCSTRING], Held.UNCHECKED),
        (Claim.IN_CHANGELOG, [CODE], Held.CONTRADICTED),
        (Claim.IN_CHANGELOG, [CODE, LOG], Held.SHOWN),
        (Claim.FASTER, [CODE], Held.UNCHECKED),
        (Claim.COMPATIBLE, [CODE], Held.UNCHECKED),
    ],
)
def test_by_the_diff(claim: Claim, files: list[tuple[str, str, str]], held: Held) -> None:
    (found,) = by_diff((Said(claim, "as said", "title"),), change_of(*files), dependency=False)
    assert found.held is held
    (told,) = shown((found,))
    assert told.effect is (Effect.MISSING if held is Held.CONTRADICTED else Effect.NEUTRAL), "none is a merit"
    assert (told.quote, told.where) == ("as said", "title")
    assert bool(contradictions((found,))) is (held is Held.CONTRADICTED)
    open_ = [each for each in not_covered(decided(claims=(found,))) if each.startswith("Not checked")]
    assert bool(open_) is (held is Held.UNCHECKED)


def test_whole_files_tell_a_docstring_from_code() -> None:
    before = 'def total(a):\n    """The total.\n\n    Of one.\n    Or none.\n    """\n    return 1\n'
    said = (Said(Claim.DOCUMENTATION_ONLY, "", "title"),)
    for after, held in (
        (before.replace("Of one.", "Of two."), Held.SHOWN),
        (before.replace("return 1", "return 2"), Held.CONTRADICTED),
    ):
        change = change_of(("shop/cart.py", before, after))
        (found,) = by_diff(said, change, lambda file, after=after: (before, after), dependency=False)
        assert found.held is held


@pytest.mark.parametrize(("dependency", "held"), [(True, Held.CONTRADICTED), (False, Held.SHOWN)])
def test_dependencies(dependency: bool, held: Held) -> None:
    (found,) = by_diff((Said(Claim.NO_DEPENDENCIES, "", ""),), change_of(CODE), dependency=dependency)
    assert found.held is held


PASSES = TestRun((TestResult("a", TestStatus.PASSED),), 1.0)
FINE = PatchEvidence(Standing.PLAUSIBLE, (), PatchFacts(PASSES, PASSES, PASSES))
TURNED = Turned("tests/test_cart.py::test_total", Red.ASSERTION, counts=True)


@pytest.mark.parametrize(
    ("claim", "patch", "held"),
    [
        (Claim.ALL_GREEN, FINE, Held.SHOWN),
        (Claim.ALL_GREEN, None, Held.UNCHECKED),
        (Claim.ALL_GREEN, PatchEvidence(Standing.OPEN, (), FINE.facts), Held.UNCHECKED),
        (Claim.ALL_GREEN, replace(FINE, silenced=PASSES.results), Held.UNCHECKED),
        (Claim.ALL_GREEN, replace(FINE, only_tested=PASSES.results), Held.UNCHECKED),
        (Claim.ALL_GREEN, PatchEvidence(Standing.OPEN, (), FINE.facts, own_failing=("a",)), Held.CONTRADICTED),
        (Claim.BEHAVIOUR_KEPT, FINE, Held.SHOWN),
        (Claim.BEHAVIOUR_KEPT, PatchEvidence(Standing.PLAUSIBLE, (), FINE.facts, turned=(TURNED,)), Held.CONTRADICTED),
        (Claim.FASTER, FINE, Held.UNCHECKED),
    ],
)
def test_by_the_runs(claim: Claim, patch: PatchEvidence | None, held: Held) -> None:
    (found,) = by_runs(by_diff((Said(claim, "", ""),), change_of(CODE), dependency=False), patch)
    assert found.held is held
