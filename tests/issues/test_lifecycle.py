from dataclasses import replace
from typing import Any

import pytest

from bot.issues import lifecycle
from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts, IssueHistory
from bot.issues.lifecycle import Plan
from bot.issues.messages import Note
from bot.policy import Policy
from bot.rendering.comment import MARKER, REMINDER_MARKER
from bot.verdicts import IssueKind, Item, State
from tests.issues.builders import ALL_CLEAR, HELD, LABEL, facts, judgement, look, policy, report, text_in
from tests.support.cases import cases

CLEAR = {"judgement": judgement(0.01)}
DOWN = {"judgement": "down"}
SECRET = {"report": report(kind=IssueKind.VULNERABILITY)}
IS_HELD = {"history": HELD, "labels": (LABEL,)}
OBSERVE = policy(mode="observe")


def planned(rules: Policy = Policy(), **difference: Any) -> Plan:  # noqa: B008 (frozen)
    given = look(difference)
    return lifecycle.plan(given, decide_issue(given, rules), rules)


def says(plan: Plan) -> str:
    first, _, rest = text_in(plan).partition("\n")
    assert first == MARKER
    return rest


def test_a_bounce_puts_the_label_and_one_comment() -> None:
    plan = planned()
    assert (plan.labels_add, plan.labels_remove, plan.close, plan.note, plan.reminder) == (
        (LABEL,),
        (),
        False,
        None,
        None,
    )
    assert "- [x] what happens" in says(plan) and "- [ ] steps to reproduce" in says(plan)
    assert plan.history == IssueHistory(
        held=True,
        commented=True,
        judged=True,
        asked=(Item.VERSION, Item.STEPS),
        satisfied=(Item.OBSERVED, Item.EXPECTED),
    )


def test_a_first_look_that_finds_it_clear_writes_nothing() -> None:
    plan = planned(**CLEAR)
    assert not plan.writes
    assert plan.history.judged and not plan.history.held


def test_a_comment_that_asked_nothing_stays_as_it_is() -> None:
    """An answer to `/bouncer help`, or the pointer of a report that no longer reads like a vulnerability."""
    assert not planned(**CLEAR, history=IssueHistory(commented=True, judged=True)).writes


def test_a_later_look_ticks_what_came_and_asks_only_for_the_rest() -> None:
    items = {**report().items, Item.STEPS: "press save"}
    plan = planned(report=report(items=items), **IS_HELD)
    assert plan.labels_add == plan.labels_remove == ()
    assert "- [x] steps to reproduce: “press save”" in says(plan)
    assert "Thank you, Bouncer looked again." in says(plan)
    assert says(plan).count("\n1. ") == 1 and "\n2. " not in says(plan)
    assert Item.STEPS in plan.history.satisfied and plan.history.held


def test_a_tick_stays_when_the_text_is_taken_back() -> None:
    plan = planned(**{**IS_HELD, "history": replace(HELD, satisfied=(Item.STEPS,))})
    assert "- [x] steps to reproduce" in says(plan)


def test_when_it_is_clear_the_label_goes_and_the_comment_is_one_line() -> None:
    plan = planned(**CLEAR, **IS_HELD)
    assert (plan.labels_add, plan.labels_remove) == ((), (LABEL,))
    shown = says(plan).partition("<details>")[0].strip()
    assert shown == "Thank you, this is clear now. Bouncer has nothing more to ask."
    assert "[ ]" not in says(plan) and not plan.history.held


def test_everything_asked_for_is_enough() -> None:
    plan = planned(report=report(items=ALL_CLEAR), **IS_HELD)
    assert plan.labels_remove == (LABEL,) and "this is clear now" in says(plan)


def test_a_label_that_a_person_put_on_stays() -> None:
    by_human = IssueHistory(label_by_human=True)
    held = planned(history=by_human, labels=(LABEL,))
    assert held.labels_add == () and not held.history.held and held.comment
    cleared = planned(**CLEAR, history=held.history, labels=(LABEL,))
    assert cleared.labels_remove == () and "this is clear now" in says(cleared)


def test_a_label_already_there_when_a_plan_is_repeated_is_ours() -> None:
    again = planned(labels=("Needs-Clarification",))
    assert again.labels_add == () and again.history.held


def test_a_label_that_somebody_took_off_is_never_put_back() -> None:
    plan = planned(history=HELD, labels=())
    assert plan.labels_add == () and plan.history.state is State.ACCEPTED and plan.disagreement
    assert says(plan) == "A maintainer accepted this issue as it is. Bouncer has nothing more to ask.\n"


def test_clear_after_its_label_went_is_no_disagreement() -> None:
    plan = planned(**CLEAR, history=HELD, labels=())
    assert plan.history.state is State.ACTIVE and not plan.disagreement and plan.labels_remove == ()


@cases
def test_unavailable_writes_nothing_but_a_note_where_bouncer_holds(difference: dict[str, Any], note: bool) -> None:
    plan = planned(**DOWN, **difference)
    assert (plan.labels_add, plan.labels_remove, plan.comment) == ((), (), None)
    assert (plan.note is not None) is note
    assert plan.writes is note
    assert plan.history == look(difference).history


