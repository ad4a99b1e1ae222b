"""The demo's repository, reports about it that are stale, and pull requests: three that a review bot rejects, one of
them a coding agent's, and three more of the agent's for the gate, which judges agents' alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

from bot.demo.scenario import Story

CONTRIBUTOR = "contributor"
AGENT = "sprout-agent[bot]"
CRITIC = "critic[bot]"

FILES: Mapping[str, str] = {
    "README.md": "# kettle\n\nRead, change and write tables of tea.\n",
    # Nothing has to be installed, so nothing is: the demo needs no network.
    ".github/bouncer.yml": (
        "mode: enforce\nissues:\n  exempt:\n    authors: [maintainer]\nverify:\n  setup: []\n  test: pytest\n"
    ),
    "kettle/__init__.py": "",
    "kettle/bill.py": '''\
"""Who pays what."""


def split_bill(cents: int, people: int) -> list[int]:
    """What each of so many people pays, in cents."""
    return [cents // people] * people
''',
    "kettle/menu.py": '''\
"""Menus of tea. A tea is a pair of name and strength."""


def strongest_first(teas: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The teas, the strongest first."""
    return list(reversed(sorted(teas, key=lambda tea: tea[1])))


def middle_strength(strengths: list[int]) -> float:
    """The strength in the middle of a menu."""
    return strengths[len(strengths) // 2]
''',
    "kettle/steep.py": '''\
"""How long tea steeps."""

_MINUTES = {"green": 2, "black": 4}


def minutes(tea: str) -> int:
    """The minutes a tea steeps. Raises `KeyError` for one that is not on the menu."""
    return _MINUTES[tea]
''',
    "tests/test_bill.py": """\
from kettle.bill import split_bill


def test_an_even_bill() -> None:
    assert split_bill(90, 3) == [30, 30, 30]
    assert split_bill(80, 2) == [40, 40]
    assert split_bill(7, 1) == [7]
""",
    "tests/test_menu.py": """\
from kettle.menu import middle_strength, strongest_first


def test_the_strongest_comes_first() -> None:
    assert strongest_first([("mint", 1), ("assam", 5), ("sencha", 3)]) == [("assam", 5), ("sencha", 3), ("mint", 1)]
    assert strongest_first([]) == []


def test_the_middle_of_a_sorted_menu() -> None:
    assert middle_strength([1, 3, 5]) == 3
    assert middle_strength([2]) == 2
""",
}

# What was mended since: message -> files.
SINCE: Mapping[str, Mapping[str, str]] = {
    "minutes() knows a tea by its name in capitals, too": {
        "kettle/steep.py": FILES["kettle/steep.py"].replace("_MINUTES[tea]", "_MINUTES[tea.lower()]")
    },
    "Say what kettle is for": {"README.md": "# kettle\n\nRead, change and write tables of tea, and brew it.\n"},
}


def _report(*examples: str, gives: tuple[str, int]) -> str:
    """What a person writes about `minutes()`, with kettle 2.4.0. gives: a tea, and its minutes, that should come."""
    shown = [
        f"""\
```python
from kettle.steep import minutes

print(minutes({name!r}))
```

```
Traceback (most recent call last):
  File "brew.py", line 3, in <module>
    print(minutes({name!r}))
  File "kettle/steep.py", line 8, in minutes
    return _MINUTES[tea]
KeyError: {name!r}
```
"""
        for name in examples
    ]
    return "\n".join(
        (
            "With kettle 2.4.0 on Python 3.12 (Debian 12), `minutes()` raises `KeyError`.\n\n### Steps to reproduce\n",
            *shown,
            f"### Expected behaviour\n\nIt should print `{gives[1]}`, the minutes of that tea, "
            f"as `minutes({gives[0]!r})` gives them.\n",
        )
    )


FIXED = (
    Story("stale", "minutes() raises KeyError for a tea in capitals", _report("GREEN", gives=("green", 2))),
    Story(
        "half",
        "minutes() raises KeyError for capitals and for a blank at the end",
        _report("Black", "black ", gives=("black", 4)),
    ),
)


@dataclass(frozen=True, slots=True)
class PullStory:
    """A pull request. issue: title and text of what is asked for. change: path -> content. by: who opens it.

    override: what a maintainer writes against the verdict, if anything.
    no: what the review bot says, where it rejects it. path, first, last, suggestion: the lines it would replace, and
    with what. answer: when Bouncer asks about a call with one list, what a maintainer says is right for it.
    """

    key: str
    issue: tuple[str, str]
    title: str
    change: Mapping[str, str]
    by: str = AGENT
    override: str = ""
    no: str = ""
    path: str = ""
    first: int = 0
    last: int = 0
    suggestion: str = ""
    answer: Callable[[list[int]], float] | None = None


PULLS = (
    PullStory(
        key="rescued",
        issue=(
            "strongest_first() turns teas of equal strength around",
            """\
Teas of equal strength should stay in the order of the menu.

```python
>>> from kettle.menu import strongest_first
>>> strongest_first([("sencha", 3), ("assam", 5), ("bancha", 3)])
[('assam', 5), ('sencha', 3), ('bancha', 3)]
```

With kettle 2.4.1 bancha comes before sencha.
""",
        ),
        title="Keep the menu's order among teas of equal strength",
        change={
            "kettle/menu.py": FILES["kettle/menu.py"].replace(
                "list(reversed(sorted(teas, key=lambda tea: tea[1])))", "sorted(teas, key=lambda tea: -tea[1])"
            )
        },
        no="Sorting by strength alone leaves the order of equal teas to chance. Sort by the name as well.",
        path="kettle/menu.py",
        first=6,
        last=6,
        suggestion="    return sorted(teas, key=lambda tea: (-tea[1], tea[0]))\n",
    ),
    PullStory(
        key="kept",
        issue=(
            "split_bill() loses cents",
            """\
The shares must add up to the bill, and the first ones pay the cents that are left over:

```python
>>> from kettle.bill import split_bill
>>> split_bill(100, 3)
[34, 33, 33]
```

With kettle 2.4.1 it is `[33, 33, 33]`, and the house pays a cent.
""",
        ),
        title="Round the shares of a bill",
        by=CONTRIBUTOR,
        change={"kettle/bill.py": FILES["kettle/bill.py"].replace("cents // people", "round(cents / people)")},
        no="The shares still do not add up: rounding loses a cent, or finds one.",
        path="kettle/bill.py",
        first=6,
        last=6,
        suggestion=(
            "    share, rest = divmod(cents, people)\n    return [share + 1] * rest + [share] * (people - rest)\n"
        ),
    ),
    PullStory(
        key="asked",
        issue=(
            "middle_strength() needs a sorted menu",
            "`middle_strength([5, 1, 3])` is `1` with kettle 2.4.1, and should be `3`: the menu may have any order.\n",
        ),
        title="Sort before taking the middle",
        by=CONTRIBUTOR,
        change={
            "kettle/menu.py": FILES["kettle/menu.py"].replace(
                "return strengths[len(strengths) // 2]", "return sorted(strengths)[len(strengths) // 2]"
            )
        },
        no="With an even number of teas the middle lies between two of them. Take their mean.",
        path="kettle/menu.py",
        first=11,
        last=11,
        suggestion=(
            "    ordered, half = sorted(strengths), len(strengths) // 2\n"
            "    if len(ordered) % 2 == 0:\n"
            "        return (ordered[half - 1] + ordered[half]) / 2\n"
            "    return ordered[half]\n"
        ),
        answer=median,
    ),
)


_SHARES = """\
    share, rest = divmod(cents, people)
    return [share + 1] * rest + [share] * (people - rest)
"""

_SLOW = "`split_bill(90_000, 1000)` takes four seconds with kettle 2.4.1, and should take less than one.\n"

GATED = (
    PullStory(
        key="passed",
        issue=PULLS[1].issue,
        title="Share what is left of a bill",
        change={
            "kettle/bill.py": FILES["kettle/bill.py"].replace("    return [cents // people] * people\n", _SHARES),
            "tests/test_bill.py": FILES["tests/test_bill.py"]
            + "\n\ndef test_the_shares_add_up() -> None:\n    assert split_bill(100, 3) == [34, 33, 33]\n",
        },
    ),
    PullStory(
        key="blocked",
        issue=("A menu could begin with the weakest tea", "Some guests want `strongest_first` the other way round.\n"),
        title="Let strongest_first() sort upwards",
        change={
            "kettle/menu.py": FILES["kettle/menu.py"].replace(
                "list(reversed(sorted(teas, key=lambda tea: tea[1])))", "sorted(teas, key=lambda tea: tea[1])"
            )
        },
        override="/bouncer override We rename it in the next commit, the test goes with it.",
    ),
    PullStory(
        key="idle",
        issue=("split_bill() is slow for large parties", _SLOW),
        title="Speed up split_bill()",
        change={
            "kettle/bill.py": FILES["kettle/bill.py"].replace(
                "    return [cents // people] * people\n",
                "    # Integer division is the fastest way to split.\n    return [ cents//people ]*people\n",
            )
        },
    ),
)
