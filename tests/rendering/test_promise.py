"""What a verdict says its promise stands on, for each of the places where it was measured."""

import pytest

from bot.rendering.issue_reasons import issue_promise
from bot.verdicts import Basis, BasisCut, BasisKind, Decision, SpecificationLabel, Verdict


def said(basis: Basis | None) -> str:
    return issue_promise(Verdict(Decision.BOUNCE, SpecificationLabel.VAGUE, 0.7, "gpt-4.1", None, basis=basis))


@pytest.mark.parametrize(
    ("basis", "stands_on"),
    [
        (
            Basis(BasisKind.SHIPPED, 1021, 0.05),
            "1,021 recorded answers of this model to public issues, with another prompt.",
        ),
        (
            Basis(BasisKind.POOLED, 5105, 0.05),
            "5,105 recorded answers of other models to public issues, with another prompt.",
        ),
        (Basis(BasisKind.WEIGHTS, 595, 0.05), "595 labelled public issues."),
        (
            Basis(BasisKind.SERVER, 300, 0.05, "2026-05-04", cut=BasisCut.CHOSEN),
            "this server's calibration of 2026-05-04, from the labels of 300 issues.",
        ),
        (
            Basis(BasisKind.REPOSITORY, 40, 0.05, "2026-05-04"),
            "this repository's calibration of 2026-05-04, from the labels of 40 issues. They are too few to choose a "
            "threshold, so Bouncer's default applies.",
        ),
        (
            Basis(BasisKind.REPOSITORY, 40, 0.05, "2026-05-04", from_acts=True),
            "this repository's calibration of 2026-05-04, from what maintainers did with 40 issues. They show no "
            "reason to change Bouncer's default threshold.",
        ),
        (
            Basis(BasisKind.REPOSITORY, 40, 0.05, "2026-05-04", from_acts=True, cut=BasisCut.STRICTER),
            "this repository's calibration of 2026-05-04, from what maintainers did with 40 issues. They show that "
            "the threshold before broke this promise, so a stricter one applies.",
        ),
        (
            Basis(BasisKind.SERVER, 40, 0.05, "2026-05-04", from_acts=True, cut=BasisCut.CHOSEN),
            "this server's calibration of 2026-05-04, from what maintainers did with 40 issues. They show no reason to "
            "change the threshold.",
        ),
    ],
)
def test_it_names_where_it_was_measured(basis: Basis, stands_on: str) -> None:
    assert said(basis) == f"At most 5% of clear issues should be held by mistake. This is based on {stands_on}"


def test_rules_promise_no_share() -> None:
    assert said(None) == ""
