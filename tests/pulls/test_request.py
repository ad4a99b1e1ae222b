"""What a pull request is held against: the issues it names, weighed against each other and the policy."""

from typing import Any

from bot.github.values import LinkedIssue, Pull
from bot.policy import Policy, PullRules
from bot.policy_choices import WithoutIssue
from bot.pulls.facts import RequestKind
from bot.pulls.request import Request, request
from tests.support.cases import cases

OWN = Pull(9, "Round up", "half(3) is 2 now.", "coder[bot]")
CLEAR = LinkedIssue(1, "half() rounds down", "half(3) should be 2.", "ada")
OTHER = LinkedIssue(2, "half() takes no float", "half(1.5) should be 0.75.", "ada")
MINE = LinkedIssue(5, "Rounding", "half(3) could be 2.", "coder[bot]")
ELSEWHERE = LinkedIssue(6, "Rounding everywhere", "Round up.", "ada", ("needs-clarification",), place="acme/Tools")
GUESS = LinkedIssue(7, "half() rounds down", "half(3) should be 2.", "ada", guess=True)
BOUNCE, ADVISE, DESCRIPTION = WithoutIssue.BOUNCE, WithoutIssue.ADVISE, WithoutIssue.DESCRIPTION


def asked(*issues: LinkedIssue, own: Pull = OWN, without: WithoutIssue = DESCRIPTION, **known: Any) -> Request:
    return request(own, issues, Policy(pulls=PullRules(require_linked_issue=without)), **known)


@cases
def test_what_it_is_held_against(
    issues: tuple[LinkedIssue, ...], without: WithoutIssue, known: dict[str, Any], expected: RequestKind, said: str
) -> None:
    found = asked(*issues, without=without, **known)
    assert found.asked is expected
    assert found.said.startswith(said)


def test_a_guess_that_is_closed_or_waits_is_none() -> None:
    for labels, is_open in ((("needs-clarification",), True), ((), False)):
        guess = LinkedIssue(7, "t", "b", "ada", labels, is_open, guess=True)
        assert asked(guess, without=BOUNCE).asked is RequestKind.NOTHING


def test_only_what_others_wrote_is_a_specification() -> None:
    found = asked(CLEAR, MINE)
    assert "half(3) should be 2." in found.specification
    assert "could be" not in found.specification
    assert "half(3) could be 2." in found.description
    assert "half(3) is 2 now." in found.description
    assert asked(GUESS).specification == asked().specification == ""
    assert "half(3) should be 2." in asked(GUESS).description


def test_only_issues_of_others_in_this_repository_may_waive() -> None:
    assert asked(CLEAR, MINE, ELSEWHERE, OTHER).waiving == (CLEAR, OTHER)


@cases
def test_what_the_reader_is_told(
    issues: tuple[LinkedIssue, ...],
    without: WithoutIssue,
    known: dict[str, Any],
    remarks: tuple[str, ...],
    risks: tuple[str, ...],
) -> None:
    found = asked(*issues, without=without, **known)
    assert (found.remarks, found.risks) == (remarks, risks)


def test_who_asks_for_documentation() -> None:
    docs = LinkedIssue(8, "Document half()", "", "ada")
    says = Pull(9, "docs: explain half()", "", "coder[bot]")
    assert asked(docs).documentation
    assert asked(docs, CLEAR).documentation
    assert asked(own=says).documentation
    assert not asked(CLEAR, own=says).documentation, "an issue says what was wanted, not who answers it"
