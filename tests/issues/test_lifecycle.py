from dataclasses import replace
from typing import Any

import pytest

from bot.issues import lifecycle
from bot.issues.agent_reach import AgentPast
from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts, IssueHistory
from bot.issues.lifecycle import Plan
from bot.issues.messages import Note
from bot.judges.protocol import NoJudgement
from bot.policy import Policy
from bot.rendering.comment import MARKER, REMINDER_MARKER
from bot.verdicts import IssueKind, Item, State
from tests.issues.builders import ALL_CLEAR, HELD, LABEL, facts, judgement, policy, report, text_in

CLEAR = {"judgement": judgement(0.01)}
DOWN = {"judgement": NoJudgement("gpt-4.1", "The model did not answer.", retry=True)}
SECRET = {"report": report(kind=IssueKind.VULNERABILITY)}
IS_HELD = {"history": HELD, "labels": (LABEL,)}
READY = policy(issues={"labels": {"agent_ready": "agent-ready"}})
OBSERVE = policy(mode="observe")


def planned(rules: Policy = Policy(), **difference: Any) -> Plan:  # noqa: B008 (frozen)
    given = facts(**difference)
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
        asked=(Item.STEPS, Item.VERSION),
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


@pytest.mark.parametrize(
    ("difference", "note"),
    [
        ({}, False),
        ({"labels": (LABEL,)}, False),
        ({"history": IssueHistory(commented=True)}, False),
        (IS_HELD, True),
    ],
)
def test_unavailable_writes_nothing_but_a_note_where_bouncer_holds(difference: dict[str, Any], note: bool) -> None:
    plan = planned(**DOWN, **difference)
    assert (plan.labels_add, plan.labels_remove, plan.comment) == ((), (), None)
    assert (plan.note is not None) is note
    assert plan.writes is note
    assert plan.history == facts(**difference).history


@pytest.mark.parametrize(
    ("rules", "difference", "added", "removed"),
    [
        (READY, CLEAR, ("agent-ready",), ()),
        (READY, {**CLEAR, "labels": ("Agent-Ready",)}, (), ()),
        (READY, {**CLEAR, **IS_HELD}, ("agent-ready",), (LABEL,)),
        (READY, {"labels": ("agent-ready",)}, (LABEL,), ("agent-ready",)),
        (READY, {**DOWN, "labels": ("agent-ready",)}, (), ()),
        (READY, {**SECRET, "labels": ("agent-ready",)}, (), ("agent-ready",)),
        (READY, {"judgement": judgement(0.01, kind=IssueKind.QUESTION)}, (), ()),
        (Policy(), {"labels": ("agent-ready",)}, (LABEL,), ()),
    ],
)
def test_agent_ready(
    rules: Policy, difference: dict[str, Any], added: tuple[str, ...], removed: tuple[str, ...]
) -> None:
    plan = planned(rules, **difference)
    assert (plan.labels_add, plan.labels_remove) == (added, removed)


REACH = policy(issues={"labels": {"within_reach": "reach"}})
WRITTEN = {"prose_words": 200.0, "concrete": 3.0}  # much prose and no code: what agents resolve most often
HARD = {"prose_words": 20.0, "code_lines": 200.0, "concrete": 3.0}
EASY = {**CLEAR, "report": report(features=WRITTEN)}


@pytest.mark.parametrize(
    ("rules", "difference", "added", "removed"),
    [
        (REACH, EASY, ("reach",), ()),
        (REACH, {**CLEAR, "report": report(features=HARD)}, (), ()),
        (REACH, {**CLEAR, "report": report(features=HARD), "past": AgentPast(60, 2)}, ("reach",), ()),
        (REACH, {**EASY, "past": AgentPast(2, 60)}, (), ()),
        (REACH, {**EASY, "labels": ("reach",)}, (), ()),
        (REACH, {**CLEAR, "report": report(features=HARD), "labels": ("reach",)}, (), ("reach",)),
        (REACH, {"judgement": judgement(0.01, kind=IssueKind.QUESTION), "labels": ("reach",)}, (), ("reach",)),
        (REACH, {"report": report(features=WRITTEN), "labels": ("reach",)}, (LABEL,), ("reach",)),
        (REACH, {**DOWN, "labels": ("reach",)}, (), ()),
        (REACH, {**SECRET, "labels": ("reach",)}, (), ("reach",)),
        (REACH, {"judgement": judgement(0.01, kind=IssueKind.QUESTION)}, (), ()),
        (Policy(), EASY, (), ()),
        (
            policy(issues={"labels": {"agent_ready": "agent-ready", "within_reach": "reach"}}),
            EASY,
            ("agent-ready", "reach"),
            (),
        ),
    ],
)
def test_within_reach(
    rules: Policy, difference: dict[str, Any], added: tuple[str, ...], removed: tuple[str, ...]
) -> None:
    plan = planned(rules, **difference)
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


@pytest.mark.parametrize("difference", [{}, CLEAR, DOWN, SECRET, IS_HELD, {**CLEAR, **IS_HELD}, {**DOWN, **IS_HELD}])
def test_observe_writes_nothing_ever(difference: dict[str, Any]) -> None:
    plan = planned(OBSERVE, **difference)
    assert not plan.writes and plan.history.held is facts(**difference).history.held


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


BOTH = {"remind_after_days": 7, "close_after_days": 14}


@pytest.mark.parametrize(
    ("rules", "days", "difference", "does"),
    [
        ({}, 999, {}, ""),
        (BOTH, 6, {}, ""),
        (BOTH, 7, {}, "reminds"),
        (BOTH, 9, {"history": replace(HELD, reminded=True)}, ""),
        (BOTH, 13, {"history": replace(HELD, reminded=True)}, ""),
        (BOTH, 14, {"history": replace(HELD, reminded=True)}, "closes"),
        (BOTH, 30, {}, "closes"),
        ({"remind_after_days": 7}, 400, {"history": replace(HELD, reminded=True)}, ""),
        ({"close_after_days": 14}, 13, {}, ""),
        ({"close_after_days": 14}, 14, {}, "closes"),
        (BOTH, 30, {"state": "closed"}, ""),
        (BOTH, 30, {"history": IssueHistory(commented=True)}, ""),
        (BOTH, 30, {"history": replace(HELD, state=State.PAUSED)}, ""),
        (BOTH, 30, {"history": replace(HELD, state=State.ACCEPTED)}, ""),
    ],
)
def test_silence(rules: dict[str, int], days: int, difference: dict[str, Any], does: str) -> None:
    plan = lifecycle.silent(facts(**{**IS_HELD, **difference}), days, policy(issues={"no_response": rules}))
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
