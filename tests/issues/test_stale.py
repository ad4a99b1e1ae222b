"""What is written about a report that may be fixed, and what keeps one open, decided from values alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.already_fixed.finding import Found
from bot.already_fixed.values import Fixed
from bot.issues.facts import History
from bot.issues.stale import Said, keeps_open, told
from bot.rendering.issue_messages import message_text
from bot.verdicts import FixStatus, State
from tests.already_fixed.house import candidate
from tests.issues.builders import facts, policy

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ALREADY, POSSIBLY = "already-fixed", "possibly-fixed"
CLOSING = policy(issues={"already_fixed": {"close_after_days": 7}})
OBSERVE = policy(mode="observe", issues={"already_fixed": {"close_after_days": 7}})
OFF = policy(issues={"already_fixed": {"enabled": False, "close_after_days": 7}})
TAKEN = History(state=State.ACCEPTED)
FOUND = Found(
    "text", "c" * 40, Fixed(FixStatus.ALREADY_FIXED, 0.9, (candidate("f" * 40),), reasons=("It passes.",), commits=500)
)


def status(found: FixStatus) -> Found:
    return replace(FOUND, fixed=replace(FOUND.fixed, status=found))


@pytest.mark.parametrize(
    ("found", "said", "labels", "add", "remove", "ours", "days"),
    [
        (FOUND, Said(), (), (ALREADY,), (), ALREADY, 7),
        (FOUND, Said("x", ALREADY), (ALREADY,), (), (), ALREADY, 7),
        (FOUND, Said("x", POSSIBLY), (POSSIBLY,), (ALREADY,), (POSSIBLY,), ALREADY, 7),
        (FOUND, Said(), ("Already-Fixed",), (), (), "", None),  # somebody else's
        (FOUND, Said(objected=True), (), (), (), "", None),
        (FOUND, Said("x", ALREADY, answered=True), (ALREADY,), (), (), ALREADY, None),
        (FOUND, Said("x", ALREADY, over=True), (ALREADY,), (), (), ALREADY, None),
        (FOUND, Said("x", ALREADY), (), (), (), "", None),  # taken off
        (FOUND, Said("x", ALREADY, written=False), (), (ALREADY,), (), ALREADY, 7),  # a kill kept it off
        (replace(FOUND, regression=True), Said(), (), (), (), "", None),
        (replace(FOUND, lacking="2.x"), Said(), (), (ALREADY,), (), ALREADY, None),
        (status(FixStatus.POSSIBLY_FIXED), Said(), (), (POSSIBLY,), (), POSSIBLY, None),
        (status(FixStatus.PARTIALLY_FIXED), Said(), (), (), (), "", None),
        (status(FixStatus.STILL_PRESENT), Said("x", ALREADY), (ALREADY,), (), (ALREADY,), "", None),
        (status(FixStatus.STILL_PRESENT), Said("x", ALREADY), (), (), (), "", None),
    ],
)
def test_labels_and_closing(
    found: Found,
    said: Said,
    labels: tuple[str, ...],
    add: tuple[str, ...],
    remove: tuple[str, ...],
    ours: str,
    days: int | None,
) -> None:
    plan = told(facts(labels=labels), found, said, CLOSING, NOW)
    close_at = NOW + timedelta(days=days) if days else None
    assert (plan.add, plan.remove, plan.ours, plan.close_at) == (add, remove, ours, close_at)
    assert ("closed on 2026-03-08" in (message_text(plan.says, "en") if plan.says else "")) is bool(days)


READY = policy(issues={"labels": {"agent_ready": "ready"}, "already_fixed": {"close_after_days": 7}})


@pytest.mark.parametrize(
    ("found", "said", "labels", "history", "add", "remove"),
    [
        (FOUND, Said(), ("Ready",), History(), (ALREADY,), ("ready",)),
        (status(FixStatus.POSSIBLY_FIXED), Said(), ("ready",), History(), (POSSIBLY,), ()),
        (status(FixStatus.PARTIALLY_FIXED), Said(), ("ready",), History(), (), ()),
        (replace(FOUND, regression=True), Said(), ("ready",), History(), (), ()),
        (FOUND, Said(objected=True), ("ready",), History(), (), ()),
        (status(FixStatus.STILL_PRESENT), Said("x", ALREADY), (ALREADY,), History(), ("ready",), (ALREADY,)),
        (replace(FOUND, regression=True), Said("x", ALREADY), (ALREADY,), History(), ("ready",), (ALREADY,)),
        (FOUND, Said("x", ALREADY, objected=True), (ALREADY,), History(), ("ready",), (ALREADY,)),
        (FOUND, Said("x", ALREADY), (), History(), ("ready",), ()),
        (status(FixStatus.STILL_PRESENT), Said("x", POSSIBLY), (POSSIBLY,), History(), (), (POSSIBLY,)),
        (status(FixStatus.STILL_PRESENT), Said("x", ALREADY), (ALREADY,), History(held=True), (), (ALREADY,)),
        (status(FixStatus.STILL_PRESENT), Said("x", ALREADY), (ALREADY,), TAKEN, (), (ALREADY,)),
    ],
)
def test_nobody_is_invited_to_work_on_what_is_fixed(
    found: Found,
    said: Said,
    labels: tuple[str, ...],
    history: History,
    add: tuple[str, ...],
    remove: tuple[str, ...],
) -> None:
    plan = told(facts(labels=labels, history=history), found, said, READY, NOW)
    assert (plan.add, plan.remove) == (add, remove)


def test_what_a_maintainer_accepted_is_never_closed() -> None:
    plan = told(facts(history=TAKEN), FOUND, Said(), CLOSING, NOW)
    assert (plan.add, plan.close_at) == ((ALREADY,), None)


@pytest.mark.parametrize(
    ("differs", "reason"),
    [
        ({}, ""),
        ({"said": Said("x", ALREADY, objected=True)}, "somebody objected"),
        ({"said": Said("x", ALREADY, answered=True)}, "somebody objected"),
        ({"policy": policy()}, "the policy does not ask for it"),
        ({"policy": OBSERVE}, "the policy does not ask for it"),
        ({"policy": OFF}, "the policy does not ask for it"),
        ({"found": status(FixStatus.POSSIBLY_FIXED)}, "it is not known to be fixed"),
        ({"found": replace(FOUND, regression=True)}, "it is not known to be fixed"),
        ({"found": replace(FOUND, lacking="2.x")}, "it is not known to be fixed"),
        ({"facts": facts()}, "its label was taken off"),
        ({"said": Said("x")}, "its label was taken off"),
        ({"said": Said("x", ALREADY, written=False)}, "nobody was told for certain"),
    ],
)
def test_what_keeps_it_open(differs: dict[str, Any], reason: str) -> None:
    given: dict[str, Any] = {"facts": facts(labels=(ALREADY,)), "found": FOUND, "said": Said("x", ALREADY)}
    assert keeps_open(**{**given, "policy": CLOSING, **differs}) == reason


def test_observing_leaves_everything_as_it_is() -> None:
    plan = told(facts(), FOUND, Said("x", ALREADY), OBSERVE, NOW)
    assert (plan.says, plan.add, plan.remove, plan.ours, plan.close_at) == (None, (), (), ALREADY, None)
