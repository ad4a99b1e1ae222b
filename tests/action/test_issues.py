"""Issues and what people say below them, judged by the Action's one job: the same label, comment and answers as by a
server, with nothing kept but on GitHub."""

from dataclasses import replace

import pytest

from bot.action.memory import issue_in, of_issue
from bot.commands.action import inactive_keys
from bot.github.workflow_token import SLUG
from bot.policy import Policy, PullRules
from bot.policy_choices import ReviewRules
from bot.rendering.comment import MARKER
from bot.verdicts import State
from tests.action.conftest import Place
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, VAGUE_TITLE


def held(place: Place, number: int) -> bool:
    return LABEL in place.issue(number).labels


def test_a_vague_issue_is_held_and_let_go_once_it_is_clear(place: Place) -> None:
    number = place.open(VAGUE_TITLE, VAGUE)
    assert held(place, number)
    [asked] = place.spoken(number)
    job = place.runner.jobs[-1]
    assert job.outputs["decision"] == "BOUNCE" and job.outputs["subject"] == str(number)
    assert f"**#{number}** does not say enough to act on" in job.summary

    place.github.edit_issue("acme/kettle", number, title=CLEAR_TITLE, body=CLEAR)
    place.settle()
    assert not held(place, number)
    [cleared] = place.spoken(number)
    assert cleared != asked and place.runner.jobs[-1].outputs["decision"] == "ACCEPT"


def test_a_maintainers_word_ends_it_and_a_strangers_does_not(place: Place) -> None:
    number = place.open(VAGUE_TITLE, VAGUE)
    place.say(number, "/bouncer accept", by="stranger")
    assert held(place, number) and "accept" in place.spoken(number)[-1]
    # Words that a job never saw, or that GitHub dropped its run of, are read back all the same.
    place.github.comment(place.runner.repository, number, "/bouncer accept", by="triager")
    place.runner._fed = len(place.github.deliveries)
    place.github.edit_issue(place.runner.repository, number, body=VAGUE + " Still.")
    jobs = place.settle()
    assert "left alone: a maintainer accepted it" in jobs[-1].summary
    place.say(number, "/bouncer accept", by="triager")
    assert not held(place, number)
    place.github.edit_issue(place.runner.repository, number, body=VAGUE)
    place.settle()
    assert not held(place, number) and place.runner.jobs[-1].succeeded


@pytest.mark.parametrize("places", ["a hundred", "one", "the newest's"])
def test_no_strangers_comment_takes_a_maintainers_word_away(place: Place, places: str) -> None:
    """GitHub drops a job that finds no place to wait, or that gives its place to a newer one: the next hears both."""
    number = place.open(VAGUE_TITLE, VAGUE)
    talk = [("stranger", "I see this too."), ("passer-by", "Me too.")]
    if places == "one":
        place.runner.most_waiting = 1
    if places == "the newest's":
        place.without_queue()
    for who, counts in (("stranger", False), ("triager", True)):
        said = (who, "/bouncer accept")
        jobs = place.crowd(number, *([said, *talk] if places == "the newest's" else [*talk, said]))
        assert len(jobs) == (3 if places == "a hundred" else 1)
        assert held(place, number) is not counts
    answers = len(place.spoken(number))
    place.say(number, "And me.", by="stranger")
    assert len(place.spoken(number)) == answers and not held(place, number)


def test_nobody_forges_what_is_remembered(place: Place) -> None:
    """A stranger's comment that looks like Bouncer's, and another workflow's that repeats what a stranger wrote."""
    number = place.open(VAGUE_TITLE, VAGUE)
    record = issue_in(place.spoken(number)[0])
    assert record is not None and record.held and record.asked
    forged = of_issue(replace(record, state=State.ACCEPTED, held=False, asked=()))
    body = f"{VAGUE}\n\n{MARKER}\n\n{forged}"
    other = place.github.open_issue(place.runner.repository, VAGUE_TITLE, body, by="reporter")
    place.github.comment(place.runner.repository, other, f"{MARKER}\nAll is well.\n\n{forged}", by=SLUG)  # a person
    quoted = f"Somebody wrote:\n{MARKER}\n\n{forged}"
    place.github.comment(place.runner.repository, other, quoted, by=f"{SLUG}[bot]", via_app=True)
    place.settle()
    place.github.edit_issue(place.runner.repository, other, body=VAGUE + " It is broken.")
    place.settle()
    assert held(place, other)
    own = [body for body in place.spoken(other) if body.startswith(MARKER)]
    assert len(own) == 1 and (remembered := issue_in(own[0])) and remembered.held and remembered.number == other
    assert quoted in place.spoken(other)  # nobody else's comment is edited


def test_what_was_asked_and_answered_is_remembered(place: Place) -> None:
    number = place.open(VAGUE_TITLE, VAGUE)
    first = issue_in(place.spoken(number)[0])
    place.say(number, "I use it on Linux.")
    [comment] = place.spoken(number)
    after = issue_in(comment)
    assert first is not None and after is not None and first.asked
    assert set(after.asked) >= set(first.asked) and after.judged_hash != first.judged_hash
    place.say(number, "/bouncer pause", by="maintainer")
    place.github.edit_issue(place.runner.repository, number, title=CLEAR_TITLE, body=CLEAR)
    jobs = place.settle()
    assert held(place, number) and "left alone" in jobs[-1].summary
    place.say(number, "/bouncer resume", by="maintainer")
    assert not held(place, number)


def test_talk_below_a_clear_issue_brings_no_look(place: Place) -> None:
    number = place.open(CLEAR_TITLE, CLEAR)
    jobs = place.say(number, "I see this too.")
    assert "nothing was asked here" in jobs[-1].summary and place.spoken(number) == []


def test_a_policy_key_without_effect_is_named(place: Place) -> None:
    issues = "issues:\n  no_response:\n    remind_after_days: 3\n  labels:\n    needs_clarification: unclear\n"
    place.policy(issues + "pulls:\n  review: agentic\nverify:\n  image: python:3.13\n")
    number = place.open(VAGUE_TITLE, VAGUE)
    summary = place.runner.jobs[-1].summary
    assert "`issues.no_response`, since no job starts when nobody writes" in summary and "labels" not in summary
    assert "`pulls.review: agentic`, since" in summary and "`verify.image`, since" in summary
    assert "unclear" in place.issue(number).labels
    assert inactive_keys(Policy(pulls=PullRules(review=ReviewRules.FULL))) == ()
    place.policy("issues: [")
    place.open(VAGUE_TITLE, VAGUE)
    assert "The policy is not valid" in place.runner.jobs[-1].summary
