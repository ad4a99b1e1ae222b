"""What happens to a held issue afterwards: replies, edits, labels, commands."""

from dataclasses import replace

import pytest

from bot.github.values import Comment, Issue
from bot.verdicts import State
from bot.workflows.issue.apply import DESCRIPTIONS
from bot.workflows.issue.replies import replies_of
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, House

ISSUE = Issue(1, "t", "b", "ann", False, "none", "open", False, (), 0, "", "", "")


def said(number: int, author: str, body: str = "Me too.") -> Comment:
    return Comment(number, author, False, "none", body, "", "", "")


def state(house: House, repo: str, number: int) -> State:
    subject = house.remembered(repo, number)
    assert subject is not None
    return subject.state


def test_an_edit_that_makes_it_clear_releases_it(house: House) -> None:
    repo, number = house.begin()
    house.edit(repo, number, title=CLEAR_TITLE, body=CLEAR)
    assert not house.held(repo, number)
    assert "- [ ]" not in house.spoken(repo, number)


def test_a_reply_that_makes_it_clear_releases_it_unless_a_bot_gives_it(house: House) -> None:
    repo, number = house.begin()
    house.say(repo, number, CLEAR, by="helpful[bot]")
    assert house.held(repo, number)
    house.say(repo, number, CLEAR, by="somebody")
    assert not house.held(repo, number)


def test_a_reply_that_was_edited_or_deleted_brings_another_look(house: House) -> None:
    repo, number = house.begin()
    reply = house.say(repo, number, "It just fails.")
    house.github.delete_comment(repo, reply)
    house.settle()
    assert [len(report.text.replies) for report in house.judge.asked[-3:]] == [0, 1, 0]
    reply = house.say(repo, number, "It still fails.")
    house.github.edit_comment(repo, reply, CLEAR)
    house.settle()
    assert not house.held(repo, number)


def test_a_long_thread_is_read_from_its_newest_end() -> None:
    long = (
        said(1, "ann"),
        *(said(number, "bob", "x" * 2_000) for number in range(2, 300)),
        said(300, "ann", "And now?"),
    )
    kept = replies_of(ISSUE, long, "bouncer")
    assert [reply.by_reporter for reply in kept] == [True, *[False] * 50, True], "nobody talks the reporter out of it"
    assert len(replies_of(ISSUE, tuple(said(number, "bob") for number in range(300)), "bouncer")) == 60
    assert replies_of(ISSUE, (said(1, "ann", "x" * 100_001),), "bouncer") == ()


@pytest.mark.parametrize(("by", "read"), [("other[bot]", True), ("bouncer[bot]", False)])
def test_what_another_bot_said_takes_no_answer_away(by: str, read: bool) -> None:
    """A bot repeats what a report says, and anybody may let one speak; Bouncer's own words are no answer to it."""
    told = replace(said(1, by, "You use version 4.2.1 on Windows 11."), author_is_bot=True)
    answer = said(2, "ann", told.body)
    own = [each for each in (told, answer) if each.author == "bouncer[bot]"]
    assert bool(replies_of(ISSUE, (told, answer), "bouncer", own)) is read


def test_an_answer_that_another_bot_repeats_releases(house: House) -> None:
    repo, number = house.begin()
    house.say(repo, number, CLEAR, by="helpful[bot]")
    house.say(repo, number, CLEAR)
    assert not house.held(repo, number)


def test_nobody_knows_whether_a_deleted_account_was_the_reporters() -> None:
    (reply,) = replies_of(replace(ISSUE, author="ghost"), (said(1, "ghost"),), "bouncer")
    assert not reply.by_reporter


def test_chat_on_a_clear_issue_is_not_judged(house: House) -> None:
    repo, number = house.begin(None, CLEAR, title=CLEAR_TITLE)
    asked = len(house.judge.asked)
    house.say(repo, number, "Me too.")
    assert len(house.judge.asked) == asked
    assert house.writes(repo) == []


def test_removing_the_label_ends_it_for_good(house: House) -> None:
    repo, number = house.begin()
    house.github.remove_label(repo, number, LABEL)
    house.settle()
    assert state(house, repo, number) is State.ACCEPTED
    assert "accepted this issue" in house.spoken(repo, number)
    house.github.edit_issue(repo, number, body="It does not work at all.")
    house.say(repo, number, "Hello?")
    assert not house.held(repo, number)
    assert [(each.who, each.act) for each in house.disagreements(repo, number)] == [("maintainer", "label removed")]


def test_another_bot_that_removes_the_label_is_no_maintainer(house: House) -> None:
    repo, number = house.begin()
    house.github.remove_label(repo, number, LABEL, by="tidy[bot]")
    house.settle()
    assert state(house, repo, number) is State.ACTIVE
    house.edit(repo, number, body="It does not work at all.")
    assert house.held(repo, number)


