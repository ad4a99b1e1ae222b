"""What a judged commit leaves behind: a page that its check links to, and remarks beside the lines, said once."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.policy_file import PolicySource
from bot.pulls.result import restored
from bot.rendering.gate import NAME
from bot.rendering.pull_page import page_of
from bot.storage.tokens import PageListing
from bot.verdicts import Decision
from bot.verification.evidence import HeadTrial, TrialDigests
from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Standing
from bot.verification.values import TestResult, TestRun, TestStatus
from fake_github.views import CheckView
from tests.support.contract import exchange_problems
from tests.workflows.house import PLAUSIBLE, PUBLIC_URL, House

AGENT = "copilot-swe-agent[bot]"
CODE = "def half(n):\n    return n // 2\n"
REPORT = "test_half.py:3: in test_half\nhalf.py:2: in half\nE   TypeError: @everyone\nhalf.py:2: TypeError"
PASSED = TestRun((TestResult("test_half", TestStatus.PASSED, "", 0.1),), 1.0)
FAILED = TestRun((TestResult("test_half", TestStatus.FAILED, REPORT, 0.1),), 1.0)
BREAKS = HeadTrial(
    PatchEvidence(Standing.IMPLAUSIBLE, ("1 test broke.",), PatchFacts(PASSED, FAILED, FAILED), ("test_half",))
)


@pytest.fixture(autouse=True)
def breaks(house: House) -> Iterator[None]:
    house.verifier.stood = BREAKS
    yield
    house.verifier.stood = PLAUSIBLE


def propose(house: House) -> str:
    repo = house.repository("mode: enforce\n")
    house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    return repo


def check(house: House, repo: str) -> CheckView:
    (run,) = (run for run in house.github.checks(repo) if run.name == NAME)
    return run


def trail(house: House, repo: str) -> tuple[PageListing, ...]:
    return house.services.judgements.trail(house.github.repo(repo).id, 1)


def test_whether_a_repository_is_private_is_known_from_its_deliveries(house: House) -> None:
    repo = propose(house)
    known = house.services.repositories
    assert not known.is_private(house.github.repo(repo).id)
    house.github.repo(repo).private = True
    house.github.open_issue(repo, "Another", "")
    house.settle()
    assert known.is_private(house.github.repo(repo).id)


def test_the_check_links_to_the_page_of_its_verdict_which_costs_no_call(house: House) -> None:
    house.verifier.stood = replace(BREAKS, digests=TrialDigests("c" * 40, "1" * 64))
    repo = propose(house)
    (listed,) = trail(house, repo)
    writes = [line for line in house.writes(repo) if "check-runs" in line]
    assert [line.split()[0] for line in writes] == ["POST", "PATCH"]
    assert check(house, repo).details_url == f"{PUBLIC_URL}/verdicts/{listed.token}"
    found = house.services.judgements.find(listed.token)
    assert found is not None
    assert restored(found.result).diff == (("half.py", "@@ -0 +1 @@\n+def half(n):\n+    return n // 2"),)
    assert (found.repository, found.number, found.decision) == (repo, 1, Decision.BOUNCE)
    assert [test.name for test in page_of(restored(found.result)).failing] == ["test_half"]
    known = restored(found.result)
    assert known.facts.trial.digests == TrialDigests("c" * 40, "1" * 64), "a signed statement tells them"
    assert known.policy == PolicySource.of("mode: enforce\n") and len(known.base) == 40


def test_a_failing_place_is_said_beside_its_line_once_however_often_it_is_judged(house: House) -> None:
    """GitHub takes no annotation back, and one that came on top would be read as a second finding."""
    repo = propose(house)
    house.say(repo, 1, "/bouncer recheck", by="maintainer")
    house.say(repo, 1, "/bouncer override I know better.", by="maintainer")
    run = check(house, repo)
    (said,) = run.annotations
    assert (said["path"], said["start_line"], said["annotation_level"]) == ("half.py", 2, "failure")
    assert said["message"] == "TypeError: @everyone"
    newest, oldest = trail(house, repo)
    assert newest.token != oldest.token
    assert run.details_url.endswith(newest.token)
    other = TestResult("test_third", TestStatus.FAILED, REPORT.replace("half.py:2", "half.py:1"), 0.1)
    assert BREAKS.patch
    facts = replace(BREAKS.patch.facts, head=replace(FAILED, results=(*FAILED.results, other)))
    patch = replace(BREAKS.patch, facts=facts, regressions=("test_half", "test_third"))
    house.verifier.stood = replace(BREAKS, patch=patch)
    house.say(repo, 1, "/bouncer recheck", by="maintainer")
    assert len(trail(house, repo)) == 3, "another outcome"
    assert [item["start_line"] for item in check(house, repo).annotations] == [2]


def test_without_a_public_address_there_is_no_link_and_nothing_breaks(house: House) -> None:
    object.__setattr__(house.services, "public_url", "")
    try:
        repo = propose(house)
        assert check(house, repo).details_url == ""
        assert len(trail(house, repo)) == 1
    finally:
        object.__setattr__(house.services, "public_url", PUBLIC_URL)


def test_nothing_is_kept_where_nothing_is_judged(house: House) -> None:
    repo = house.repository("mode: enforce\n")
    house.propose(repo, "Add half()", {"half.py": CODE}, by="contributor")
    assert trail(house, repo) == ()
    assert check(house, repo).details_url == ""


@pytest.mark.contract
def test_github_takes_it(house: House) -> None:
    before = len(house.github.traffic.exchanges)
    propose(house)
    assert [problem for each in house.github.traffic.exchanges[before:] for problem in exchange_problems(each)] == []
