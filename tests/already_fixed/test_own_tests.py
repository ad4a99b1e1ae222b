"""The project's own tests of what a fix changed: which these are, and what follows where the fix breaks one."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from bot.already_fixed import own_tests as module
from bot.already_fixed.own_tests import _named, _tests, changed_names
from bot.already_fixed.revisions import RevisionSource
from bot.already_fixed.trial import TrialPlace
from bot.sandbox.protocol import Executor
from bot.verdicts import FixStatus
from bot.verification.testing.run import Order
from bot.verification.values import Environment, Program, Suite, TestResult, TestRun, TestStatus
from tests.already_fixed.house import BROKEN, EXECUTOR, REPORT, WHOLE, candidate, look
from tests.support.cases import cases, table
from tests.support.clones import commit, initialise

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
