"""A report of something that is fixed: when it is looked at, its label and comment, and who disagrees."""

from dataclasses import replace

import pytest

from bot.already_fixed.decide import decide_fixed
from bot.already_fixed.values import Fixed, FixedFacts, Run, Seen, Trial
from bot.history.values import Candidate
from bot.rendering.comment import FIXED_MARKER, MARKER
from bot.verdicts import FixStatus, IssueKind
from bot.workflows.issue.apply import COLORS, DESCRIPTIONS
from tests.workflows.already_fixed import (
    ALREADY,
    CLOSING,
    FAILS,
    FIX,
    HALF,
    OTHER,
    POSSIBLY,
    PRESENT,
    SHOWN,
    labels,
    looked_at,
    report,
    reported,
)
from tests.workflows.house import CLEAR, CLEAR_TITLE, UNKNOWN, VAGUE, House, Looked

pytestmark = pytest.mark.usefixtures("looked")


def test_what_is_fixed_is_said_with_the_commit_the_release_and_what_to_run(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY)
    assert labels(house, repo, number) == ("already-fixed",)
    said = house.spoken(repo, number)
    assert said.startswith(f"{MARKER}\n\n{FIXED_MARKER}\n**This is fixed already**")
    for part in (
        FIX.commit,
        "`@everybody`",
        "`v2.4.0`",
        SHOWN.code,
        "**Please check**",
        "without it, the report's example fails",
    ):
        assert part in said
    assert "will be closed" not in said
    label = house.github.repo(repo).labels["already-fixed"]
    assert (label.description, label.color) == (DESCRIPTIONS["already_fixed"], COLORS["already_fixed"])
    (suspect,) = looked.asked
    assert (suspect.report.title, suspect.number) == (CLEAR_TITLE, number)
    house.tick(days=400)
    assert house.issue(repo, number).state == "open", "the policy asks for no closing"


def test_only_what_is_proved_is_closed(house: House, looked: Looked) -> None:
    """History alone is a guess and says so, half a fix names what still fails, and what came back is not fixed."""
    repo = house.repository(CLOSING)
    looked.fixed = replace(POSSIBLY, candidates=(replace(FIX, released_in=None),))
    guess = report(house, repo)
    assert labels(house, repo, guess) == ("possibly-fixed",)
    assert "**This may be fixed already.**" in house.spoken(repo, guess)
    assert "No tag of a version has it yet" in house.spoken(repo, guess)
    looked.fixed = HALF
    half = report(house, repo)
    assert labels(house, repo, half) == ()
    said = house.spoken(repo, half)
    assert "this still fails" in said and OTHER.code in said
    looked.fixed, looked.regression = ALREADY, True
    regression = report(house, repo)
    assert labels(house, repo, regression) == ()
    assert "came back after a fix" in house.spoken(repo, regression)
    house.tick(days=400)
    assert [house.issue(repo, number).state for number in (guess, half, regression)] == ["open"] * 3


def test_only_clear_bug_reports_are_looked_at(house: House, looked: Looked, monkeypatch: pytest.MonkeyPatch) -> None:
    looked.fixed = ALREADY
    house.open(house.repository())
    off = house.repository("issues: {already_fixed: {enabled: false}}")
    unwanted = report(house, off)
    house.say(off, unwanted, "/bouncer fixed", by="maintainer")
    assert "Bouncer does not look for fixes here" in house.answer(off, unwanted)
    monkeypatch.setattr(house.judge, "kind", IssueKind.QUESTION)
    report(house, house.repository())
    assert looked.asked == []


def test_what_is_never_held_is_looked_at_too(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, f"{CLOSING}  exempt: {{authors: [reporter]}}\n")
    assert labels(house, repo, number) == ("already-fixed",)
    house.say(repo, number, "I see the same.", by="maintainer")
    assert len(looked.asked) == 1, "what others write below asks for no other look"
    terse = house.open(repo)
    house.say(repo, terse, "/bouncer fixed", by="maintainer")
    assert labels(house, repo, terse) == ("already-fixed",)
    house.tick(days=8)
    assert house.issue(repo, terse).state == "closed"


def test_observing_looks_and_writes_nothing(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, f"mode: observe\n{CLOSING}")
    assert len(looked.asked) == 1
    house.tick(days=8)
    assert (house.writes(repo), house.issue(repo, number).state) == ([], "open")


