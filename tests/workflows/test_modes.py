"""docs/policy.md, "What each mode writes", row by row. Its gate: `test_gate`."""

import pytest

from bot.policy_choices import Mode
from bot.policy_file import PATH
from bot.rendering.gate import NAME
from bot.verdicts import Decision
from bot.workflows.issue.apply import COLORS, DESCRIPTIONS
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, VAGUE_TITLE, House
from tests.workflows.test_gate import AGENT, BREAKS

POLICY = """mode: {mode}
issues:
  labels: {{agent_ready: agent-ready, within_reach: within-reach}}
  no_response: {{remind_after_days: 1, close_after_days: 2}}
"""
AND_MORE = "It happens with every file that has no name in it, also with those that an older version wrote before. "
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
    assert "within-reach" not in house.issue(repo, clear).labels, "harder than most: much code, few words"
    told = house.open(repo, CLEAR + 8 * AND_MORE, title=CLEAR_TITLE)
    assert ("within-reach" in house.issue(repo, told).labels) is writes
    assert ("/bouncer recheck" in house.answer(repo, clear)) is writes
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


def test_each_door_has_a_mode_of_its_own(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it names none, the policy's holds. What is judged is written down as loud as it was there."""
    monkeypatch.setattr(house.verifier, "stood", BREAKS)
    tried = [
        # mode, issues.mode, pulls.mode
        ("enforce", "observe", None),
        ("observe", "enforce", None),
        ("observe", None, "enforce"),
        ("enforce", None, "advise"),
        ("advise", "observe", "observe"),
    ]
    repos = []
    for mode, *doors in tried:
        own = (f"{door}: {{mode: {name}}}\n" for door, name in zip(("issues", "pulls"), doors, strict=True) if name)
        text = f"mode: {mode}\n{''.join(own)}"
        repo = house.repository(text)
        house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
        house.github.open_pull(repo, "Add half()", {"half.py": "half = 1\n"}, by=AGENT)
        house.github.push(repo, {PATH: f"{text}# changed\n"})
        repos.append(repo)
    house.settle()
    checks = {Mode.OBSERVE: [], Mode.ADVISE: ["neutral"], Mode.ENFORCE: ["failure"]}
    for repo, (mode, issues, pulls) in zip(repos, tried, strict=True):
        at_issues, at_pulls = Mode(issues or str(mode)), Mode(pulls or str(mode))
        assert house.held(repo, 1) is bool(house.spoken(repo, 1)) is (at_issues is not Mode.OBSERVE)
        assert [run.conclusion for run in house.github.checks(repo) if run.name == NAME] == checks[at_pulls]
        entries = [house.services.ledger.entries(house.github.repo(repo).id, number) for number in (1, 2)]
        assert [entry.mode for (entry,) in entries] == [at_issues, at_pulls]
        valid = [run for run in house.github.checks(repo) if run.name == "Bouncer policy"]
        assert bool(valid) is ({at_issues, at_pulls} != {Mode.OBSERVE})


NAMES = {LABEL: "needs_clarification", "agent-ready": "agent_ready", "within-reach": "within_reach"}