def test_a_label_put_on_by_a_person_is_never_taken_off(house: House) -> None:
    repo, number = house.begin(None, CLEAR, title=CLEAR_TITLE)
    house.github.add_label(repo, number, LABEL)
    house.settle()
    house.edit(repo, number, body=CLEAR + "\nIt is the same on Windows.")
    assert house.held(repo, number)
    house.github.remove_label(repo, number, LABEL)
    house.settle()
    assert state(house, repo, number) is State.ACTIVE, "it was theirs to take off"
    assert house.disagreements(repo, number) == []


FAILS = "Traceback (most recent call last):\nValueError: no such file"  # clear to this judge
ON_LABEL = "issues: {ask_on_label: true}"


@pytest.mark.parametrize(
    ("policy", "by", "asks"),
    [
        (ON_LABEL, "maintainer", True),
        (ON_LABEL, "triager", True),
        (ON_LABEL, "reporter", False),  # whose form puts it on
        (ON_LABEL, "helper[bot]", False),
        (f"{ON_LABEL}\npulls: {{agents: {{logins: [triager]}}}}", "triager", False),  # a coding agent's account
        (None, "maintainer", False),
    ],
)
def test_the_label_of_somebody_who_may_label_asks(house: House, policy: str | None, by: str, asks: bool) -> None:
    repo, number = house.begin(policy, FAILS, title="It fails")
    assert house.writes(repo) == []
    house.github.add_label(repo, number, LABEL, by=by)
    house.settle()
    assert ("a little more is needed" in house.spoken(repo, number)) is asks
    house.edit(repo, number, body=f"{FAILS}\nAs I said.")
    assert ("still missing" in house.spoken(repo, number)) is asks, "as long as the label is there"
    house.github.remove_label(repo, number, LABEL)
    house.settle()
    house.edit(repo, number, body=FAILS)
    said = house.spoken(repo, number)
    assert "missing" not in said and "needed" not in said and not house.held(repo, number)


EXEMPT = "issues: {ask_on_label: true, exempt: {authors: [reporter]}}"


@pytest.mark.parametrize(
    ("policy", "before", "by", "said"),
    [
        (ON_LABEL, "/bouncer accept", "maintainer", "a maintainer accepted it."),
        (ON_LABEL, "/bouncer pause", "maintainer", "it is paused."),
        (ON_LABEL, "", "maintainer", "The report says enough to act on."),
        (EXEMPT, "", "maintainer", "its author is exempt."),
        (EXEMPT, "", "reporter", ""),
        (f"mode: observe\n{EXEMPT}", "", "maintainer", ""),
        (None, "/bouncer pause", "maintainer", ""),
    ],
)
def test_a_label_that_asks_nothing_says_why_once(
    house: House, policy: str | None, before: str, by: str, said: str
) -> None:
    repo, number = house.begin(policy, CLEAR, title=CLEAR_TITLE)
    if before:
        house.say(repo, number, before, by="maintainer")
    wrote = []
    for _ in range(2):
        house.github.add_label(repo, number, LABEL, by=by)
        house.settle()
        wrote.append(len(house.writes(repo)))
        told = house.spoken(repo, number)
        assert (f"Bouncer asks nothing: {said}" in told) if said else ("asks nothing" not in told)
        house.github.remove_label(repo, number, LABEL, by=by)
        house.settle()
    assert wrote[0] == wrote[1]


def test_the_label_asks_of_an_issue_that_is_older_than_the_installation(house: House) -> None:
    repo = house.repository(ON_LABEL, installed=False)
    number = house.github.open_issue(repo, "It fails", FAILS)
    house.clock.advance(minutes=5)
    house.github.install(repo.partition("/")[0], [repo])
    house.settle()
    house.github.add_label(repo, number, LABEL)
    house.settle()
    assert "a little more is needed" in house.spoken(repo, number)


def test_an_exempt_label_releases_it_politely(house: House) -> None:
    repo, number = house.begin("issues:\n  exempt:\n    labels: [discussion]\n")
    assert house.held(repo, number)
    house.github.add_label(repo, number, "discussion")
    house.settle()
    assert not house.held(repo, number)
    assert "- [ ]" not in house.spoken(repo, number)


@pytest.mark.parametrize(("label", "held"), [("type: chore", False), ("area/ci", True), ("bug", True)])
def test_a_label_that_names_another_kind_brings_another_look(house: House, label: str, held: bool) -> None:
    repo, number = house.begin()
    asked = len(house.judge.asked)
    house.github.add_label(repo, number, label)
    house.settle()
    assert house.held(repo, number) is held
    assert len(house.judge.asked) == asked, "a chore is judged by nobody, and nothing else changed"


