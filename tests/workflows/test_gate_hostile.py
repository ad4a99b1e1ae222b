"""Pull requests nobody means well with, and commands nobody may give: none of it turns the check green.

The judge and the execution are in favour of everything here, so that only what comes before and after them is tried.
"""

from collections.abc import Callable, Mapping

import pytest

from bot.demo.fake.objects import Link, Submodule
from bot.github.events import read
from bot.github.values import Delivery
from bot.rendering.gate import NAME
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
    "three thousand files": ({f"part/{number}.py": f"n = {number}\n" for number in range(3000)}, LOOKED_AT),
    "more lines than GitHub shows": ({"half.py": "x = 1\n" * 20_001}, LOOKED_AT),
    "one line of a megabyte": ({"half.py": "half = '" + "x" * 2**20 + "'\n"}, "success"),
    "binary code": ({"half.so": BINARY}, LOOKED_AT),
    "binary code beside what can be read": ({"half.so": BINARY, "half.py": CODE}, LOOKED_AT),
    "a picture in the documentation": ({"docs/half.png": b"\x89PNG\0" + BINARY, "half.py": CODE}, "success"),
    "a submodule": ({"vendor": Submodule(b"1" * 40), "half.py": CODE}, LOOKED_AT),
    "a link out of the repository": ({"half.py": Link(b"../../../../etc/passwd")}, LOOKED_AT),
    "a link in place of code": ({"old.py": Link(b"/dev/zero")}, LOOKED_AT),
    "line ends alone": ({"old.py": OLD.replace("\n", "\r\n")}, "failure"),
    "line ends and code": ({"old.py": OLD.replace("\n", "\r\n").replace("n\r", "n + 1\r")}, "success"),
    "a rename alone": ({"old.py": None, "new.py": OLD}, "success"),
    "a test renamed out of sight": ({"test_old.py": None, "olden.txt": TEST}, LOOKED_AT),
    "a test removed": ({"test_old.py": None, "half.py": CODE}, LOOKED_AT),
    "no UTF-8": ({"half.py": b"# -*- coding: latin-1 -*-\nhalf = '\xe9\xff\xfe'\n"}, "success"),
    "no UTF-8 in a comment alone": ({"old.py": b"def old(n):\n    return n  # \xe9\xff\n"}, "failure"),
    "a name of control characters": ({"a\tb\nc\x01.py": CODE}, "success"),
}


def test_diffs(house: House) -> None:
    repo = house.repository(ENFORCE)
    house.github.push(repo, {"old.py": OLD, "test_old.py": TEST})
    opened = {kind: house.github.open_pull(repo, kind, files, by=AGENT) for kind, (files, _) in DIFFS.items()}
    house.settle(60)
    ended = {kind: check(house, repo, number)[0] for kind, number in opened.items()}
    assert ended == {kind: conclusion for kind, (_, conclusion) in DIFFS.items()}


def test_three_hundred_commits(house: House, told: Told) -> None:
    """GitHub lists 250 of them; one judgement, of the newest, comes of it."""
    repo = house.repository(ENFORCE)
    for number in range(300):
        house.github.push(
            repo, {"half.py": f"half = {number}\n"}, branch="long", by=AGENT, onto="" if number else "main"
        )
    house.github.open_pull(repo, "Add half", {}, branch="long", by=AGENT)
    house.settle()
    assert check(house, repo)[0] == "success"
    assert len(told.checked) == 1


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
    "locked": (lambda house, repo: house.github.lock_issue(repo, 1), ["success"]),
}


@pytest.mark.parametrize("what", MEANWHILE)
def test_meanwhile(house: House, told: Told, what: str) -> None:
    """No verdict is shown on what it was not made of, and no check is left under way."""
    act, conclusions = MEANWHILE[what]
    repo = house.repository(ENFORCE)
    house.github.push(repo, {"other.py": "x = 1\n"}, branch="other")

    def once() -> None:
        told.meanwhile, told.stood = lambda: None, BREAKS
        house.meanwhile(lambda: act(house, repo))

    told.meanwhile = once
    house.github.open_pull(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    house.settle()
    assert conclusions_of(house, repo) == conclusions


def conclusions_of(house: House, repo: str) -> list[str]:
    return [str(run.conclusion) for run in house.github.checks(repo) if run.name == NAME]


def test_an_override_was_not_given_for_another_base(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    house.github.push(repo, {"other.py": "x = 1\n"}, branch="other")
    house.say(repo, number, "/bouncer override Fine there.", by="maintainer")
    assert check(house, repo)[0] == "success"
    house.github.change_base(repo, number, "other")
    house.settle()
    assert check(house, repo)[0] == "failure"


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