def test_a_label_that_was_taken_off_stays_off(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)
    house.github.remove_label(repo, number, "already-fixed")
    house.settle()
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert len(looked.asked) == 2
    assert labels(house, repo, number) == ()
    assert "will be closed" not in house.spoken(repo, number)


def test_a_label_that_is_taken_off_during_a_look_stays_off(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)

    def take_off() -> None:
        house.github.remove_label(repo, number, "already-fixed")

    looked.meanwhile = take_off
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert house.issue(repo, number).history.count("labeled") == 1
    record = house.services.fixes.get(house.github.repo(repo).id, number)
    assert record is not None and record.objected and record.close_at is None


READY = "issues:\n  labels: {agent_ready: agent-ready}\n"


def test_nobody_is_invited_to_work_on_what_is_fixed(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, READY)
    assert labels(house, repo, number) == ("already-fixed",)
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert house.issue(repo, number).history.count("labeled") == 2, "it does not come and go with each look"
    house.github.remove_label(repo, number, "already-fixed")
    house.settle()
    assert labels(house, repo, number) == ("agent-ready",)
    later = report(house, repo)
    looked.fixed = PRESENT
    house.edit(repo, later, body=CLEAR + "\nWith 2.4.0 too.")
    assert labels(house, repo, later) == ("agent-ready",)
    looked.fixed = ALREADY
    again = report(house, repo)
    house.github.close_issue(repo, again, by="maintainer")
    house.github.reopen_issue(repo, again)
    house.settle()
    assert labels(house, repo, again) == ("agent-ready",), "reopening objects"


def test_a_report_that_is_held_is_looked_at_once_somebody_takes_it(house: House, looked: Looked) -> None:
    looked.fixed = ALREADY
    repo = house.repository(CLOSING)
    accepted, untied = house.open(repo), house.open(repo)
    assert looked.asked == []
    house.say(repo, accepted, "/bouncer accept", by="maintainer")
    house.github.remove_label(repo, untied, "needs-clarification")
    house.settle()
    assert len(looked.asked) == 2
    for number in (accepted, untied):
        assert labels(house, repo, number) == ("already-fixed",)
        assert "This is fixed already" in house.spoken(repo, number)
        assert "will be closed" not in house.spoken(repo, number), "a maintainer took it"
    house.say(repo, accepted, "/bouncer accept", by="maintainer")
    assert len(looked.asked) == 2, "what was said then was known"
    record = house.services.fixes.get(house.github.repo(repo).id, accepted)
    assert record is not None and record.objected


def test_a_look_can_be_asked_for_whatever_the_issue_is_like(house: House, looked: Looked) -> None:
    looked.fixed = ALREADY
    repo = house.repository(installed=False)
    old, held = house.github.open_issue(repo, CLEAR_TITLE, CLEAR), house.github.open_issue(repo, "It fails", "Help!")
    house.clock.advance(minutes=5)
    house.github.install(repo.partition("/")[0], [repo])
    house.settle()
    for number in (old, held):
        house.say(repo, number, "/bouncer fixed", by="maintainer")
        assert labels(house, repo, number) == ("already-fixed",)
    house.say(repo, old, "/bouncer fixed", by="reporter")
    assert len(looked.asked) == 2
    assert "is for people with triage rights" in house.answer(repo, old)


@pytest.mark.parametrize(
    ("fixed", "answer"),
    [(PRESENT, "at commit `cccccccccc` it still fails as reported"), (UNKNOWN, "cannot tell whether this is fixed")],
    ids=["it still fails", "unknown"],
)
def test_what_still_happens_is_not_worth_a_word_unless_somebody_asks(
    house: House, looked: Looked, fixed: Fixed, answer: str
) -> None:
    repo, number = looked_at(house, looked, fixed)
    assert (len(looked.asked), house.writes(repo)) == (1, [])
    house.say(repo, number, "/bouncer fixed", by="triager")
    said = house.answer(repo, number)
    assert answer in said and fixed.reasons[0].rstrip(".") in said


NAMESAKE = replace(FIX, subject="Publish widgets 2.4", shared=1)
SECOND = replace(FIX, commit="e" * 40, subject="Start the widgets", score=0.5)
THIRD = replace(FIX, commit="d" * 40, subject="Widgets", score=0.2, likely=False)


