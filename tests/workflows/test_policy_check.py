"""What the author of a policy is told, and when a changed policy holds."""

from bot.github.values import Repository
from bot.policy import Policy
from bot.policy_choices import Door
from bot.rendering.gate_states import POLICY_CHECK_NAME
from bot.storage.repository_files import CachedPolicy
from bot.workflows.policies import policy_remembered, policy_status
from fake_github.views import CheckView
from tests.workflows.house import House

PATH = ".github/bouncer.yml"


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
