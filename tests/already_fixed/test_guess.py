"""When history alone may be spoken of: the rule in front of it, and a search whose only link is the project's name."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.already_fixed.guess import LONG_ENOUGH, MARGIN, SHARED, doubts, guess, rank
from bot.history.index import indexed
from bot.history.refs import refs
from bot.history.search import search
from bot.history.values import Candidate, Searched, Sought
from tests.already_fixed.house import candidate
from tests.support.clones import commit, initialise

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