@pytest.mark.parametrize(
    ("candidates", "commits", "doubts"),
    [
        (
            (replace(FIX, score=0.95), replace(NAMESAKE, commit="e" * 40, score=0.1), THIRD),
            3,
            ("Number 1 of 3 commits", "Only 3 commits were ranked", "Number 3 of 3 commits"),
        ),
        ((NAMESAKE,), 500, ("shares little more than the project's name",)),
        ((FIX, SECOND), 500, ("The next candidate comes close to it.", "It is only number 2.")),
    ],
    ids=["a short history", "the project's name alone", "no margin"],
)
def test_a_guess_without_ground_is_told_to_who_asks_alone(
    house: House, looked: Looked, candidates: tuple[Candidate, ...], commits: int, doubts: tuple[str, ...]
) -> None:
    looked.fixed = decide_fixed(FixedFacts(candidates=candidates, commits=commits))
    repo, number = reported(house, "issues: {brief: auto, labels: {agent_ready: agent-ready}}")
    assert labels(house, repo, number) == ("agent-ready",)
    said = house.spoken(repo, number)
    assert "Brief for coding agents" in said
    assert "fixed already" not in said and "may have fixed" not in said and FIX.commit[:10] not in said
    house.say(repo, number, "/bouncer fixed", by="maintainer")
    said = house.answer(repo, number)
    assert labels(house, repo, number) == ("agent-ready",)
    assert "cannot tell whether this is fixed" in said and FIX.commit[:10] in said and "fixed already" not in said
    assert all(doubt in said for doubt in doubts)


FAILS_OTHERWISE = Run(Seen.OTHERWISE, "it raises TypeError")
AGAIN = replace(SHOWN, name="example_2", code='import widgets\nwidgets.load("b.toml")')


@pytest.mark.parametrize(
    "trials",
    [
        (Trial(SHOWN, head=FAILS), Trial(AGAIN, head=FAILS)),
        (Trial(SHOWN, head=FAILS_OTHERWISE, reported=FAILS), Trial(AGAIN, head=FAILS_OTHERWISE, reported=FAILS)),
        (Trial(SHOWN, head=FAILS_OTHERWISE),),
        (Trial(replace(SHOWN, judge="model", may_fail=True), head=FAILS, reported=FAILS),),
    ],
    ids=["two as reported", "two otherwise", "one otherwise", "a model's"],
)
def test_what_fails_at_the_head_is_never_called_fixed_perhaps(
    house: House, looked: Looked, trials: tuple[Trial, ...]
) -> None:
    """Whatever history says: the candidate would be spoken of, if nothing had run."""
    looked.fixed = decide_fixed(FixedFacts(candidates=(FIX,), commits=500))
    repo, number = reported(house)
    assert labels(house, repo, number) == ("possibly-fixed",)
    looked.fixed = decide_fixed(FixedFacts(trials, (FIX,), commits=500))
    again = report(house, repo)
    house.say(repo, number, "/bouncer fixed", by="maintainer")
    house.say(repo, again, "/bouncer fixed", by="maintainer")
    for each in (number, again):
        said = house.spoken(repo, each) + house.answer(repo, each)
        assert labels(house, repo, each) == ()
        assert "Bouncer looked, as you asked" in said or "treat it as open" in said
        assert looked.fixed.status is not FixStatus.STILL_PRESENT or FIX.commit[:10] not in said
        assert "upgrade" not in said and "fixed already" not in said and "may have fixed it." not in said


def test_who_asks_is_told_the_other_candidates_beside_what_was_found(house: House, looked: Looked) -> None:
    looked.fixed = replace(ALREADY, candidates=(FIX, SECOND), commits=500)
    repo, number = reported(house)
    assert SECOND.commit[:10] not in house.spoken(repo, number), "nobody asked for guesses"
    house.say(repo, number, "/bouncer fixed", by="maintainer")
    said = house.answer(repo, number)
    assert "This is fixed already" in house.spoken(repo, number)
    assert "comment above" in said and "Number 2 of 500 commits" in said and SECOND.commit[:10] in said


def test_closed_reports_with_the_same_symptoms_are_evidence(house: House, looked: Looked) -> None:
    repo = house.repository()
    other = CLEAR.replace("a.toml", "b.toml").replace("line 41", "line 38")
    alike, apart, still_open = (
        house.github.open_issue(repo, title, body)
        for title, body in (
            ("KeyError", other),
            ("KeyError in load", "No idea why `parse` fails."),
            ("KeyError", other),
        )
    )
    for number in (alike, apart):
        house.github.close_issue(repo, number, by="maintainer")
    house.settle()
    looked.asked.clear()
    report(house, repo)
    house.github.fail(403, method="GET", route="/search/issues")
    report(house, repo)
    assert [suspect.relatives for suspect in looked.asked] == [(alike,), ()]
    assert still_open not in looked.asked[0].relatives


