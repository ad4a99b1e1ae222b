"""A pull request of a coding agent: its check, from the push to the verdict, and a maintainer's word against it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.github import git
from bot.judges.protocol import NoJudgement
from bot.policy_file import PATH
from bot.rendering.gate import NAME
from bot.verification.defects.control import NOT_COVERED
from bot.verification.evidence import HeadTrial
from bot.verification.patch_evidence import Control, PatchEvidence, PatchFacts, Proof, Red, Standing, Turned
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.support.cases import cases
from tests.workflows.house import CLEAR, CLEAR_TITLE, PLAUSIBLE, House, Told

AGENT = "copilot-swe-agent[bot]"
ENFORCE = "mode: enforce\n"
CODE = "def half(n):\n    return n // 2\n"
PASSED = TestRun((TestResult("test_half", TestStatus.PASSED, "", 0.1),), 1.0)
FAILED = TestRun((TestResult("test_half", TestStatus.FAILED, "E   assert 1 == 2", 0.1),), 1.0)
assert PLAUSIBLE.patch is not None
MENDS = HeadTrial(replace(PLAUSIBLE.patch, turned=(Turned("test_new", Red.ASSERTION, counts=True),)))
BREAKS = HeadTrial(
    PatchEvidence(Standing.IMPLAUSIBLE, ("1 test broke.",), PatchFacts(PASSED, FAILED, FAILED), ("test_half",))
)


@pytest.fixture(autouse=True)
def told(house: House) -> Iterator[Told]:
    yield house.verifier
    house.verifier.stood, house.verifier.meanwhile = PLAUSIBLE, lambda: None
    house.verifier.checked.clear()
    house.patch_reviewer.away = None
    house.patch_reviewer.asked.clear()


def propose(
    house: House, policy: str = ENFORCE, *, by: str = AGENT, code: str = CODE, body: str = ""
) -> tuple[str, int]:
    repo = house.repository(policy)
    number = house.propose(repo, "Add half()", {"half.py": code}, body=body, by=by)
    return repo, number


def check(house: House, repo: str, number: int = 1) -> tuple[str, str]:
    """Conclusion and title of the check on the newest commit."""
    pull = house.github.repo(repo).issues[number].pull
    assert pull is not None
    (run,) = (run for run in house.github.checks(repo) if run.name == NAME and run.head_sha == pull.head)
    return str(run.conclusion), run.title


def test_a_good_one_passes_a_persons_is_not_judged_and_opinion_alone_decides_nothing(house: House, told: Told) -> None:
    repo = house.repository(ENFORCE)
    good, persons, wrong = (
        house.github.open_pull(repo, "Add half()", {"half.py": code}, by=by)
        for code, by in ((CODE, AGENT), (f"{CODE}# mine\n", "contributor"), ("wrong = 1\n", AGENT))
    )
    house.settle()
    conclusion, title = check(house, repo, good)
    assert (conclusion, title.startswith("Plausible: Nothing broke. Nothing was asked for.")) == ("success", True)
    conclusion, title = check(house, repo, wrong)
    said = "Could not be judged: The judge would not accept this change, but nothing that ran confirms that."
    assert (conclusion, title.startswith(said)) == ("neutral", True)
    assert check(house, repo, persons)[0] == "success"
    assert {wanted.number for wanted in told.checked} == {good, wrong}
    assert len(house.patch_reviewer.asked) == 2
    assert [house.issue(repo, number).labels for number in (good, persons, wrong)] == [(), (), ()]


def test_who_answers_a_bug_shows_what_it_mends(house: House, told: Told) -> None:
    repo = house.repository(ENFORCE)
    issue = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    number = house.propose(repo, "Add half()", {"half.py": CODE}, body=f"Fixes #{issue}", by=AGENT)
    why = f"No test goes from red to green, but issue {issue} asks for a change of behaviour."
    assert check(house, repo, number) == ("action_required", f"Cannot be judged as it is: {why}")
    told.stood = MENDS
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert check(house, repo, number)[0] == "success"


@cases
def test_what_nothing_looks_at_is_said_in_the_title_and_waits_where_the_policy_says_so(
    asked: str, found: tuple[str, str], house: House, told: Told
) -> None:
    assert PLAUSIBLE.patch is not None
    told.stood = HeadTrial(replace(PLAUSIBLE.patch, control=Control(Proof.UNPROVED, why=NOT_COVERED)))
    conclusion, title = check(house, *propose(house, f"{ENFORCE}pulls: {{unproved: {asked}}}\n"))
    why = "Nothing broke, but nothing looks at this change."
    assert (conclusion, title) == (found[0], f"{found[1]}: {why} {NOT_COVERED}")


def test_advice_blocks_nobody(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, _ = propose(house, "mode: advise\n")
    assert check(house, repo) == (
        "neutral",
        "Would be bounced: This change breaks a test that passes without it: test_half.",
    )


@pytest.mark.parametrize(("by", "conclusion"), [("maintainer", "success"), ("second-account", "action_required")])
def test_only_somebody_who_may_write_lets_an_issue_allow_a_named_risk(
    house: House, told: Told, by: str, conclusion: str
) -> None:
    repo = house.repository(f"{ENFORCE}issues: {{enabled: false}}\n")
    issue = house.github.open_issue(repo, "ci: run the tests on 3.13", "Please update the CI workflow.", by=by)
    files = {"half.py": CODE, ".github/workflows/tests.yml": "on: push\n"}
    number = house.propose(repo, "Run them on 3.13", files, body=f"Fixes #{issue}", by=AGENT)
    assert check(house, repo, number)[0] == conclusion
    (run,) = (run for run in house.github.checks(repo) if run.name == NAME)
    assert (f"Issue {issue} asks for part of this, but allows nothing" in run.summary) is (by != "maintainer")


def test_observing_writes_nothing(house: House, told: Told) -> None:
    repo, _ = propose(house, "mode: observe\n")
    assert len(told.checked) == 1
    assert house.writes(repo) == []


def test_a_judge_that_is_away_changes_nothing(house: House) -> None:
    """What ran decides."""
    house.patch_reviewer.away = NoJudgement("plain/1", "The model is away.", retry=True)
    repo, _ = propose(house)
    assert check(house, repo) == ("success", "Plausible: Nothing broke. Nothing was asked for.")


def test_code_that_cannot_be_fetched_is_said(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The review goes on without it."""
    monkeypatch.setattr(house.patch_reviewer, "looks", True)
    repo, _ = propose(house)
    (run,) = (run for run in house.github.checks(repo) if run.name == NAME)
    assert run.conclusion == "success"
    assert "not looked at: the commit could not be fetched." in run.summary


