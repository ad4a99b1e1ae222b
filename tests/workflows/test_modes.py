"""docs/modes.md, row by row: what each mode writes. Its gate: `test_gate`."""

import pytest

from bot.policy import PATH, Mode
from bot.verdicts import Decision
from bot.workflows.effects import COLORS, DESCRIPTIONS
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, House

POLICY = """mode: {mode}
issues:
  labels: {{agent_ready: agent-ready}}
  no_response: {{remind_after_days: 1, close_after_days: 2}}
"""
each_mode = pytest.mark.parametrize("mode", Mode)


@each_mode
def test_labels_comments_answers_reminding_and_closing(house: House, mode: Mode) -> None:
    repo = house.repository(POLICY.format(mode=mode))
    vague, clear = house.open(repo), house.open(repo, CLEAR, title=CLEAR_TITLE)
    house.say(repo, clear, "/bouncer help")
    writes = mode is not Mode.OBSERVE
    assert house.held(repo, vague) is writes
    assert bool(house.spoken(repo, vague)) is writes
    assert ("agent-ready" in house.issue(repo, clear).labels) is writes
    assert ("/bouncer recheck" in house.spoken(repo, clear)) is writes
    made = {name: (label.color, label.description) for name, label in house.github.repo(repo).labels.items()}
    wanted = {name: (COLORS[kind], DESCRIPTIONS[kind]) for name, kind in NAMES.items()}
    assert (wanted.items() <= made.items()) is writes
    if not writes:
        assert house.writes(repo) == []
        assert not made.keys() & wanted.keys()
    subject = house.remembered(repo, vague)
    assert subject is not None and (subject.held, subject.comment_id is not None) == (writes, writes)
    for number, decision in ((vague, Decision.BOUNCE), (clear, Decision.ACCEPT)):
        subject = house.remembered(repo, number)
        assert subject is not None and subject.verdict is not None
        assert subject.verdict.decision is decision, "every mode judges and remembers"
    house.tick(days=1, minutes=5)
    reminded = len(house.issue(repo, vague).bouncer_comments) == 2
    house.tick(days=1)
    closed = house.issue(repo, vague).state == "closed"
    assert (reminded, closed) == (writes, writes)


@each_mode
def test_the_check_of_a_changed_policy(house: House, mode: Mode) -> None:
    repo = house.repository()
    house.github.push(repo, {PATH: f"mode: {mode}\nloud: true\n"})
    house.settle()
    assert [check.conclusion for check in house.github.checks(repo)] == ["failure"]
    house.github.push(repo, {PATH: f"mode: {mode}\n"})
    house.settle()
    (_, *valid) = sorted(house.github.checks(repo), key=lambda check: check.id)
    assert [check.conclusion for check in valid] == ([] if mode is Mode.OBSERVE else ["success"])


NAMES = {LABEL: "needs_clarification", "agent-ready": "agent_ready"}
