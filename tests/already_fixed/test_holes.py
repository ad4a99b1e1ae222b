"""What fixes that others offer show of a change: each trick of whoever offers one, and its honest twin, in the real
sandbox."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import pytest

from bot.already_fixed import holes
from bot.already_fixed.examples import ExampleSource
from bot.already_fixed.holes import OfferedProgram, show_holes
from bot.verification.execution import _with_holes
from bot.verification.patch_evidence import OfferedRuns
from bot.verification.stage import Stage
from bot.verification.trial.times import OFFERED
from bot.verification.values import Base, Program, Suite
from tests.already_fixed.house import EXECUTOR
from tests.support.cases import table
from tests.workflows.house import PLAUSIBLE

SESSION = "Please add `slug`.\n\n>>> from till import slug\n>>> slug('A b')\n'a-b'\n"
BODIES = {
    "": "",
    "SAME": "    return text\n",
    "LOWER": "    return text.lower()\n",
    "RIGHT": "    return text.lower().replace(' ', '-')\n",
    "SPECIAL": "    return 'a-b' if text == 'A b' else 7\n",
    "OTHER": "    return len(text)\n",
    "ENDS": "    import os\n    os._exit(0)\n",
    "RAISES": "    raise KeyError(1)\n",
    "FAILS": "    raise TypeError(2)\n",
    "HANGS": "    while True:\n        pass\n",
}


@dataclass(frozen=True)
class Case:
    issue: str
    head: str
    fix: str
    shown: int
    base: str = ""


CASES = table(dict[str, Case], __file__, "CASES")


def program(folder: Path, body: str) -> Program:
    folder.mkdir(parents=True)
    slug = f"def slug(text):\n{BODIES[body]}" if body else ""
    (folder / "till.py").write_text(f"def split(cents, people):\n    return [cents // people] * people\n{slug}")
    return Program(folder, {})


class House:
    """A base, a change, and fixes by others beside it."""

    def __init__(self, place: Path, base: str, head: str, *fixes: str) -> None:
        start, changed = program(place / "base", base), program(place / "head", head)
        self.stage = Stage(EXECUTOR, Base(start, Suite()), changed, changed, Suite(), 240.0)
        self.fixes = [program(place / f"fix{at}", fix) for at, fix in enumerate(fixes)]
        self.fetched = list[int]()

    def fetch(self, number: int) -> Program:
        self.fetched.append(number)
        return self.fixes[number]

    def offered(self) -> Sequence[OfferedProgram]:
        many = range(len(self.fixes))
        return [OfferedProgram(f"fix {at}", f"u{at}", f"friend{at}", partial(self.fetch, at)) for at in many]

    def shown(self, issue: str, *, seconds: float = 120.0, writers: tuple[str, ...] = ()) -> OfferedRuns:
        text = SESSION if issue == "SESSION" else issue
        return show_holes(self.stage, [ExampleSource("issue 1", "A slug", text, writers)], self.offered, seconds)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_shows_a_hole(tmp_path: Path, case: Case) -> None:
    house = House(tmp_path, case.base, case.head, case.fix)
    assert len(found := house.shown(case.issue).holes) == case.shown, found
    if case.head == "RIGHT":
        assert house.fetched == [], "nothing is fetched where nothing is missed"


def test_what_a_hole_tells(tmp_path: Path) -> None:
    """Each example its own call and answer, whatever else the issue's lines hold."""
    two = SESSION + ">>> slug('C d e')\n'c-d-e'\n\nA command beside it: `till slug(`.\n"
    found = House(tmp_path, "", "SAME", "RIGHT").shown(two)
    assert [asdict(each) for each in found.holes] == [
        {"fix": "fix 0", "url": "u0", "where": each.where, "call": call, "given": given, "wanted": wanted}
        for each, call, given, wanted in zip(
            found.holes, ["slug('A b')", "slug('C d e')"], ["'A b'", "'C d e'"], ["'a-b'", "'c-d-e'"], strict=True
        )
    ]


def test_a_hole_in_a_command_tells_the_command(tmp_path: Path) -> None:
    code = "def main():\n    print('{}')\n\n\nif __name__ == '__main__':\n    main()\n"
    house = House(tmp_path, "", "", "")
    for name, text in (("base", "old"), ("head", "old"), ("fix0", "new")):
        (tmp_path / name / "till.py").write_text(code.format(text))
    issue = "```console\n$ python -m till\nold\n```\n\nExpected: `new`\n"
    (hole,) = house.shown(issue).holes
    assert (hole.call, hole.given, hole.wanted) == ("python -m till", "old", "new")


def test_a_fix_that_hangs_takes_no_other_s_time(tmp_path: Path) -> None:
    found = House(tmp_path, "", "SAME", "HANGS", "RIGHT").shown("SESSION", seconds=60.0)
    assert [each.fix for each in found.holes] == ["fix 1"]


def test_nobody_is_a_witness_of_their_own_words(tmp_path: Path) -> None:
    """Else one account could write an example into the issue and meet it, to hold the pull request of another."""
    house = House(tmp_path, "", "SAME", "RIGHT", "RIGHT")
    assert [each.fix for each in house.shown("SESSION", writers=("friend0",)).holes] == ["fix 1"]
    assert house.shown("SESSION", writers=("friend0", "friend1")) == OfferedRuns()


def test_without_time_nothing_is_held_against_it(tmp_path: Path) -> None:
    """And what the base gives is not known then: nothing counts that it may give as well."""
    keeps = "`slug('A b')` should return `'A b'`."
    house = House(tmp_path, "SAME", "RIGHT", "SAME")
    assert house.shown(keeps, seconds=0.1) == OfferedRuns(late=True)
    for seconds in (1.1, 2.0, 4.0):
        assert house.shown(keeps, seconds=seconds).holes == ()
    assert House(tmp_path / "alone", "SAME", "RIGHT").shown(keeps, seconds=0.1) == OfferedRuns(), (
        "nobody offers anything"
    )


def test_a_fix_that_is_slow_to_fetch_leaves_the_others_untried_and_that_is_told(tmp_path: Path) -> None:
    house = House(tmp_path, "", "SAME", "SAME", "RIGHT", "RIGHT")
    gone = list[float]()

    def fetch(number: int) -> Program:
        house.fetched.append(number)
        gone.append(60.0)
        return house.fixes[number]

    clock = time.monotonic
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(house, "fetch", fetch)
        patch.setattr(holes.time, "monotonic", lambda: clock() + sum(gone))
        assert house.shown("SESSION", seconds=50.0) == OfferedRuns(late=True)
    assert house.fetched == [0], "nothing is fetched that has no time to run"


@pytest.mark.parametrize("late", [True, False])
def test_what_there_was_no_time_for_is_named(tmp_path: Path, late: bool) -> None:
    asked, found = list[float](), OfferedRuns(late=late)
    stood = _with_holes(
        House(tmp_path, "", "SAME").stage, PLAUSIBLE, lambda stage, seconds: asked.append(seconds) or found, 100.0
    )
    assert stood.patch
    assert (OFFERED.told in stood.patch.unfinished, stood.holes, asked) == (late, (), [100.0 * OFFERED.share])
