"""Pull requests nobody means well with, and commands nobody may give: none of it turns the check green.

The judge and the execution are in favour of everything here, so that only what comes before and after them is tried.
"""

from collections.abc import Callable, Mapping

import pytest

from bot.github.deliveries import Delivery
from bot.github.events import read
from bot.github.values import Repository
from bot.rendering.gate import NAME
from bot.storage.overrides import Override
from bot.workflows.jobs import RunJob
from bot.workflows.pull import judging
from bot.workflows.pull.gather import GateGathering
from bot.workflows.pull.judging import JudgingWorkflow
from fake_github.objects import Link, Submodule
from tests.support.lengths import EVERY_TRICK
from tests.workflows.hours import finish
from tests.workflows.house import PLAUSIBLE, House, Told
from tests.workflows.test_gate import AGENT, BREAKS, CODE, ENFORCE, check, propose, push, told

__all__ = ["told"]

Files = Mapping[str, str | bytes | None]

BINARY = b"\x7fELF\0\0\0" + bytes(range(256))
OLD, TEST = "def old(n):\n    return n\n", "def test_old():\n    assert old(1) == 1\n"
LOOKED_AT = "action_required"

# What a pull request changes, and how its check ends.
DIFFS: dict[str, tuple[Files, str]] = {
    "no file": ({}, "failure"),
    "more files than GitHub shows": ({f"part/{number}.py": "n = 1\n" for number in range(400)}, "success"),
    "more files than Bouncer reads": ({f"part/{number}.py": "n = 1\n" for number in range(3001)}, LOOKED_AT),
    "more lines than GitHub shows": ({"half.py": "x = 1\n" * 20_001}, "success"),
    "one line of a megabyte": ({"half.py": "half = '" + "x" * 2**20 + "'\n"}, "success"),
    "binary code": ({"half.so": BINARY}, LOOKED_AT),
    "binary code beside what can be read": ({"half.so": BINARY, "half.py": CODE}, LOOKED_AT),
    "a picture in the documentation": ({"docs/half.png": b"\x89PNG\0" + BINARY, "half.py": CODE}, "success"),
    "a submodule": ({"vendor": Submodule(b"1" * 40), "half.py": CODE}, LOOKED_AT),
    "a link out of the repository": ({"half.py": Link(b"../../../../etc/passwd")}, LOOKED_AT),
    "a link in place of code": ({"old.py": Link(b"/dev/zero")}, LOOKED_AT),
    "line ends alone": ({"old.py": OLD.replace("\n", "\r\n")}, "success"),  # nobody asked for behaviour
    "line ends and code": ({"old.py": OLD.replace("\n", "\r\n").replace("n\r", "n + 1\r")}, "success"),
    "a rename alone": ({"old.py": None, "new.py": OLD}, "success"),
    "a test renamed out of sight": ({"test_old.py": None, "olden.txt": TEST}, LOOKED_AT),
    "a test removed": ({"test_old.py": None, "half.py": CODE}, LOOKED_AT),
    "no UTF-8": ({"half.py": b"# -*- coding: latin-1 -*-\nhalf = '\xe9\xff\xfe'\n"}, "success"),
    "no UTF-8 in a comment alone": ({"old.py": b"def old(n):\n    return n  # \xe9\xff\n"}, "success"),  # no tree of it
    "a name of control characters": ({"a\tb\nc\x01.py": CODE}, "success"),
}


def test_diffs(house: House) -> None:
    repo = house.repository(ENFORCE)
    house.github.push(repo, {"old.py": OLD, "test_old.py": TEST})
    opened = {kind: house.github.open_pull(repo, kind, files, by=AGENT) for kind, (files, _) in DIFFS.items()}
    finish(house)  # a busy machine may keep git waiting
    ended = {kind: check(house, repo, number)[0] for kind, number in opened.items()}
    assert ended == {kind: conclusion for kind, (_, conclusion) in DIFFS.items()}


def test_three_hundred_commits(house: House, told: Told) -> None:
    """GitHub lists 250 of them; one judgement, of the newest, comes of it."""
    repo = house.repository(ENFORCE)
    for number in range(300):
        house.github.push(
            repo, {"half.py": f"half = {number}\n"}, branch="long", by=AGENT, onto="" if number else "main"
        )
    house.lose()  # a push to a branch without a pull request tells nothing
    house.propose(repo, "Add half", {}, branch="long", by=AGENT)
    assert check(house, repo)[0] == "success"
    assert len(told.checked) == 1


def close_and_open(house: House, repo: str) -> None:
    house.github.close_issue(repo, 1)
    house.github.reopen_issue(repo, 1)