def test_without_git_the_check_says_so_at_once(house: House, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.github.git.shutil.which", lambda name: None)
    monkeypatch.setattr(told, "check", lambda *given: git.run(Path(), "fetch"), raising=False)
    repo, _ = propose(house)
    conclusion, title = check(house, repo)
    assert conclusion not in ("", "None", "success", "failure")
    assert "git is not installed on Bouncer's server" in title


def push(house: House, repo: str, number: int) -> None:
    house.github.push_to_pull(repo, number, {"half.py": CODE + "\n\nx = 1\n"})


def test_an_unclear_issue_cannot_be_answered(house: House) -> None:
    repo = house.repository(ENFORCE)
    issue = house.open(repo)
    assert house.held(repo, issue)
    number = house.propose(repo, "Add half()", {"half.py": CODE}, body=f"Fixes #{issue}", by=AGENT)
    assert check(house, repo, number)[1].startswith("Bounced: Its issue still waits for clarification")


def test_a_maintainer_overrides_and_takes_it_back_and_a_push_ends_it(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    assert check(house, repo) == ("failure", "Bounced: This change breaks a test that passes without it: test_half.")
    assert house.issue(repo, number).labels == ("bounced",)
    house.say(repo, number, "/bouncer override The test is wrong.", by="maintainer")
    assert check(house, repo) == ("success", "Overridden by maintainer")
    assert house.issue(repo, number).labels == ()
    (kept,) = house.services.overrides.trail(house.github.repo(repo).id, number)
    assert (kept.who, kept.permission, kept.reason) == ("maintainer", "maintain", "The test is wrong.")
    assert kept.verdict is not None
    assert kept.verdict.reasons[0] == "This change breaks a test that passes without it: test_half."
    house.say(repo, number, "/bouncer override-cancel", by="maintainer")
    assert check(house, repo)[0] == "failure"
    assert house.services.overrides.trail(house.github.repo(repo).id, number)[0].ended_by == "maintainer"
    house.say(repo, number, "/bouncer override It is wrong.", by="maintainer")
    assert check(house, repo)[0] == "success"
    push(house, repo, number)
    house.settle()
    assert check(house, repo)[0] == "failure"
    assert house.services.overrides.current(house.github.repo(repo).id, number) is None


def test_a_recheck_judges_the_commit_again(house: House, told: Told) -> None:
    repo, number = propose(house)
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert (len(told.checked), house.spoken(repo, number)) == (2, "")
    house.say(repo, number, "/bouncer recheck", by="contributor")
    assert len(told.checked) == 2
    assert "for people who may write" in house.answer(repo, number)


def test_an_explanation_is_a_comment(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    for asks in ("contributor", "stranger"):
        house.say(repo, number, "/bouncer explain", by=asks)
        assert "would be bounced" in house.answer(repo, number)
        assert "assert 1 == 2" in house.answer(repo, number)
    assert len(house.answers(repo, number)) == 2


def test_nothing_is_judged_again_where_nothing_is_judged(house: House, told: Told) -> None:
    repo, number = propose(house)
    house.github.push(repo, {PATH: "pulls: {enabled: false}\n"})
    house.settle()
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert len(told.checked) == 1


def test_another_pull_request_for_the_commit_lets_nothing_through(house: House, told: Told) -> None:
    """A person's, or a draft, has the same commit, and so the same check."""
    told.stood = BREAKS
    repo, number = propose(house)
    for draft, by in ((False, "contributor"), (True, AGENT)):
        house.propose(repo, "The same", {}, branch=f"change-{number}", draft=draft, by=by)
        assert check(house, repo, number)[0] == "failure"


def test_a_draft_passes_nothing_until_it_is_judged(house: House, told: Told) -> None:
    repo = house.repository(ENFORCE)
    number = house.propose(repo, "Add half()", {"half.py": CODE}, draft=True, by=AGENT)
    assert check(house, repo, number) == ("action_required", "A draft: judged when it is ready for review")
    assert told.checked == []
    house.github.ready_for_review(repo, number)
    house.settle()
    assert check(house, repo, number)[0] == "success"
