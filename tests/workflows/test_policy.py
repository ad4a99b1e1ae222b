"""docs/policy.md, "What each mode writes", row by row; what the author of a policy is told, and when one holds."""

import pytest

from bot.github.values import Repository
from bot.policy import Policy
from bot.policy_choices import Door, Mode
from bot.policy_file import PATH
from bot.rendering.gate import NAME
from bot.rendering.gate_states import POLICY_CHECK_NAME
from bot.storage.repository_files import CachedPolicy
from bot.verdicts import Decision
from bot.workflows.issue.apply import COLORS, DESCRIPTIONS
from bot.workflows.policies import policy_remembered, policy_status
from fake_github.views import CheckView
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


def of_policy(house: House, repo: str) -> list[CheckView]:
    """The checks that tell about the policy; pull requests have one of their own beside them."""
    return [check for check in house.github.checks(repo) if check.name == POLICY_CHECK_NAME]


def test_an_invalid_policy_fails_on_the_commit_that_changed_it(house: House) -> None:
    repo = house.repository()
    sha = house.github.push(repo, {PATH: "mode: advise\nissues:\n  strictnes: strict\n"})
    house.settle()
    (check,) = house.github.checks(repo)
    assert (check.head_sha, check.status, check.conclusion) == (sha, "completed", "failure")
    (annotation,) = check.annotations
    assert (annotation["path"], annotation["start_line"]) == (PATH, 3)
    assert "column 3" in annotation["title"]
    assert "strictness" in annotation["message"]


def test_nothing_is_said_where_there_is_nothing_to_check(house: House) -> None:
    repo = house.repository("mode: advise\n")
    for files in ({"other.txt": "x"}, {PATH: None}):
        house.github.push(repo, files)
        house.settle()
        assert house.github.checks(repo) == [], files


def test_a_directory_at_the_policys_place_is_no_default_policy(house: House) -> None:
    repo = house.repository()
    house.github.push(repo, {f"{PATH}/rules.txt": "x"})
    house.settle()
    (check,) = house.github.checks(repo)
    assert check.conclusion == "failure"
    assert "it is a directory" in str(check.annotations)
    number = house.github.open_issue(repo, "It is broken", "It does not work.")
    house.settle()
    assert not house.held(repo, number)


def test_a_pull_request_is_checked_before_the_merge_and_once(house: House) -> None:
    repo = house.repository()
    house.propose(repo, "Tune Bouncer", {PATH: "mode: loud\n"})
    checks = of_policy(house, repo)
    assert [check.conclusion for check in checks] == ["failure"], "the push and the pull request are about one commit"


def test_a_pull_request_that_leaves_the_policy_alone_gets_no_check(house: House) -> None:
    repo = house.repository("mode: loud\n")
    house.propose(repo, "Fix a typo", {"README.md": "y"})
    assert of_policy(house, repo) == []


def test_a_pushed_policy_holds_at_once_unless_it_is_on_another_branch(house: House) -> None:
    repo = house.repository()
    house.github.push(repo, {PATH: "mode: observe\n"}, branch="quiet")
    house.settle()
    assert house.held(repo, house.open(repo))
    house.github.push(repo, {PATH: "mode: observe\n"})
    house.settle()
    before = len(house.writes(repo))
    house.open(repo)
    assert len(house.writes(repo)) == before


def test_the_file_is_asked_for_at_most_once_a_minute_and_by_etag(house: House) -> None:
    repo = house.repository("mode: advise\n")
    house.open(repo)
    asked = reads(house)
    house.open(repo)
    assert reads(house) == asked
    house.clock.advance(seconds=61)
    house.open(repo)
    assert reads(house) == asked + 1
    assert last_read(house) == 304


def reads(house: House) -> int:
    return house.github.calls()["GET", "/repos/{owner}/{repo}/contents/{path}"]


def last_read(house: House) -> int:
    found = [call for call in house.github.traffic.exchanges if call.route.endswith("/contents/{path}")]
    return found[-1].status


def test_what_only_another_version_took_for_valid_is_no_policy(house: House) -> None:
    """After an upgrade that knows a key no more; a word that a delivery needs is had all the same."""
    repo = house.repository("mode: loud\n")
    place = Repository(house.github.repo(repo).id, repo)
    house.services.policies.save(CachedPolicy(repo, "mode: loud\n", "", house.clock(), valid="mode: loud\n"))
    status = policy_status(house.services, 1, place, Door.PULLS)
    assert (status.in_force, len(status.problems)) == (None, 1)
    assert policy_remembered(house.services, place, Door.PULLS) == Policy()
