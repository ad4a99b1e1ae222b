"""What a verdict says its promise stands on, for each of the places where it was measured."""

from bot.rendering.issue_reasons import issue_promise
from bot.verdicts import Basis, Decision, SpecificationLabel, Verdict
from tests.support.cases import cases


def said(basis: Basis | None) -> str:
    return issue_promise(Verdict(Decision.BOUNCE, SpecificationLabel.VAGUE, 0.7, "gpt-4.1", None, basis=basis))


@cases
def test_it_names_where_it_was_measured(basis: Basis, stands_on: str) -> None:
    assert said(basis) == f"At most 5% of clear issues should be held by mistake. This is based on {stands_on}"


def test_rules_promise_no_share() -> None:
    assert said(None) == ""
