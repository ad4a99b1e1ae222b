"""Commands in reviews, beside lines and by the App's name; and those that nobody sees."""

import pytest

from tests.support.cases import cases
from tests.workflows.house import House, Told
from tests.workflows.test_gate import BREAKS, check, propose, told

__all__ = ["told"]

SAID = "/bouncer override The test is wrong."
PASSES, HELD = ("success", "Overridden by maintainer"), "failure"


@pytest.fixture
def bounced(house: House, told: Told) -> tuple[str, int]:
    told.stood = BREAKS
    proposed = propose(house)
    house.clock.advance(seconds=1)
    return proposed


def review(house: House, where: tuple[str, int], body: str, *remarks: str, by: str = "maintainer") -> int:
    noted = [{"path": "half.py", "line": 1, "body": each} for each in remarks]
    made = house.github.review(*where, body, remarks=noted, state="approved", by=by)
    house.settle()
    return made


@pytest.mark.parametrize("remarks", [(), ("Nice.", "And this?")])
def test_a_review_commands_once_with_whatever_beside_lines(
    house: House, bounced: tuple[str, int], remarks: tuple[str, ...]
) -> None:
    review(house, bounced, f"Looks right.\n\n{SAID}", *remarks)
    assert check(house, bounced[0]) == PASSES
    (kept,) = house.services.overrides.trail(house.github.repo(bounced[0]).id, bounced[1])
    assert (kept.who, kept.reason) == ("maintainer", "The test is wrong.")


def test_so_does_a_remark_beside_a_line(house: House, bounced: tuple[str, int]) -> None:
    review(house, bounced, "", SAID)
    assert check(house, bounced[0]) == PASSES


def test_the_apps_own_name_commands_on_pull_requests_as_well(house: House, bounced: tuple[str, int]) -> None:
    slug = house.github.app.slug
    house.say(*bounced, f"@{slug} override The test is wrong.", by="maintainer")
    assert check(house, bounced[0]) == PASSES
    house.say(*bounced, "@contributor override-cancel", by="maintainer")
    assert check(house, bounced[0]) == PASSES
    review(house, bounced, f"@{slug}: override-cancel")
    assert check(house, bounced[0])[0] == HELD


def test_nobody_else_commands_in_a_review(house: House, bounced: tuple[str, int]) -> None:
    for who in ("stranger", "triager", "critic[bot]"):
        review(house, bounced, SAID, SAID, by=who)
    assert check(house, bounced[0])[0] == HELD
    assert [note for note in house.answers(*bounced) if "role `maintain` or more" not in note] == []


def test_an_edit_counts_by_who_made_it(house: House, bounced: tuple[str, int]) -> None:
    made = review(house, bounced, "Looks right.", by="contributor")
    house.github.edit_review(*bounced, made, f"Looks right.\n\n{SAID}", by="contributor")
    house.settle()
    assert check(house, bounced[0])[0] == HELD
    house.github.edit_review(*bounced, made, "Looks right.", by="contributor")
    house.settle()
    house.clock.advance(seconds=1)
    house.github.edit_review(*bounced, made, SAID, by="maintainer")
    house.settle()
    assert check(house, bounced[0]) == PASSES


def test_a_review_of_an_older_commit_overrides_no_newer_one(house: House, bounced: tuple[str, int]) -> None:
    made = review(house, bounced, "Looks right.")
    house.github.push_to_pull(*bounced, {"half.py": "half = 2\n"})
    house.settle()
    house.clock.advance(seconds=1)
    house.github.edit_review(*bounced, made, SAID, by="maintainer")
    house.settle()
    assert check(house, bounced[0])[0] == HELD


@cases
def test_what_readers_do_not_see_lifts_nothing(house: House, bounced: tuple[str, int], body: str) -> None:
    house.say(*bounced, body.replace("COMMAND", SAID), by="maintainer")
    assert check(house, bounced[0])[0] == HELD


@cases
def test_what_readers_see_does(house: House, bounced: tuple[str, int], body: str) -> None:
    house.say(*bounced, body.replace("COMMAND", SAID), by="maintainer")
    assert check(house, bounced[0]) == PASSES


@cases
def test_what_was_meant_is_asked(house: House, bounced: tuple[str, int], body: str, meant: str) -> None:
    house.say(*bounced, body, by="maintainer")
    assert f"Did you mean `/bouncer {meant}`?" in house.answer(*bounced)
    assert check(house, bounced[0])[0] == HELD


def test_what_was_changed_before_it_was_read_is_said_again(house: House, bounced: tuple[str, int]) -> None:
    comment = house.github.comment(*bounced, SAID, by="maintainer")
    house.github.edit_comment(bounced[0], comment, f"{SAID} Sure.", by="contributor")
    house.settle()
    assert check(house, bounced[0])[0] == HELD
    assert any("changed while I read it" in note for note in house.answers(*bounced))


def test_what_hides_in_an_issue_ends_no_hold(house: House) -> None:
    repo = house.repository("mode: enforce\n")
    issue = house.open(repo)
    house.say(repo, issue, "$$\\phantom{\n/bouncer accept\n}$$", by="maintainer")
    assert house.held(repo, issue)
    assert "A reader does not see this command" in house.answer(repo, issue)
    house.say(repo, issue, "/bouncer accept", by="maintainer")
    assert not house.held(repo, issue)