def test_an_edit_supersedes_what_is_under_way(house: House, looked: Looked) -> None:
    looked.fixed = ALREADY
    repo = house.repository()
    edits = [CLEAR + "\nIt is the same on Windows."]

    def edit_once() -> None:
        if edits:
            number = max(house.github.repo(repo).issues)
            house.github.edit_issue(repo, number, body=edits.pop())
            looked.fixed = PRESENT

    looked.meanwhile = edit_once
    number = report(house, repo)
    assert [len(suspect.report.body) for suspect in looked.asked] == [len(CLEAR), len(CLEAR) + 27]
    assert labels(house, repo, number) == ()
    assert house.spoken(repo, number) == ""


def test_what_was_said_is_taken_back_when_the_report_says_more(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)
    looked.fixed = PRESENT
    house.edit(repo, number, body=CLEAR + "\nWith 2.4.0 too.")
    assert labels(house, repo, number) == ()
    assert "treat it as open" in house.spoken(repo, number)
    assert "This is fixed already" not in house.spoken(repo, number)
    house.tick(days=30)
    assert house.issue(repo, number).state == "open"


def test_a_report_that_becomes_unclear_is_not_called_fixed_for_what_it_said_before(
    house: House, looked: Looked
) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)
    looked.fixed = UNKNOWN
    house.edit(repo, number, body=VAGUE)
    assert labels(house, repo, number) == ()
    assert "treat it as open" in house.spoken(repo, number)
    house.edit(repo, number, body=f"{VAGUE} Now!")
    assert len(looked.asked) == 2, "nothing is left to be taken back"


def test_what_bouncer_took_off_itself_is_nobodys_objection(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY)
    looked.fixed = PRESENT
    route = "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}"
    house.github.fail(502, 20, method="DELETE", route=route, after_effect=True)
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    house.github.traffic.clear()
    assert labels(house, repo, number) == ()
    looked.fixed = ALREADY
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert labels(house, repo, number) == ("already-fixed",)


def test_a_fresh_look_is_asked_for_and_chat_is_not(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY)
    house.say(repo, number, "Me too.", by="somebody")
    assert len(looked.asked) == 1
    before = house.spoken(repo, number)
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert len(looked.asked) == 2
    assert house.spoken(repo, number) == before
    assert len(house.issue(repo, number).bouncer_comments) == 1


def test_a_reporter_who_answers_with_something_to_run_has_it_looked_at(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY)
    shown = "Still with 2.4:\n\n```pycon\n>>> import widgets\n>>> widgets.load('b.toml')\nKeyError: 'name'\n```\n"
    house.say(repo, number, shown, by="somebody")
    house.say(repo, number, "Still the same.")
    assert len(looked.asked) == 1
    looked.fixed = HALF
    house.say(repo, number, shown)
    assert [reply.body for reply in looked.asked[1].report.reporters.replies] == ["Still the same.", shown]
    assert looked.asked[1].report.others == (shown, "", "")
    assert labels(house, repo, number) == ()
    assert "Only a part of this is fixed" in house.spoken(repo, number)


def test_a_label_that_somebody_else_put_on_is_theirs(house: House, looked: Looked) -> None:
    looked.fixed = ALREADY
    repo = house.repository("issues: {already_fixed: {labels: {already_fixed: stale}}}")
    number = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    house.github.add_label(repo, number, "Stale")
    house.settle()
    looked.fixed = PRESENT
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert labels(house, repo, number) == ("Stale",)


def test_the_questions_and_what_is_said_of_a_fix_share_the_one_comment(house: House, looked: Looked) -> None:
    looked.fixed = ALREADY
    repo, number = house.begin()
    house.edit(repo, number, title=CLEAR_TITLE, body=CLEAR)
    said = house.spoken(repo, number)
    assert "this is clear now" in said.partition(FIXED_MARKER)[0]
    assert "This is fixed already" in said.partition(FIXED_MARKER)[2]
    house.say(repo, number, "/bouncer help", by="somebody")
    assert "This is fixed already" in house.spoken(repo, number)
    house.say(repo, number, "/bouncer accept", by="maintainer")
    said = house.spoken(repo, number)
    assert "A maintainer accepted this issue" in said and "This is fixed already" in said and "recheck`:" not in said
