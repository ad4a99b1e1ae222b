"""Commands: each declared whole, given in reviews, beside lines and by the App's name, and answered once."""

import re

import pytest

from bot.github.values import Repository
from bot.issues.messages import Note
from bot.rendering.comment import AnswerMark, answer_to, mark_of
from bot.rendering.issue_messages import message_text
from bot.rendering.pull_messages import help_note
from bot.workflows.commands import MOST_A_DAY, WINGS, AnswerTarget, Right, answer, handlers
from tests.rendering.samples import HELP
from tests.support.cases import cases
from tests.workflows.house import House, Told
from tests.workflows.test_gate import BREAKS, check, propose, told

__all__ = ["told"]


TRIAGE, WRITE, OVERRIDE, ANYBODY = Right.TRIAGE, Right.WRITE, Right.OVERRIDE, Right.ANYBODY


def test_who_may_say_what() -> None:
    assert {wing: {word: each.right for word, each in handlers(wing).items()} for wing in WINGS} == {
        "issue": {
            "accept": TRIAGE,
            "brief": WRITE,
            "fixed": TRIAGE,
            "help": ANYBODY,
            "pause": TRIAGE,
            "recheck": Right.REPORTER,
            "resume": TRIAGE,
        },
        "pull": {
            "explain": ANYBODY,
            "override": OVERRIDE,
            "override-cancel": OVERRIDE,
            "person": OVERRIDE,
            "recheck": WRITE,
        },
        "review": {"answer": WRITE, "help": ANYBODY, "recheck": WRITE},
    }


@pytest.mark.parametrize("wing", WINGS)
def test_each_has_a_line_in_the_help_of_its_place_and_nothing_else_has(wing: str) -> None:
    text = message_text(Note("help", HELP), "en") if wing == "issue" else help_note()
    told = {
        word for line in text.splitlines() if line.startswith("- ") for word in re.findall(r"`/bouncer ([a-z-]+)", line)
    }
    if wing == "issue":
        assert told == set(handlers("issue"))
    else:
        assert set(handlers(wing)) <= told == {*handlers("pull"), *handlers("review")}


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


@pytest.fixture
def under(house: House) -> tuple[str, int]:
    repo = house.repository()
    return repo, house.open(repo)


def test_each_command_is_answered_in_a_comment_of_its_own(house: House, under: tuple[str, int]) -> None:
    asked = house.spoken(*under)
    house.say(*under, "/bouncer help", by="somebody")
    house.say(*under, "/bouncer help\n\n/bouncer dance", by="maintainer")
    assert len(house.answers(*under)) == 3, "a comment of two commands has two answers"
    mark = mark_of(house.answers(*under)[0])
    assert mark is not None and mark.guest and mark.key.endswith(", help")
    assert house.spoken(*under) == asked, "what is asked stays as it is"


def test_an_answer_is_given_once_and_kept_up_to_date(house: House, under: tuple[str, int]) -> None:
    """As after a kill between the answer and what is remembered of it."""
    repo, number = under
    subject = house.remembered(repo, number)
    assert subject is not None
    client = house.services.repository(subject.installation_id, Repository(subject.repo_id, repo))
    at = house.say(*under, "Hello.", by="somebody")
    for text in ("One.", "One.", "Two."):
        answer(client, number, AnswerTarget("comment 1, help", "somebody", at), text, house.clock())
    assert house.answers(*under) == [answer_to(AnswerMark("comment 1, help", guest=True), "Two.")]


def test_who_may_not_write_has_five_answers_a_day_and_then_a_reaction(house: House, under: tuple[str, int]) -> None:
    house.begin_a_day()
    house.say(*under, "/bouncer help", by="maintainer")
    for who in ("somebody", "triager") * 3:
        last = house.say(*under, "/bouncer help", by=who)
    assert (len(house.answers(*under)), MOST_A_DAY) == (6, 5), "a maintainer's own counts for nobody"
    assert seen(house, *under) == [last]
    house.say(*under, "/bouncer help", by="maintainer")
    assert len(house.answers(*under)) == 7, "who may write is always answered"
    elsewhere = house.open(under[0])
    house.say(under[0], elsewhere, "/bouncer help", by="somebody")
    assert len(house.answers(under[0], elsewhere)) == 1, "each issue has its own five"
    house.begin_a_day()
    house.say(*under, "/bouncer help", by="somebody")
    assert len(house.answers(*under)) == 8


def test_nobody_writes_an_answer_for_bouncer(house: House, under: tuple[str, int]) -> None:
    """Whoever copies the hidden line neither uses up the answers of others nor keeps one from being given."""
    house.begin_a_day()
    for _ in range(MOST_A_DAY):
        house.say(*under, answer_to(AnswerMark("comment 1, help", guest=True), "Mine."), by="stranger")
    house.say(*under, "/bouncer help", by="somebody")
    assert len(house.answers(*under)) == 1


def test_a_pull_request_is_answered_alike(house: House) -> None:
    repo = house.repository("pulls: {enabled: false}\n")
    number = house.propose(repo, "Add half()", {"half.py": "half = 0.5"}, body="Halves.", by="maintainer")
    for who in ("stranger", "maintainer"):
        house.say(repo, number, "/bouncer help", by=who)
    assert [mark_of(each).guest for each in house.answers(repo, number)] == [True, False]  # type: ignore[union-attr]


def test_what_was_carried_out_is_told_however_many_asked_for_help(house: House) -> None:
    house.begin_a_day()
    repo, number = house.begin("issues: {only: {labels: [triage]}}\n")
    for word in ("help", "accept", "pause", "resume", "dance", "help"):
        house.say(repo, number, f"/bouncer {word}", by="stranger")
    assert len(house.answers(repo, number)) == MOST_A_DAY
    house.say(repo, number, "/bouncer recheck")
    assert "does not hold this issue" in house.answer(repo, number)


def test_a_comment_that_is_edited_is_other_answers(house: House, under: tuple[str, int]) -> None:
    comment = house.say(*under, "/bouncer help", by="somebody")
    house.clock.advance(minutes=1)
    house.github.edit_comment(under[0], comment, "/bouncer help\n\n/bouncer help", by="somebody")
    house.settle()
    assert len(house.answers(*under)) == 2


def seen(house: House, repo: str, number: int) -> list[int]:
    """The comments that carry Bouncer's reaction."""
    comments = house.github.repo(repo).issues[number].comments
    return [each.id for each in comments if any(content == "eyes" for _, _, content, _ in each.reactions)]