# What becomes of a pull request while it is judged, and how the checks of its commits end, oldest first. What was found
# before is in its favour, what is found after that speaks against it.
MEANWHILE: dict[str, tuple[Callable[[House, str], object], list[str]]] = {
    "closed": (lambda house, repo: house.github.close_issue(repo, 1), ["cancelled"]),
    "merged": (lambda house, repo: house.github.merge_pull(repo, 1), ["cancelled"]),
    "branch deleted": (lambda house, repo: house.github.delete_branch(repo, "change-1"), ["cancelled"]),
    "made a draft": (lambda house, repo: house.github.convert_to_draft(repo, 1), ["action_required"]),
    "force pushed": (
        lambda house, repo: house.github.push_to_pull(repo, 1, {"half.py": CODE * 2}, onto="main"),
        ["cancelled", "failure"],
    ),
    "given another base": (lambda house, repo: house.github.change_base(repo, 1, "other"), ["failure"]),
    "described anew": (lambda house, repo: house.github.edit_issue(repo, 1, body="Fixes #77"), ["failure"]),
    "closed and opened again": (lambda house, repo: close_and_open(house, repo), ["failure"]),
    "locked": (lambda house, repo: house.github.lock_issue(repo, 1), ["success"]),
}


LIKE_CLOSED = ("merged", "branch deleted")


@pytest.mark.parametrize("what", [what for what in MEANWHILE if EVERY_TRICK or what not in LIKE_CLOSED])
def test_meanwhile(house: House, told: Told, what: str) -> None:
    """No verdict is shown on what it was not made of, and no check is left under way."""
    act, conclusions = MEANWHILE[what]
    repo = house.repository(ENFORCE)
    house.github.push(repo, {"other.py": "x = 1\n"}, branch="other")

    def once() -> None:
        told.meanwhile, told.stood = lambda: None, BREAKS
        house.meanwhile(lambda: act(house, repo))

    told.meanwhile = once
    house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    assert conclusions_of(house, repo) == conclusions


def conclusions_of(house: House, repo: str) -> list[str]:
    return [str(run.conclusion) for run in house.github.checks(repo) if run.name == NAME]


def test_deliveries_that_come_late_and_in_the_wrong_order(house: House, told: Told) -> None:
    """Whatever comes last, the newest commit is judged and stays judged."""
    told.stood = BREAKS
    repo, number = propose(house)
    push(house, repo, number)
    house.settle()
    told.stood = PLAUSIBLE
    for item in house.github.deliveries[::-1]:
        found = read(item.event, item.payload)
        if isinstance(found, Delivery) and found.pull and found.repository and found.repository.full_name == repo:
            house.services.inbox.claim(f"late-{item.guid}", found, now=house.clock())
    house.settle()
    assert conclusions_of(house, repo) == ["failure", "success"]


# Said about a blocked pull request: who says it, and what. All other forms of what is no command: tests/issues.
NO_OVERRIDE = {
    "a stranger": ("stranger", "/bouncer override Please."),
    "somebody who may only triage": ("triager", "/bouncer override Please."),
    "its own author": (AGENT, "/bouncer override It is fine."),
    "another bot": ("helper[bot]", "/bouncer override It is fine."),
    "no reason": ("maintainer", "/bouncer override"),
    "a blank reason": ("maintainer", "/bouncer override \u200b\t "),
    "a quote": ("maintainer", "> /bouncer override It is fine."),
}


