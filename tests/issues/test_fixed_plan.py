"""What is written about a report that may be fixed, and what keeps one open, decided from values alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.already_fixed.finding import FixFinding
from bot.already_fixed.values import Fixed
from bot.issues.facts import IssueHistory
from bot.issues.fixed_plan import StandingNotice, fix_plan, keeps_open
from bot.rendering.issue_messages import message_text
from bot.verdicts import FixStatus, State
from tests.already_fixed.house import candidate
from tests.issues.builders import facts, policy

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ALREADY, POSSIBLY = "already-fixed", "possibly-fixed"
CLOSING = policy(issues={"already_fixed": {"close_after_days": 7}})
OBSERVE = policy(mode="observe", issues={"already_fixed": {"close_after_days": 7}})
OFF = policy(issues={"already_fixed": {"enabled": False, "close_after_days": 7}})
TAKEN = IssueHistory(state=State.ACCEPTED)
FOUND = FixFinding(
    "text", "c" * 40, Fixed(FixStatus.ALREADY_FIXED, 0.9, (candidate("f" * 40),), reasons=("It passes.",), commits=500)
)


def status(found: FixStatus) -> FixFinding:
    return replace(FOUND, fixed=replace(FOUND.fixed, status=found))


@pytest.mark.parametrize(
    ("found", "said", "labels", "add", "remove", "ours", "days"),
    [
        (FOUND, StandingNotice(), (), (ALREADY,), (), ALREADY, 7),
        (FOUND, StandingNotice("x", ALREADY), (ALREADY,), (), (), ALREADY, 7),
        (FOUND, StandingNotice("x", POSSIBLY), (POSSIBLY,), (ALREADY,), (POSSIBLY,), ALREADY, 7),
        (FOUND, StandingNotice(), ("Already-Fixed",), (), (), "", None),  # somebody else's
        (FOUND, StandingNotice(objected=True), (), (), (), "", None),
        (FOUND, StandingNotice("x", ALREADY, answered=True), (ALREADY,), (), (), ALREADY, None),
        (FOUND, StandingNotice("x", ALREADY, over=True), (ALREADY,), (), (), ALREADY, None),
        (FOUND, StandingNotice("x", ALREADY), (), (), (), "", None),  # taken off
        (FOUND, StandingNotice("x", ALREADY, written=False), (), (ALREADY,), (), ALREADY, 7),  # a kill kept it off
        (replace(FOUND, regression=True), StandingNotice(), (), (), (), "", None),
        (replace(FOUND, lacking="2.x"), StandingNotice(), (), (ALREADY,), (), ALREADY, None),
        (status(FixStatus.POSSIBLY_FIXED), StandingNotice(), (), (POSSIBLY,), (), POSSIBLY, None),
        (status(FixStatus.PARTIALLY_FIXED), StandingNotice(), (), (), (), "", None),
        (status(FixStatus.STILL_PRESENT), StandingNotice("x", ALREADY), (ALREADY,), (), (ALREADY,), "", None),
        (status(FixStatus.STILL_PRESENT), StandingNotice("x", ALREADY), (), (), (), "", None),
    ],
)
def test_labels_and_closing(
    found: FixFinding,
    said: StandingNotice,
    labels: tuple[str, ...],
    add: tuple[str, ...],
    remove: tuple[str, ...],
    ours: str,
    days: int | None,
) -> None:
    plan = fix_plan(facts(labels=labels), found, said, CLOSING, NOW)
    close_at = NOW + timedelta(days=days) if days else None
    assert (plan.add, plan.remove, plan.ours, plan.close_at) == (add, remove, ours, close_at)
    assert ("closed on 2026-03-08" in (message_text(plan.says, "en") if plan.says else "")) is bool(days)


READY = policy(issues={"labels": {"agent_ready": "ready"}, "already_fixed": {"close_after_days": 7}})


@pytest.mark.parametrize(
    ("found", "said", "labels", "history", "add", "remove"),
    [
        (FOUND, StandingNotice(), ("Ready",), IssueHistory(), (ALREADY,), ("ready",)),
        (status(FixStatus.POSSIBLY_FIXED), StandingNotice(), ("ready",), IssueHistory(), (POSSIBLY,), ()),
        (status(FixStatus.PARTIALLY_FIXED), StandingNotice(), ("ready",), IssueHistory(), (), ()),
        (replace(FOUND, regression=True), StandingNotice(), ("ready",), IssueHistory(), (), ()),
        (FOUND, StandingNotice(objected=True), ("ready",), IssueHistory(), (), ()),
        (
            status(FixStatus.STILL_PRESENT),
            StandingNotice("x", ALREADY),
            (ALREADY,),
            IssueHistory(),
            ("ready",),
            (ALREADY,),
        ),
        (
            replace(FOUND, regression=True),
            StandingNotice("x", ALREADY),
            (ALREADY,),
            IssueHistory(),
            ("ready",),
            (ALREADY,),
        ),
        (FOUND, StandingNotice("x", ALREADY, objected=True), (ALREADY,), IssueHistory(), ("ready",), (ALREADY,)),
        (FOUND, StandingNotice("x", ALREADY), (), IssueHistory(), ("ready",), ()),
        (status(FixStatus.STILL_PRESENT), StandingNotice("x", POSSIBLY), (POSSIBLY,), IssueHistory(), (), (POSSIBLY,)),
        (
            status(FixStatus.STILL_PRESENT),
            StandingNotice("x", ALREADY),
            (ALREADY,),
            IssueHistory(held=True),
            (),
            (ALREADY,),
        ),
        (status(FixStatus.STILL_PRESENT), StandingNotice("x", ALREADY), (ALREADY,), TAKEN, (), (ALREADY,)),
    ],
)
def test_nobody_is_invited_to_work_on_what_is_fixed(
    found: FixFinding,
    said: StandingNotice,
    labels: tuple[str, ...],
    history: IssueHistory,
    add: tuple[str, ...],
    remove: tuple[str, ...],
) -> None:
    plan = fix_plan(facts(labels=labels, history=history), found, said, READY, NOW)
    assert (plan.add, plan.remove) == (add, remove)


def test_what_a_maintainer_accepted_is_never_closed() -> None:
    plan = fix_plan(facts(history=TAKEN), FOUND, StandingNotice(), CLOSING, NOW)
    assert (plan.add, plan.close_at) == ((ALREADY,), None)


@pytest.mark.parametrize(
    ("differs", "reason"),
    [
        ({}, ""),
        ({"said": StandingNotice("x", ALREADY, objected=True)}, "somebody objected"),
        ({"said": StandingNotice("x", ALREADY, answered=True)}, "somebody objected"),
        ({"policy": policy()}, "the policy does not ask for it"),
        ({"policy": OBSERVE}, "the policy does not ask for it"),
        ({"policy": OFF}, "the policy does not ask for it"),
        ({"found": status(FixStatus.POSSIBLY_FIXED)}, "it is not known to be fixed"),
        ({"found": replace(FOUND, regression=True)}, "it is not known to be fixed"),
        ({"found": replace(FOUND, lacking="2.x")}, "it is not known to be fixed"),
        ({"facts": facts()}, "its label was taken off"),
        ({"said": StandingNotice("x")}, "its label was taken off"),
        ({"said": StandingNotice("x", ALREADY, written=False)}, "nobody was told for certain"),
    ],
)
def test_what_keeps_it_open(differs: dict[str, Any], reason: str) -> None:
    given: dict[str, Any] = {"facts": facts(labels=(ALREADY,)), "found": FOUND, "said": StandingNotice("x", ALREADY)}
    assert keeps_open(**{**given, "policy": CLOSING, **differs}) == reason


def test_observing_leaves_everything_as_it_is() -> None:
    plan = fix_plan(facts(), FOUND, StandingNotice("x", ALREADY), OBSERVE, NOW)
    assert (plan.says, plan.add, plan.remove, plan.ours, plan.close_at) == (None, (), (), ALREADY, None)