@cases
def test_labels_for_agents(
    rules: dict[str, Any], difference: dict[str, Any], added: tuple[str, ...], removed: tuple[str, ...]
) -> None:
    plan = planned(policy(**rules), **difference)
    assert (plan.labels_add, plan.labels_remove) == (added, removed)


def test_a_vulnerability_gets_a_pointer_and_loses_the_hold() -> None:
    plan = planned(**SECRET)
    assert plan.labels_add == plan.labels_remove == () and "1." not in says(plan)
    assert plan.outcome == "asked for a private report"  # nobody has looked yet whether there is a SECURITY.md
    assert "SECURITY.md" not in says(plan) and "ask the maintainers, without details, how to report it" in says(plan)
    there = replace(
        plan, comment=Note("vulnerability", {"policy": "https://github.com/acme/widgets/blob/main/SECURITY.md"})
    )
    assert "[`SECURITY.md`](https://github.com/acme/widgets/blob/main/SECURITY.md) says how to report it" in says(there)
    later = planned(**SECRET, **IS_HELD)
    assert later.labels_remove == (LABEL,) and not later.history.held


@cases
def test_observe_writes_nothing_ever(difference: dict[str, Any]) -> None:
    plan = planned(OBSERVE, **difference)
    assert not plan.writes and plan.history.held is look(difference).history.held


@pytest.mark.parametrize("state", [State.ACCEPTED, State.PAUSED])
@pytest.mark.parametrize("difference", [{}, CLEAR, DOWN, SECRET])
def test_accepted_and_paused_write_nothing(state: State, difference: dict[str, Any]) -> None:
    history = replace(HELD, state=state)
    plan = planned(history=history, labels=(LABEL,), **difference)
    assert not plan.writes and plan.history == history


def test_a_maintainer_ends_it_for_good() -> None:
    plan = lifecycle.accepted(facts(**IS_HELD), Policy())
    assert plan.labels_remove == (LABEL,) and plan.disagreement and "accepted this issue" in says(plan)
    assert plan.history.state is State.ACCEPTED and not plan.history.held
    assert not lifecycle.accepted(facts(), Policy()).writes
    assert says(lifecycle.accepted(facts(), Policy(), answer=True))
    assert not lifecycle.accepted(facts(), Policy(), answer=True).disagreement


def test_pause_and_resume() -> None:
    paused = lifecycle.paused(facts(**IS_HELD), Policy())
    assert paused.history.state is State.PAUSED and paused.history.held and paused.labels_remove == ()
    assert "`/bouncer resume`" in text_in(paused, "answer") and paused.comment is None
    resumed = lifecycle.resumed(facts(history=paused.history, labels=(LABEL,)), Policy())
    assert resumed.history == HELD


@pytest.mark.parametrize("word", [lifecycle.paused, lifecycle.resumed])
def test_accepted_is_for_good(word: Any) -> None:
    history = IssueHistory(state=State.ACCEPTED)
    plan = word(facts(history=history), Policy())
    assert plan.history == history and "for good" in text_in(plan, "answer")


@pytest.mark.parametrize(
    "plan",
    [
        lifecycle.accepted(facts(**IS_HELD), OBSERVE, answer=True),
        lifecycle.paused(facts(**IS_HELD), OBSERVE),
        lifecycle.resumed(facts(**IS_HELD), OBSERVE),
        lifecycle.answered(facts(**IS_HELD), "help", Note("help"), OBSERVE),
        lifecycle.not_held(facts(**IS_HELD), "its author is exempt", OBSERVE),
        lifecycle.silent(facts(**IS_HELD), 99, policy(mode="observe", issues={"no_response": {"close_after_days": 9}})),
    ],
)
def test_observe_answers_no_command(plan: Plan) -> None:
    assert not plan.writes


def test_exempted_meanwhile() -> None:
    plan = lifecycle.not_held(facts(**IS_HELD), "its author is exempt", Policy())
    assert plan.labels_remove == (LABEL,) and not plan.history.held
    assert says(plan) == "Bouncer leaves this issue alone: its author is exempt. Nothing more is asked.\n"
    assert not lifecycle.not_held(facts(labels=(LABEL,)), "its author is exempt", Policy()).writes


@cases
def test_silence(rules: dict[str, int], days: int, difference: dict[str, Any], does: str) -> None:
    plan = lifecycle.silent(look({**IS_HELD, **difference}), days, policy(issues={"no_response": rules}))
    assert {(True, False): "closes", (False, True): "reminds", (False, False): ""}[
        plan.close, bool(plan.reminder)
    ] == does
    assert plan.labels_add == plan.labels_remove == () and plan.comment is None
    if plan.reminder:
        said = text_in(plan, "reminder")
        assert said.startswith(f"{REMINDER_MARKER}\n") and "in 7 days" in said
        assert plan.history.reminded
    if plan.close:
        assert f"for {days} days" in text_in(plan, "note")


def test_a_new_hold_may_remind_again() -> None:
    assert planned(**{**IS_HELD, "history": replace(HELD, reminded=True)}).history.reminded
    assert not planned(history=replace(HELD, held=False, reminded=True)).history.reminded


def test_the_same_look_twice_is_the_same_plan() -> None:
    given: IssueFacts = facts()
    verdict = decide_issue(given, Policy())
    assert lifecycle.plan(given, verdict, Policy()) == lifecycle.plan(given, verdict, Policy())
