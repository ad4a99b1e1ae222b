"""A report of something that is fixed: when it is closed, and what keeps it open."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from bot.already_fixed.values import Fixed
from bot.storage.retention import Retention
from bot.workflows.issue.closing import only_asks
from fake_github.traffic import Exchange
from tests.support.cases import cases
from tests.workflows.already_fixed import ALREADY, CLOSING, FIX, POSSIBLY, PRESENT, labels, looked_at, own, report
from tests.workflows.house import CLEAR, CLEAR_TITLE, House, Looked


def closing(house: House, repo: str, number: int) -> str:
    """The day on which it is to be closed."""
    record = house.services.fixes.get(house.github.repo(repo).id, number)
    return record.close_at.date().isoformat() if record and record.close_at else ""


def fixed_now(house: House) -> Fixed:
    """By a commit of just now."""
    house.clock.advance(minutes=5)
    return replace(ALREADY, candidates=(replace(FIX, at=house.clock().isoformat()),))


def test_the_days_count_from_when_closing_was_announced_and_older_words_object_to_nothing(
    house: House, looked: Looked
) -> None:
    repo, number = looked_at(house, looked, POSSIBLY, CLOSING)
    house.say(repo, number, "It fails with 2.3.2, too.", by="somebody")
    house.clock.advance(days=30)
    looked.fixed = fixed_now(house)
    house.say(repo, number, "/bouncer fixed", by="maintainer")
    house.say(repo, number, "This issue is stale.", by="other[bot]")
    house.github.push(repo, {".github/bouncer.yml": CLOSING.replace("7", "10")})
    house.tick(days=8)
    assert house.issue(repo, number).state == "open"
    house.tick(days=3)
    assert house.issue(repo, number).state == "closed"
    assert "nobody objected for 11 days" in house.spoken(repo, number)


def test_words_from_between_the_fix_and_the_look_keep_it_open(house: House, looked: Looked) -> None:
    repo = house.repository(CLOSING)
    number, unproven = report(house, repo), report(house, repo)
    house.say(repo, unproven, "It fails for me.", by="somebody")
    looked.fixed = fixed_now(house)
    house.say(repo, number, "It still fails with the main branch.", by="somebody")
    house.say(repo, number, "/bouncer fixed", by="maintainer")
    looked.fixed = replace(looked.fixed, fixed_by=None)
    house.say(repo, unproven, "/bouncer fixed", by="maintainer")
    for each in (number, unproven):
        assert labels(house, repo, each) == ("already-fixed",)
        assert "will be closed" not in house.spoken(repo, each)


def test_what_was_closed_once_is_not_closed_again_though_nobody_told_of_its_reopening(
    house: House, looked: Looked
) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)
    house.tick(days=8)
    assert house.issue(repo, number).state == "closed"
    house.github.reopen_issue(repo, number)
    house.lose()
    house.edit(repo, number, body=CLEAR + "\nOn Windows, too.")
    assert len(looked.asked) == 2
    assert "will be closed" not in house.spoken(repo, number)
    house.tick(days=8)
    assert house.issue(repo, number).state == "open"


def test_nothing_announces_a_closing_that_an_unheard_edit_ended(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)
    house.github.edit_issue(repo, number, body=CLEAR + "\nOn Windows, too.")
    house.lose()
    house.tick(days=8)
    assert house.issue(repo, number).state == "open"
    assert "This issue stays open." in house.spoken(repo, number)


def test_it_is_closed_after_the_delay_when_nobody_objects(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)
    assert f"will be closed on {closing(house, repo, number)} or soon after" in house.spoken(repo, number)
    house.say(repo, number, "/bouncer brief", by="maintainer")  # who asks Bouncer for something does not object
    house.tick(days=6, hours=23)
    assert house.issue(repo, number).state == "open"
    house.tick(hours=2)
    issue = house.issue(repo, number)
    assert (issue.state, issue.state_reason) == ("closed", "completed")
    assert "Closed as fixed: nobody objected for 7 days." in house.spoken(repo, number)
    house.github.reopen_issue(repo, number)
    house.settle()
    house.tick(days=30)
    assert house.issue(repo, number).state == "open", "reopening objects for good"


def test_what_was_said_is_objected_to_by_reopening_after_it_was_forgotten(house: House, looked: Looked) -> None:
    """The look begins anew, and is told in the same comment."""
    repo, number = looked_at(house, looked, ALREADY, CLOSING)
    house.tick(days=8)
    house.settle()
    spoken = house.issue(repo, number).bouncer_comments
    assert house.issue(repo, number).state == "closed"
    (ended,) = house.services.endings.since(house.clock() - timedelta(days=1))
    assert not ended.by_maintainer  # Bouncer's own deed says nothing of a verdict
    Retention(house.database).remove_pages(house.clock() + timedelta(days=1))
    record = house.services.fixes.get(house.github.repo(repo).id, number)
    assert record is not None and (record.found, record.said, record.objected) == ("", "", True)
    house.github.reopen_issue(repo, number)
    house.settle()
    assert len(looked.asked) == 2 and FIX.commit[:10] in house.issue(repo, number).bouncer_comments[0].body
    house.tick(days=30)
    assert house.issue(repo, number).state == "open"
    assert len(house.issue(repo, number).bouncer_comments) == len(spoken)


def test_what_github_does_and_denies_is_closed_once(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)
    house.github.fail(502, 2, method="PATCH", route="/repos/{owner}/{repo}/issues/{issue_number}", after_effect=True)
    house.tick(days=8)
    issue = house.issue(repo, number)
    assert (issue.state, issue.history.count("closed")) == ("closed", 1)
    assert house.spoken(repo, number).count("Closed as fixed") == 1


OBJECTIONS: dict[str, Callable[[House, str, int], object]] = {
    "comment": lambda house, repo, number: house.github.comment(repo, number, "It still happens.", by="somebody"),
    "thanks": lambda house, repo, number: house.github.comment(repo, number, "Thanks!", by="reporter"),
    "pause": lambda house, repo, number: house.github.comment(repo, number, "/bouncer pause", by="maintainer"),
    "accept": lambda house, repo, number: house.github.comment(repo, number, "/bouncer accept", by="maintainer"),
    "thumb": lambda house, repo, number: house.github.react(repo, own(house, repo, number), "-1", by="somebody"),
    "edited": lambda house, repo, number: house.github.edit_comment(
        repo, own(house, repo, number), "No.", by="maintainer"
    ),
    "deleted": lambda house, repo, number: house.github.delete_comment(repo, own(house, repo, number), by="maintainer"),
    "label": lambda house, repo, number: house.github.remove_label(repo, number, "already-fixed"),
    "policy": lambda house, repo, number: house.github.push(repo, {".github/bouncer.yml": "mode: advise\n"}),
    "locked": lambda house, repo, number: house.github.lock_issue(repo, number),
}


def test_anything_anybody_does_keeps_it_open(house: House, looked: Looked) -> None:
    looked.fixed = ALREADY
    repo, other = house.repository(CLOSING), house.repository(CLOSING)
    waiting = {
        how: (where, house.github.open_issue(where, CLEAR_TITLE, CLEAR))
        for how, where in ((how, other if how == "policy" else repo) for how in OBJECTIONS)
    }
    house.settle()
    for how, where in waiting.items():
        assert "will be closed" in house.spoken(*where), how
    for how, object_ in OBJECTIONS.items():
        object_(house, *waiting[how])
    house.settle()
    house.tick(days=30)
    house.tick(days=30)
    for how, where in waiting.items():
        assert house.issue(*where).state == "open", how
        assert how == "locked" or "will be closed" not in house.spoken(*where), how


def test_a_longer_delay_holds_for_what_waits_and_an_edited_report_waits_anew(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)
    house.clock.advance(days=6)
    house.edit(repo, number, body=CLEAR + "\nOn Windows, too.")
    house.github.push(repo, {".github/bouncer.yml": CLOSING.replace("7", "20")})
    house.settle()
    house.tick(days=8)
    assert f"will be closed on {closing(house, repo, number)} or soon after" in house.spoken(repo, number)
    house.tick(days=11)
    assert house.issue(repo, number).state == "open"
    house.tick(days=2)
    assert house.issue(repo, number).state == "closed"


def test_what_is_gone_is_forgotten(house: House, looked: Looked) -> None:
    looked.fixed = ALREADY
    repo = house.repository(CLOSING)
    transferred, deleted = report(house, repo), report(house, repo)
    other = house.repository(owner=repo.partition("/")[0])
    house.github.delete_issue(repo, deleted)
    assert house.github.transfer_issue(repo, transferred, other) == transferred, "the same number, another repository"
    house.settle()
    house.tick(days=8)
    for number in (transferred, deleted):
        record = house.services.fixes.get(house.github.repo(repo).id, number)
        assert record is not None and record.close_at is None
    assert house.issue(other, transferred).state == "open"


def test_who_objects_in_the_last_moment_is_heard(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)

    def object_(call: Exchange) -> None:
        if call.method == "PATCH" and repo in call.path and "Closed as fixed" in str(call.request):
            house.github.comment(repo, number, "Wait!", by="reporter")

    house.github.traffic.observers.append(object_)
    house.tick(days=8)
    house.github.traffic.observers.remove(object_)
    assert house.issue(repo, number).state == "open"
    said = house.spoken(repo, number)
    assert "stays open" in said and "Closed as fixed" not in said


def test_whoever_writes_something_reads_that_it_stays_open(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY, CLOSING)
    house.tick(days=3)
    house.say(repo, number, "Not for me, with 2.4.0.", by="reporter")
    said = house.spoken(repo, number)
    assert "This issue stays open." in said and "will be closed" not in said
    writes = len(house.writes(repo))
    house.say(repo, number, "Same here.", by="somebody")
    assert len(house.writes(repo)) == writes, "once is enough"
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert "will be closed" not in house.spoken(repo, number)
    assert labels(house, repo, number) == ("already-fixed",)


@cases
def test_a_plain_word_to_bouncer_says_nothing_else(words: str, asks: bool) -> None:
    assert only_asks(words, "bouncer") is asks


def test_who_writes_while_it_is_looked_at_keeps_it_open(house: House, looked: Looked) -> None:
    looked.fixed = ALREADY
    repo = house.repository(CLOSING)

    def write() -> None:
        house.github.comment(repo, max(house.github.repo(repo).issues), "With the main branch too.", by="somebody")
        house.clock.advance(minutes=9)

    looked.meanwhile = write
    number = report(house, repo)
    assert labels(house, repo, number) == ("already-fixed",)
    assert "will be closed" not in house.spoken(repo, number)


def test_what_is_out_of_the_policys_reach_is_answered_and_never_closed(house: House, looked: Looked) -> None:
    looked.fixed = ALREADY
    repo = house.repository(CLOSING)
    announced = report(house, repo)
    assert "will be closed" in house.spoken(repo, announced)
    house.github.push(
        repo, {".github/bouncer.yml": CLOSING.replace("issues:", "issues:\n  only: {labels: [triage]}", 1)}
    )
    house.settle()
    asked = report(house, repo)
    house.say(repo, asked, "/bouncer fixed", by="maintainer")
    assert "This is fixed already" in house.spoken(repo, asked) and "will be closed" not in house.spoken(repo, asked)
    house.tick(days=30)
    assert [house.issue(repo, number).state for number in (announced, asked)] == ["open", "open"]


def test_what_still_fails_after_it_was_forgotten_is_not_called_fixed_any_more(house: House, looked: Looked) -> None:
    repo, number = looked_at(house, looked, ALREADY)
    house.github.close_issue(repo, number, by="maintainer")
    house.settle()
    Retention(house.database).remove_pages(house.clock() + timedelta(days=1))
    looked.fixed = PRESENT
    house.github.reopen_issue(repo, number)
    house.settle()
    assert "already-fixed" not in house.issue(repo, number).labels
    assert all("is fixed" not in each.body for each in house.issue(repo, number).comments), house.spoken(repo, number)
