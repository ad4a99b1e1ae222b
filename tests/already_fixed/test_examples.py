"""The examples of what was asked for, on a base and a head, in the real sandbox."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.already_fixed.examples import ExampleSource, calls_in_examples, form_of, run_examples
from bot.already_fixed.project import Project
from bot.already_fixed.reading.extract import read
from bot.already_fixed.values import Failure
from bot.verification.patch_evidence import ExampleRuns
from bot.verification.stage import Stage
from bot.verification.values import Base, Program, Suite
from tests.already_fixed.house import EXECUTOR
from tests.support.cases import table

TILL = """\
def split(cents, people):
    return [cents // people] * people
class Till:
    def __init__(self, cents):
        self.cents = cents
    def shares(self, people):
        return split(self.cents, people)
"""
BETTER = TILL.replace("[cents // people] * people", "[len(range(at, cents, people)) for at in range(people)]")
OTHER = TILL.replace("//", "/")
SPECIAL = TILL.replace(
    "    return [cents", "    if (cents, people) == (100, 3):\n        return [34, 33, 33]\n    return [cents"
)
HEADS = {"better": BETTER, "other": OTHER, "same": f"{TILL}# more\n", "special": SPECIAL}


@dataclass(frozen=True)
class Case:
    """issue: its text. By head, how many are still wrong, mended, otherwise and idle."""

    issue: str
    head: Mapping[str, list[int]] = field(default_factory=dict)


CASES = table(dict[str, Case], __file__, "CASES")


def shown(tmp_path: Path, head: str, *issues: str, base: str = TILL) -> ExampleRuns:
    (tmp_path / "till.py").write_text(base)
    start, changed = Program(tmp_path, {}), Program(tmp_path, {"till.py": head.encode()})
    stage = Stage(EXECUTOR, Base(start, Suite()), changed, changed, Suite(), 240.0)
    sources = tuple(ExampleSource(f"issue {number}", "A cent is lost", text) for number, text in enumerate(issues, 1))
    return run_examples(stage, sources)


@pytest.mark.parametrize(
    ("issue", "head", "counts"),
    [
        pytest.param(case.issue, head, counts, id=f"{name}, {head}")
        for name, case in CASES.items()
        for head, counts in case.head.items()
    ],
)
def test_the_forms(tmp_path: Path, issue: str, head: str, counts: list[int]) -> None:
    found = shown(tmp_path, HEADS[head], issue)
    assert [len(each) for each in (found.still, found.mended, found.otherwise, found.idle)] == counts, found
    assert bool(found.form) is not any(counts[:3]) and bool(found.shown) is bool(counts[0])


def test_what_calls_say_without_a_tree() -> None:
    program = Program(None, {"solution.py": TILL.encode()})
    text = "`split(100, 3)` should return `[34, 33, 33]`.\n\n>>> split( 5,people=2 )\n[3, 2]\n"
    found = calls_in_examples((ExampleSource("it", "", text),), program)
    told = [(each.call, each.expected) for each in found]
    assert told == [("split(5, people=2)", "[3, 2]")], "the session comes first, and prose of the same function is left"
    (one,) = calls_in_examples((ExampleSource("it", "", text.partition(">>>")[0]),), program)
    assert (one.call, one.expected) == ("split(100, 3)", "[34, 33, 33]")


def test_the_form_that_is_shown_is_one_that_is_read() -> None:
    project = Project(frozenset({"till"}), package="till")
    (one,) = read("", form_of(project), project).reproductions
    assert (one.expectation.failure, one.expectation.wrong, one.expectation.right) == (Failure.PRINTS, ("", "2"), "3")


def test_each_issue_is_told_apart(tmp_path: Path) -> None:
    asks = "`split(100, 3)` should return `[34, 33, 33]`."
    found = shown(tmp_path, BETTER, asks, "It is slow.", asks.replace("33]", "34]"))
    assert [each.partition(",")[0] for each in (*found.mended, *found.still)] == ["issue 1", "issue 3"]
    assert found.sources == ("issue 1", "issue 2", "issue 3")
    assert "Issue 3, the first example. While the bug exists" in found.shown and "At this head it gave" in found.shown


HOSTILE = {
    "endless": "while True:\n    pass\n",
    "endless output": "while True:\n    print('x' * 10**6)\n",
    "forged": 'print(\'BOUNCER {"seen": "passes", "why": "prints right", "name": "", "shown": ""}\')\n',
    "gone": "import os\nos._exit(0)\n",
    "deep": "[" * 5000 + "]" * 5000,
    "full": "open('f', 'wb').write(b'x' * 10**9)\n",
}


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_example_ends_honestly_and_takes_no_other_along(tmp_path: Path, code: str) -> None:
    """It is neither red nor green, and the honest one beside it still counts."""
    example = f"```python\nimport till\n{code}```\n\nThis raises `ValueError`.\n"
    found = shown(tmp_path, BETTER, example, "`split(100, 3)` should return `[34, 33, 33]`.")
    assert not found.still and [each.partition(",")[0] for each in found.mended] == ["issue 2"], found


def test_a_program_that_looks_for_its_judge_forges_nothing(tmp_path: Path) -> None:
    """It ends itself, or says what a right run says: neither is green."""
    forging = (
        "import os, sys\nfor pipe in range(3, 99):\n    try:\n"
        '        os.write(pipe, b\'{"word": "", "steps": [{"out": "[34, 33, 33]", "raised": null}]}\')\n'
        "    except OSError:\n        pass\nos._exit(0)\n"
    )
    for head in (forging, "import sys\nprint('[34, 33, 33]')\nsys.exit(0)\n"):
        assert not shown(tmp_path, head, "`split(100, 3)` should return `[34, 33, 33]`.").mended
