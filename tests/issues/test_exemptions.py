"""Why an issue is not held, or not looked at."""

from typing import Any

import pytest

from bot.issues.exemptions import why_exempt, why_no_look, why_outside
from bot.issues.facts import IssueHistory
from bot.verdicts import IssueKind, State
from tests.issues.builders import facts, policy, report

KINDS = {"report": report(kind=IssueKind.QUESTION)}


@pytest.mark.parametrize(
    ("difference", "rules", "reason"),
    [
        ({}, {}, None),
        ({}, {"kinds": ["feature", "bug"]}, None),
        ({}, {"kinds": ["question"]}, "it is a bug report, and the policy wants other kinds looked at"),
        (KINDS, {"kinds": ["bug"]}, "it is a question, and the policy wants other kinds looked at"),
        (KINDS, {"kinds": ["question"]}, None),
        ({"report": report(kind=IssueKind.FEATURE)}, {"kinds": ["feature"]}, None),
        ({"report": report(kind=IssueKind.DOCUMENTATION)}, {"kinds": ["documentation"]}, None),
        ({"report": report(kind=IssueKind.VULNERABILITY)}, {"kinds": ["question"]}, None),
        ({"labels": ("Triage",)}, {"labels": ["bug", "triage"]}, None),
        ({"labels": ("other",)}, {"labels": ["bug"]}, "it carries none of the labels that the policy wants looked at"),
        ({}, {"labels": ["bug"]}, "it carries none of the labels that the policy wants looked at"),
        (
            {"labels": ("bug",)},
            {"labels": ["bug"], "kinds": ["question"]},
            "it is a bug report, and the policy wants other kinds looked at",
        ),
    ],
)
def test_what_is_outside(difference: dict[str, Any], rules: dict[str, Any], reason: str | None) -> None:
    assert why_outside(facts(**difference), policy(issues={"only": rules})) == reason


@pytest.mark.parametrize(
    ("difference", "rules", "reason"),
    [
        ({}, {}, None),
        ({"author": "Renovate[bot]"}, {"authors": ["renovate[bot]"]}, "its author is exempt"),
        ({"author": "renovate"}, {"authors": ["renovate[bot]"]}, None),
        ({"author": "DANA"}, {"authors": ["dana"]}, "its author is exempt"),
        ({"association": "member"}, {"roles": ["member", "owner"]}, "its author's role (member) is exempt"),
        (
            {"association": "FIRST_TIMER"},
            {"roles": ["first_timer"]},
            "its author's role (first timer) is exempt",
        ),
        ({"association": "contributor"}, {"roles": ["member"]}, None),
        ({"labels": ("Roadmap",)}, {"labels": ["roadmap"]}, "it carries an exempt label"),
        ({"labels": ("bug",)}, {"labels": ["roadmap"]}, None),
        # Roles that nobody wrote out follow from who may read the repository.
        ({"association": "OWNER", "private": False}, {}, "its author's role (owner) is exempt"),
        ({"association": "member", "private": False}, {}, "its author's role (member) is exempt"),
        ({"association": "collaborator", "private": False}, {}, "its author's role (collaborator) is exempt"),
        ({"association": "contributor", "private": False}, {}, None),
        ({"association": "owner", "private": True}, {}, None),
        ({"association": "owner"}, {}, None),
        ({"association": "owner", "private": False, "by_agent": True}, {}, None),
        (
            {"association": "owner", "private": False, "by_agent": True},
            {"roles": ["owner"]},
            "its author's role (owner) is exempt",
        ),
        ({"association": "owner", "private": False}, {"roles": []}, None),
        ({"association": "owner", "private": False}, {"roles": ["member"]}, None),
    ],
)
def test_exemption(difference: dict[str, Any], rules: dict[str, Any], reason: str | None) -> None:
    assert why_exempt(facts(**difference), policy(issues={"exempt": rules})) == reason


@pytest.mark.parametrize(
    ("difference", "rules", "reason"),
    [
        ({}, {}, None),
        ({"author_is_bot": True}, {}, None),
        ({}, {"enabled": False}, "the policy switches issues off"),
        ({"history": IssueHistory(state=State.ACCEPTED)}, {}, "a maintainer accepted it"),
        ({"history": IssueHistory(state=State.PAUSED)}, {}, "it is paused"),
        ({"state": "closed"}, {}, "it is closed"),
        ({"locked": True}, {}, "its conversation is locked"),
    ],
)
def test_what_gets_no_look(difference: dict[str, Any], rules: dict[str, Any], reason: str | None) -> None:
    assert why_no_look(facts(**difference), policy(issues=rules)) == reason