def test_words_that_override_nothing(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    house.clock.advance(seconds=1)
    said = {house.github.comment(repo, number, body, by=who): body for who, body in NO_OVERRIDE.values()}
    for who in ("stranger", "triager", AGENT):
        house.github.comment(repo, number, "/bouncer override Let me in.", by=who)
    house.settle()
    assert house.services.overrides.trail(house.github.repo(repo).id, number) == ()
    notes = [comment.body for comment in house.issue(repo, number).bouncer_comments]
    assert sum("role `maintain` or more" in note for note in notes) == 2, "once to each, and nothing to bots"
    assert sum("needs a reason" in note for note in notes) == 2
    for comment, body in said.items():
        house.github.edit_comment(repo, comment, f"{body}\n\nReally.")
    house.settle()
    house.say(repo, number, "/bouncer recheck", by="stranger")
    house.github.edit_comment(repo, house.say(repo, number, "Hm.", by="maintainer"), "> /bouncer override It is fine.")
    run = next(run for run in house.github.checks(repo) if run.name == NAME)
    for who in ("stranger", "triager", AGENT, "helper[bot]"):
        house.github.press(repo, run.id, "override", by=who)
    house.settle()
    assert house.services.overrides.trail(house.github.repo(repo).id, number) == ()
    assert len(told.checked) == 1
    assert check(house, repo)[0] == "failure"


def test_a_word_counts_once_and_by_what_its_author_may_do_when_it_is_heard(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    collaborators = house.github.repo(repo).collaborators

    def trail() -> tuple[Override, ...]:
        return house.services.overrides.trail(house.github.repo(repo).id, number)

    house.clock.advance(seconds=1)
    house.github.comment(repo, number, "/bouncer override It is fine.", by="maintainer")
    del collaborators["maintainer"]
    house.settle()
    assert (trail(), check(house, repo)[0]) == ((), "failure")

    collaborators["maintainer"] = "maintain"
    comment = house.say(repo, number, "/bouncer override It is fine.", by="maintainer")
    said = next(item for item in reversed(house.github.deliveries) if item.event == "issue_comment")
    found = read(said.event, said.payload)
    assert isinstance(found, Delivery)
    house.services.inbox.claim("the same, once more", found, now=house.clock())
    house.settle()
    house.github.edit_comment(repo, comment, "/bouncer override It is fine.\n\nI looked.")
    house.settle()
    assert (len(trail()), check(house, repo)[0]) == (1, "success")

    del collaborators["maintainer"]
    house.say(repo, number, "/bouncer override-cancel", by="maintainer")
    house.github.delete_comment(repo, comment)
    house.settle()
    assert (trail()[0].ended_at, check(house, repo)[0]) == (None, "success")


def test_nothing_is_decided_on_a_closed_one(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    run = next(run for run in house.github.checks(repo) if run.name == NAME)
    house.github.close_issue(repo, number)
    house.clock.advance(seconds=1)
    for word in ("override It is fine.", "override-cancel", "recheck"):
        house.github.comment(repo, number, f"/bouncer {word}", by="maintainer")
    house.github.press(repo, run.id, "override")
    house.github.rerun(repo, run.id)
    house.edit(repo, number, title="Something else")
    assert house.services.overrides.trail(house.github.repo(repo).id, number) == ()
    assert len(told.checked) == 1
    assert check(house, repo)[0] == "failure"


def test_an_agent_with_a_maintainers_rights_waits_like_any_other(house: House, told: Told) -> None:
    """Whose a pull request is, is known only once it is judged; until then its author decides nothing."""
    repo = house.repository(ENFORCE + "pulls:\n  agents:\n    logins: [maintainer]\n")

    def once() -> None:
        told.meanwhile, told.stood = lambda: None, BREAKS
        house.clock.advance(seconds=1)
        house.meanwhile(lambda: house.github.comment(repo, 1, "/bouncer override It is fine.", by="maintainer"))

    told.meanwhile, told.stood = once, BREAKS
    house.propose(repo, "Add half()", {"half.py": CODE}, by="maintainer")
    assert check(house, repo)[0] == "failure"
    house.say(repo, 1, "/bouncer override It is fine.", by="maintainer")
    assert check(house, repo)[0] == "failure"


def test_when_github_does_not_say_what_somebody_may_do_they_may_not(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    for status in (403, 404):
        house.github.fail(status, method="GET", route="/collaborators/{username}/permission")
        house.say(repo, number, "/bouncer override It is fine.", by="maintainer")
        assert house.services.overrides.trail(house.github.repo(repo).id, number) == ()
        assert check(house, repo)[0] == "failure"


def test_a_fork_that_is_gone(house: House, told: Told) -> None:
    """What it proposed is still there; a check of it names no pull request, and its buttons work."""
    told.stood = BREAKS
    repo = house.repository(ENFORCE)
    fork = house.github.fork(repo, "somebody")
    number = house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT, source=fork)
    house.github.delete_repository(fork)
    run = next(run for run in house.github.checks(repo) if run.name == NAME)
    house.github.rerun(repo, run.id)
    house.settle()
    assert (len(told.checked), check(house, repo, number)[0]) == (2, "failure")
    house.github.press(repo, run.id, "override", by="stranger")
    house.settle()
    assert check(house, repo, number)[0] == "failure"
    house.github.press(repo, run.id, "override")
    house.settle()
    assert check(house, repo, number) == ("success", "Overridden by maintainer")


def test_a_worker_that_dies_before_it_told_anybody(house: House, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict is kept and nobody shows it: whoever resumes the run tells the pull request's workflow."""

    def die(*_: object) -> None:
        raise RuntimeError("the worker dies here")

    with monkeypatch.context() as dying:
        dying.setattr(judging, "tell_the_gate", die)
        repo, number = propose(house)
    assert conclusions_of(house, repo) == ["None"]
    where = house.github.repo(repo)
    record = house.services.gates.get(where.id, number)
    assert record is not None
    repository = Repository(where.id, repo)
    job = RunJob("judging", record.run_id, 1, record.installation_id, repository, number, record.head)
    # What was gathered is stored by then; here the steps run again.
    monkeypatch.setattr(JudgingWorkflow, "_gather", lambda self: GateGathering(self.services, self.job).gather())
    JudgingWorkflow.run(house.services, job.pack())
    house.settle()
    assert conclusions_of(house, repo) == ["success"]
