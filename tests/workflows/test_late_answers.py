"""Answers of reporters: a part of what was asked for, and after Bouncer closed the issue for want of one."""

import pytest

from tests.workflows.hours import finish, no_waiting
from tests.workflows.house import CLEAR, CLEAR_TITLE, House
from tests.workflows.test_faults import CALLS, FAULTS

CLOSING = "issues:\n  no_response: {close_after_days: 4}\n"
PART = "I opened the file `a.toml` with `widgets.load`, and a KeyError came."
MISSING = "This is still missing:"


def closed(house: House) -> tuple[str, int]:
    """An issue that Bouncer closed, since nobody answered."""
    repo, number = house.begin(CLOSING)
    house.tick(days=5)
    assert house.issue(repo, number).state == "closed"
    assert "Bouncer opens it again" in house.spoken(repo, number)
    return repo, number


def test_a_late_answer_opens_the_issue_again_and_is_judged(house: House) -> None:
    repo, number = closed(house)
    house.say(repo, number, CLEAR)
    issue = house.issue(repo, number)
    assert (issue.state, issue.state_reason, house.held(repo, number)) == ("open", "reopened", False)
    assert "- [ ]" not in house.spoken(repo, number)


def test_a_part_of_the_answer_opens_it_and_says_what_is_missing(house: House) -> None:
    repo, number = closed(house)
    house.say(repo, number, PART)
    assert (house.issue(repo, number).state, house.held(repo, number)) == ("open", True)
    (answer,) = house.answers(repo, number)
    assert MISSING in answer and "- [x]" not in answer
    house.tick(days=3)
    assert house.issue(repo, number).state == "open"
    house.tick(days=2)
    assert house.issue(repo, number).state == "closed", "another silence"
    house.say(repo, number, CLEAR)
    assert house.issue(repo, number).state == "open", "once a closing"


@pytest.mark.parametrize("said", ["+1", "Any news?", "I don't know.", "/bouncer help"])
def test_what_gives_nothing_leaves_it_closed(house: House, said: str) -> None:
    repo, number = closed(house)
    house.say(repo, number, said)
    assert house.issue(repo, number).state == "closed"
    assert MISSING not in "".join(house.answers(repo, number))


def test_only_its_reporter_opens_it(house: House) -> None:
    repo, number = closed(house)
    house.say(repo, number, CLEAR, by="somebody")
    assert house.issue(repo, number).state == "closed"


def test_what_a_person_closed_or_locked_since_stays_so(house: House) -> None:
    repo, number = closed(house)
    house.github.reopen_issue(repo, number, by="maintainer")
    house.github.close_issue(repo, number, by="maintainer", reason="not_planned")
    house.settle()
    house.say(repo, number, CLEAR)
    assert house.issue(repo, number).state == "closed"
    other = house.open(repo)
    house.tick(days=5)
    assert house.issue(repo, other).state == "closed"
    house.github.comment(repo, other, CLEAR)
    house.github.lock_issue(repo, other)
    house.settle()
    assert house.issue(repo, other).state == "closed"


def test_what_its_reporter_closed_stays_closed(house: House) -> None:
    repo, number = house.begin(CLOSING)
    house.github.close_issue(repo, number, by="reporter", reason="not_planned")
    house.settle()
    house.say(repo, number, CLEAR)
    assert house.issue(repo, number).state == "closed"


def test_a_part_of_an_answer_is_replied_to_once_and_chatter_never(house: House) -> None:
    repo, number = house.begin()
    house.say(repo, number, "Thanks for looking!")
    assert house.answers(repo, number) == []
    comment = house.say(repo, number, PART)
    assert len(house.answers(repo, number)) == 1
    house.github.edit_comment(repo, comment, f"{PART} Again.")
    house.settle()
    house.say(repo, number, PART)
    assert len(house.answers(repo, number)) == 1, "it gives nothing new"
    house.say(repo, number, CLEAR)
    assert (house.held(repo, number), len(house.answers(repo, number))) == (False, 1)


FACTS = """\
issues:
  ask_for:
    - {fact: server log, question: Please attach server.log., words: [server.log]}
    - {fact: mod list, question: 'Which mods are installed?', words: [mods.txt]}
"""


def test_one_of_two_facts_is_replied_to_once(house: House) -> None:
    repo, number = house.begin(FACTS, CLEAR, title=CLEAR_TITLE)
    house.say(repo, number, "Here is server.log: it ends at the start.")
    (answer,) = house.answers(repo, number)
    assert "- [ ] mod list" in answer and "server log" not in answer
    house.say(repo, number, "Thanks for looking!")
    assert len(house.answers(repo, number)) == 1
    house.say(repo, number, "And mods.txt says that there are none but yours.")
    assert (house.held(repo, number), len(house.answers(repo, number))) == (False, 1)


def test_in_observe_mode_nothing_is_opened(house: House) -> None:
    repo, number = closed(house)
    house.github.push(repo, {".github/bouncer.yml": "mode: observe\n"})
    house.settle()
    before = len(house.writes(repo))
    house.say(repo, number, CLEAR)
    assert (house.issue(repo, number).state, len(house.writes(repo))) == ("closed", before)


@pytest.mark.parametrize("fault", ["down", "dropped after"])
@pytest.mark.parametrize("call", ["reopen", "label off", "comment again"])
def test_what_fails_on_the_way_is_done_once_in_the_end(house: House, call: str, fault: str) -> None:
    repo, number = closed(house)
    no_waiting(house)
    FAULTS[fault](house, *(CALLS | {"reopen": ("PATCH", "/issues/{issue_number}")})[call])
    house.github.comment(repo, number, CLEAR)
    finish(house)
    issue = house.issue(repo, number)
    assert (issue.state, house.held(repo, number)) == ("open", False)
    assert [issue.history.count(each) for each in ("reopened", "unlabeled")] == [1, 1]
    assert "- [ ]" not in house.spoken(repo, number)


MAIL = """\
I am out of the office until 3.12.2026, and answer then. For urgent matters contact Jane, +49 30 1234.56.

Sent from my phone 7.1

On Mon, Nov 3, 2025 at 10:12 AM bouncer[bot] ***@***.***>
wrote:

"""


@pytest.mark.parametrize("mark", ["> ", ""])
def test_a_mail_that_only_repeats_the_questions_is_no_answer(house: House, mark: str) -> None:
    repo, number = house.begin()
    asked = house.spoken(repo, number)
    quoted = "".join(f"{mark}{line}\n" for line in asked.splitlines() if "<!--" not in line)
    seen = len(house.judge.asked)
    house.say(repo, number, MAIL + quoted)
    assert (house.held(repo, number), house.answers(repo, number)) == (True, [])
    assert house.spoken(repo, number) == asked and len(house.judge.asked) == seen, "nothing new to judge"
    house.say(repo, number, f"{CLEAR}\n{MAIL}{quoted}")
    assert not house.held(repo, number), "what is written above it counts"
    assert "phone 7.1" not in house.judge.asked[-1].visible_text


def test_a_mail_that_only_repeats_the_questions_opens_nothing(house: House) -> None:
    repo, number = closed(house)
    house.say(repo, number, MAIL)
    assert house.issue(repo, number).state == "closed"
    house.say(repo, number, f"{CLEAR}\n{MAIL}")
    assert house.issue(repo, number).state == "open"
