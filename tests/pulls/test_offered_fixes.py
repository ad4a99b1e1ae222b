"""Whose fixes run beside a change, and how many: nobody crowds out the others."""

import pytest

from bot.github.values import OpenPull, Pull, Remark
from bot.pulls.offered_fixes import MOST, OfferedFix, choose, find_rivals, find_suggestions
from bot.pulls.suggestions import Suggestion

OWN = Pull(number=5, author="agent[bot]", head="a" * 40, base_branch="main")
RABBIT, COPILOT = "coderabbitai[bot]", "copilot-pull-request-reviewer[bot]"
FIX = "Wrong.\n```suggestion\n    return n / 2\n```"


def rival(number: int, author: str, *, branch: str = "main", head: str = "") -> OpenPull:
    return OpenPull(number, author, head or f"{number:040}", branch)


@pytest.mark.parametrize(
    ("closing", "numbers"),
    [
        ([rival(5, "agent[bot]")], []),
        ([rival(9, "ann"), rival(7, "bob"), rival(7, "bob")], [7, 9]),
        ([rival(7, "ann", branch="next")], []),
        ([rival(7, "ann", head="a" * 40)], []),
        ([rival(7, "ann"), rival(8, "ann"), rival(9, "bob")], [8, 9]),
        ([rival(6, "agent[bot]")], []),
        ([rival(number, "one") for number in range(10, 60)] + [rival(99, "two")], [59, 99]),
        ([rival(number, f"account{number}") for number in range(10, 60)], [10, 11, 12, 13]),
    ],
    ids=[
        "itself",
        "the oldest first, each once",
        "into another branch",
        "the same commit",
        "the newest of each author",
        "the same agent's second try",
        "a flood by one",
        "a flood by many",
    ],
)
def test_rivals(closing: list[OpenPull], numbers: list[int]) -> None:
    assert [each.number for each in find_rivals(OWN, closing)] == numbers


def remark(number: int, *, by: str = RABBIT, body: str = FIX, commit: str = "a" * 40, **other: int) -> Remark:
    return Remark(number, "half.py", 2, 2, commit, body, by, by.endswith("[bot]"), **other)


@pytest.mark.parametrize(
    ("remarks", "found"),
    [
        ([remark(1)], [1]),
        ([remark(1, commit="b" * 40)], []),
        ([remark(1, by="ann")], []),
        ([remark(1, by="agent[bot]")], []),
        ([remark(1, reply_to=9)], []),
        ([remark(1, body="Say why.")], []),
        ([remark(1, body=f"[nitpick] {FIX}"), remark(2, body=f"_Critical_ {FIX}")], [2, 1]),
        ([*(remark(number) for number in range(1, 100)), remark(100, by=COPILOT)], [1, 100, 2, 3]),
    ],
    ids=[
        "a bot's",
        "on an older commit",
        "a person's",
        "the author's own",
        "an answer",
        "no change",
        "the worst first",
        "a hundred by one bot",
    ],
)
def test_suggestions(remarks: list[Remark], found: list[int]) -> None:
    offered = find_suggestions(OWN, remarks, "https://github.com/o/r")
    assert [int(each.url.partition("_r")[2]) for each in offered] == found


def test_what_a_suggestion_is() -> None:
    (found,) = find_suggestions(OWN, [remark(8)], "https://github.com/o/r")
    url = "https://github.com/o/r/pull/5#discussion_r8"
    assert found == OfferedFix(RABBIT, url, suggestions=(Suggestion("half.py", 2, 2, "    return n / 2\n"),))
    assert found.name == f"a suggestion by {RABBIT}"
    assert OfferedFix("bob", url, 7).name == "pull request 7 by bob"


def test_each_kind_has_its_turn() -> None:
    one, other = ([OfferedFix(who, f"{at}") for at in range(9)] for who in ("bot", "ann"))
    assert [each.author for each in choose(one, other)] == ["bot", "ann"] * (MOST // 2)
    assert [each.author for each in choose([], other[:1], one[:1])] == ["ann", "bot"]
