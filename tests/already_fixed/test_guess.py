"""When history alone may be spoken of: the rule in front of it, and a search whose only link is the project's name."""

import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.already_fixed.guess import LONG_ENOUGH, MARGIN, SHARED, doubts, guess, rank
from bot.already_fixed.reading.version import line_of, unfixed_branch
from bot.already_fixed.revisions import moments
from bot.history.index import indexed
from bot.history.refs import refs
from bot.history.search import search
from bot.history.values import Candidate, Searched, Sought
from tests.already_fixed.house import candidate, repository
from tests.support.cases import cases
from tests.support.clones import commit, git, initialise

FIRST = candidate("a" * 40, score=0.6, names_issue=False, shared=SHARED)
NEXT = candidate("b" * 40, score=0.6 / MARGIN, names_issue=False, likely=False)
CLOSE = replace(NEXT, score=0.21)
NAME_ALONE = replace(FIRST, shared=SHARED - 1)
TAKEN_BACK = replace(FIRST, commit="c" * 40, score=0.9, reverted_by="d" * 40)


@pytest.mark.parametrize(
    ("candidates", "commits", "named", "doubted"),
    [
        ((FIRST, NEXT), LONG_ENOUGH, True, ""),
        ((FIRST,), LONG_ENOUGH, True, ""),
        ((TAKEN_BACK, FIRST, NEXT), LONG_ENOUGH, True, ""),
        ((replace(NAME_ALONE, names_issue=True), NEXT), LONG_ENOUGH, True, ""),
        ((FIRST, CLOSE), LONG_ENOUGH, False, "comes close"),
        ((CLOSE, FIRST), LONG_ENOUGH, False, "comes close"),  # what running proved may stand before the first
        ((NAME_ALONE, NEXT), LONG_ENOUGH, False, "little more than the project's name"),
        ((FIRST, NEXT), LONG_ENOUGH - 1, False, "Only 99 commits were ranked"),
        ((FIRST, NEXT), 1, False, "Only 1 commit was ranked"),
        ((replace(FIRST, likely=False), NEXT), LONG_ENOUGH, False, "below what counts as likely"),
        ((), LONG_ENOUGH, False, ""),
    ],
)
def test_the_rule(candidates: tuple[Candidate, ...], commits: int, named: bool, doubted: str) -> None:
    found = guess(candidates, commits)
    assert (found is not None) is named
    assert found is None or (found.commit, doubts(found, candidates, commits)) == (FIRST.commit, ())
    first = next((each for each in candidates if rank(each, candidates) == 1), None)
    said = " ".join(doubts(first, candidates, commits)) if first else ""
    assert doubted in said and bool(said) is (bool(candidates) and not named)


def test_the_place_and_the_doubts_of_one_that_is_not_the_first() -> None:
    both = (TAKEN_BACK, FIRST, CLOSE)
    assert [rank(each, both) for each in both] == [0, 1, 2]
    assert doubts(CLOSE, both, 500)[0] == "It is only number 2."
    assert doubts(TAKEN_BACK, both, 500) == ("It was reverted.",)


REPORT = """With halves 2.1, three rounds down:

```python
import halves
print(halves.half(3))
```

It prints `1`, and should print `1.5`.
"""
QUARTERS = {"quarters.py": "def quarter(n):\n    return n / 4\n", "tests/test_quarters.py": "def test(): assert 1\n"}


def searched(place: Path, subject: str, files: dict[str, str], others: int) -> Searched:
    """What is found where `subject` is the last of so many commits and two more."""
    there = initialise(place / "r")
    commit(there, {"a.py": "x = 1\n"}, "Start")
    for number in range(others):
        commit(there, {f"paint/colour{number}.py": f"SHADE = {number}\n"}, f"Teach colour {number} to the painter")
    commit(there, {"LICENSE": "MIT\n"}, "Add a licence")
    head = commit(there, files, subject)
    index = indexed(place / "cache", "r", there, head, refs(there))
    sought = Sought("halves.half(3) drops the remainder", REPORT, own=("halves",))
    return search(index, sought, reported=None, head=head)


def test_a_subject_that_shares_the_projects_name_is_no_guess(tmp_path: Path) -> None:
    """A search calls it likely; among three commits, and among many, it says nothing of the report."""
    for others in (0, LONG_ENOUGH):
        found = searched(tmp_path / str(others), "Fix halves", QUARTERS, others)
        assert found.candidates[0].subject == "Fix halves" and found.candidates[0].likely
        assert guess(found.candidates, found.commits) is None
        assert found.candidates[0].shared == 0


def test_a_change_that_says_what_the_report_says_is_a_guess(tmp_path: Path) -> None:
    mends = {
        "halves.py": "def half(n):\n    return n / 2\n",
        "tests/test_h.py": "def test():\n    assert half(3) == 1.5\n",
    }
    found = searched(tmp_path / "long", "Fix half() of odd numbers, which drops the remainder", mends, LONG_ENOUGH)
    assert guess(found.candidates, found.commits) == found.candidates[0]
    assert found.candidates[0].shared >= SHARED


MADE = datetime(2024, 5, 1, 12, tzinfo=UTC)  # as `tests.support.clones` dates every commit


@cases
def test_an_old_commit_gets_packages_of_its_month(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: int, days: int, expected: tuple[str, ...]
) -> None:
    there, shas = repository(tmp_path / "r", "a = 1\n")
    monkeypatch.setattr(sys, "version_info", type("Version", (), {"minor": python}))
    assert moments(there.directory, shas[0], MADE + timedelta(days=days)) == expected


def test_a_commit_that_cannot_be_read_gets_those_of_today(tmp_path: Path) -> None:
    there, _ = repository(tmp_path / "r", "a = 1\n")
    assert moments(there.directory, "0" * 40, MADE) == ("",)


BRANCHES = ("main", "2.x", "2.3.x", "release/1.4", "maintenance/3.0", "v4.x", "12-crash", "2.3.1", "fix/2.3", "2024")


@cases
def test_the_branch_is_the_named_one_or_that_of_the_version(text: str, version: str, branch: str | None) -> None:
    assert line_of(dict.fromkeys(BRANCHES, "a" * 40), text, version) == branch


def test_whether_the_fix_is_on_it(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", "a = 1\n", "a = 2\n", "a = 3\n")
    fix = Candidate(shas[1], "Mend it", "", 0.9, (), False, None, None, ())

    def missing(tip: str, *back_ports: str) -> str:
        found = Candidate(fix.commit, fix.subject, "", 0.9, (), False, None, None, back_ports)
        return unfixed_branch(there.directory, {"2.x": tip}, found, text="", version="2.1")

    git(there.directory, "checkout", "--quiet", "-b", "2.x", shas[0])
    git(there.directory, "commit", "--quiet", "--allow-empty", "--message", "Mend it here")
    beside = git(there.directory, "rev-parse", "HEAD")
    assert missing(shas[0]) == "2.x"
    assert missing(shas[1]) == missing(shas[2]) == ""
    assert missing(beside) == "2.x"
    assert missing(beside, beside) == ""
    assert unfixed_branch(there.directory, {"2.x": shas[0]}, None, text="", version="2.1") == ""
