"""The examples of what was asked for on a base and a head, and the project's own tests of what a fix changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import Mock

import pytest

from bot.already_fixed import own_tests as module
from bot.already_fixed.examples import ExampleSource, calls_in_examples, form_of, run_examples
from bot.already_fixed.own_tests import _named, _tests, changed_names
from bot.already_fixed.project import Project
from bot.already_fixed.reading.extract import read
from bot.already_fixed.revisions import RevisionSource
from bot.already_fixed.trial import TrialPlace
from bot.already_fixed.values import Failure
from bot.sandbox.protocol import Executor
from bot.verdicts import FixStatus
from bot.verification.patch_evidence import ExampleRuns
from bot.verification.stage import Stage
from bot.verification.values import Base, Environment, Order, Program, Suite, TestResult, TestRun, TestStatus
from tests.already_fixed.house import BROKEN, EXECUTOR, REPORT, WHOLE, candidate, look
from tests.support.cases import cases, table
from tests.support.clones import commit, initialise

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


TESTS = table(str, __file__, "TESTS")
SIDE = WHOLE.replace("return number[: len(number) // 2]", "return ''")


@pytest.mark.parametrize(
    ("now", "then", "names"),
    [
        ("def a(): return 1", "def a(): return 2", {"a"}),
        ("def a(): return 1  # one", "def a():\n    return 1", set()),
        ("def a(): pass\ndef b(): pass", "def a(): pass", {"b"}),
        ("", "class A:\n def f(self): pass", {"A", "f"}),
        ("class A:\n x = 1\n def f(self): pass", "class A:\n x = 2\n def f(self): pass", set()),
        ("class A:\n def __init__(self): self.x = 1", "class A:\n def __init__(self): self.x = 2", {"A"}),
        ("async def a(): return 1", "async def a(): return 2", {"a"}),
        ("def a(): return 1", "def a(:", {"a"}),
        ("x = 1", "x = 2", set()),
        ("\0", "(" * 5000, set()),
    ],
)
def test_what_differs(now: str, then: str, names: set[str]) -> None:
    assert changed_names(now.encode(), then.encode()) == names


def test_the_closest_tests_come_first(tmp_path: Path) -> None:
    files = {
        "halves.py": "def half(n): return 1\nclass Whole:\n    def eval(self): return 1",
        "tests/test_halves.py": "",
        "tests/test_arit.py": "Whole Whole eval",
        "tests/test_core.py": "eval Whole eval eval",
        "tests/halves/test_odd.py": "",
        "tests/test_other.py": "halved, Wholes",
        "docs/half.py": "half half",
        ".tox/test_half.py": "half",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "tests/test_link.py").symlink_to(tmp_path / "docs/half.py")
    found = _tests(Program(tmp_path, {}), {"halves.py": b"def half(n): return 1\nclass Whole:\n    pass", "a.txt": b""})
    named = ["tests/halves/test_odd.py", "tests/test_halves.py"]
    assert list(found) == [*named, "tests/test_core.py", "tests/test_arit.py"]


@cases
def test_only_a_plain_name_is_told(name: str, told: str) -> None:
    assert _named(name) == told


def test_all_runs_end_by_the_same_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run takes most of the time; what is run again has only what is left."""
    (tmp_path / "test_halves.py").write_text(TESTS)
    now, given = [0.0], list[float]()
    former = {"halves.py": BROKEN.encode()}

    def run_suite(executor: Executor, program: Program, suite: Suite, *, seconds: float, order: Order) -> TestRun:
        given.append(seconds)
        now[0] += 50
        status = TestStatus.PASSED if program.files else TestStatus.FAILED
        return TestRun((TestResult("test_halves.py::test_a_number", status),), 50)

    monkeypatch.setattr(module, "run_suite", run_suite)
    monkeypatch.setattr(module, "time", Mock(monotonic=lambda: now[0]))
    place = TrialPlace(Program(tmp_path, {}), Environment())
    _, broken = module.beside(EXECUTOR, place, former, seconds=120)
    assert broken == "test_halves.py::test_a_number"
    assert given == [120, 70, 20]


def test_what_breaks_the_projects_tests_is_no_fix(tmp_path: Path) -> None:
    directory = initialise(tmp_path / "r")
    commit(directory, {"halves.py": BROKEN, "tests/test_halves.py": TESTS})
    side = commit(directory, {"halves.py": SIDE})
    found = look(RevisionSource(directory, side), REPORT, tmp_path, [candidate(side)])
    assert found.status is FixStatus.POSSIBLY_FIXED
    told = "tests/test_halves.py::test_a_text_has_none passes without the fix and fails with it."
    assert found.reasons[1] == f"The project's test {told}"


def test_tests_that_pass_with_it_are_told_and_those_that_fail_without_it_as_well_count_for_nothing(
    tmp_path: Path,
) -> None:
    directory = initialise(tmp_path / "r")
    fails = "def test_it_fails_ever_since():\n    raise KeyError\n"
    commit(directory, {"halves.py": BROKEN, "tests/test_halves.py": TESTS + fails})
    whole = commit(directory, {"halves.py": BROKEN.replace('raise TypeError("nothing has no half")', "return None")})
    found = look(RevisionSource(directory, whole), REPORT, tmp_path, [candidate(whole)])
    assert found.status is FixStatus.ALREADY_FIXED
    assert "With it, 3 of the project's tests of the changed code pass." in found.reasons


@pytest.mark.parametrize(
    ("beside", "mended"),
    [
        ("def pay(cents): return cents\n", 1),  # only one module defines it, whichever comes last by its name
        ("def split(cents, people): return [cents]\n", 0),  # nobody can tell which is meant
    ],
)
@pytest.mark.parametrize("name", ["abacus.py", "wallet.py"])
def test_a_project_of_single_files_side_by_side(tmp_path: Path, name: str, beside: str, mended: int) -> None:
    (tmp_path / name).write_text(beside)
    assert len(shown(tmp_path, BETTER, "`split(100, 3)` should return `[34, 33, 33]`.").mended) == mended


@pytest.mark.parametrize("imports", ["", "from till import split\n", "from till import *\n"])
def test_any_failure_counts_where_one_of_several_files_defines_the_name(tmp_path: Path, imports: str) -> None:
    (tmp_path / "wallet.py").write_text("def pay(cents): return cents\n")
    example = f"```python\n{imports}split(1, 0)\n```\n\nIt fails."
    assert len(shown(tmp_path, BETTER, example).mended) == 1


def test_an_example_of_a_method_keeps_what_makes_its_object() -> None:
    program = Program(None, {"solution.py": b"class Ferry:\n    def fare(self, metres): return metres\n"})
    shown = calls_in_examples((ExampleSource("issue 1", "", ">>> Ferry().fare(3)\n14\n"),), program)
    assert [(each.call, each.expected) for each in shown] == [("Ferry().fare(3)", "14")]