def test_closing_leaves_everything_and_reopening_judges_again(house: House) -> None:
    repo, number = house.begin()
    house.github.close_issue(repo, number)
    house.settle()
    assert house.held(repo, number)
    asked = len(house.judge.asked)
    house.github.reopen_issue(repo, number)
    house.settle()
    assert len(house.judge.asked) == asked + 1
    assert house.held(repo, number)


def test_who_may_triage_accepts_and_a_stranger_is_told_who_may(house: House) -> None:
    repo, number = house.begin()
    for word in ("accept", "pause", "resume"):
        house.say(repo, number, f"/bouncer {word}")
        assert house.held(repo, number)
        assert state(house, repo, number) is State.ACTIVE
        assert "people with triage rights" in house.answer(repo, number)
    house.say(repo, number, "/bouncer accept", by="triager")
    assert not house.held(repo, number)
    assert state(house, repo, number) is State.ACCEPTED
    assert [(each.who, each.act) for each in house.disagreements(repo, number)] == [("triager", "accept")]


def test_help_is_for_anybody_and_said_once(house: House) -> None:
    repo, number = house.begin(None, CLEAR, title=CLEAR_TITLE)
    house.say(repo, number, "/bouncer help", by="somebody")
    assert "/bouncer recheck" in house.answer(repo, number)
    writes = house.writes(repo)
    house.say(repo, number, "/bouncer dance", by="somebody")
    house.say(repo, number, "/bouncer help", by="dancing[bot]")
    assert len(house.writes(repo)) == len(writes) + 1, "an unknown word is answered, a bot is not"


def test_recheck_is_for_the_reporter_and_triagers(house: House) -> None:
    repo, number = house.begin()
    for who, looks in (("somebody", 0), ("reporter", 1), ("triager", 1)):
        asked = len(house.judge.asked)
        house.say(repo, number, "/bouncer recheck", by=who)
        assert len(house.judge.asked) == asked + looks, who


def test_pause_and_resume(house: House) -> None:
    repo, number = house.begin()
    house.say(repo, number, "/bouncer pause", by="triager")
    house.say(repo, number, CLEAR)
    assert house.held(repo, number), "paused: everything stays as it is"
    house.say(repo, number, "/bouncer resume", by="triager")
    assert not house.held(repo, number)


def test_a_command_added_by_an_edit_counts_and_an_old_one_does_not(house: House) -> None:
    repo, number = house.begin()
    comment = house.say(repo, number, "I think this is fine.", by="maintainer")
    house.github.edit_comment(repo, comment, "I think this is fine.\n\n/bouncer pause")
    house.settle()
    assert state(house, repo, number) is State.PAUSED
    house.say(repo, number, "/bouncer resume", by="maintainer")
    house.github.edit_comment(repo, comment, "I think this is quite fine.\n\n/bouncer pause")
    house.settle()
    assert state(house, repo, number) is State.ACTIVE


def test_an_edit_of_somebody_elses_comment_is_the_editors_command(house: House) -> None:
    repo, number = house.begin()
    comment = house.say(repo, number, "Hello", by="reporter")
    house.github.edit_comment(repo, comment, "Hello\n\n/bouncer accept", by="maintainer")
    house.settle()
    assert state(house, repo, number) is State.ACCEPTED


def test_the_same_comment_under_two_guids_acts_once(house: House) -> None:
    repo, number = house.begin()
    house.say(repo, number, "/bouncer recheck", by="triager")
    asked = len(house.judge.asked)
    delivery = [item for item in house.github.deliveries if item.event == "issue_comment"][-2]
    assert delivery.payload["comment"]["body"] == "/bouncer recheck"
    house.github.webhooks.emit(
        "issue_comment", delivery.payload, installation=delivery.installation, repository=delivery.repository
    )
    house.settle()
    assert len(house.judge.asked) == asked


def test_a_comment_that_was_deleted_is_written_anew_when_there_is_something_to_say(house: House) -> None:
    repo, number = house.begin()
    own = next(comment for comment in house.issue(repo, number).comments if comment.by_bouncer)
    house.github.delete_comment(repo, own.id, by="maintainer")
    house.settle()
    house.edit(repo, number, body="It does not work at all.")
    assert house.spoken(repo, number)


def test_the_label_is_designed_once(house: House) -> None:
    repo = house.repository()
    house.open(repo)
    label = house.github.repo(repo).labels[LABEL]
    assert (label.description, label.color) == (DESCRIPTIONS["needs_clarification"], "fbca04")
    number = house.open(repo, VAGUE + " Now.")
    assert house.held(repo, number)
    assert sum(write.startswith("PATCH /labels") for write in house.writes(repo)) == 1
