"""The commands done on a program: what they show, what they refuse, and that nothing but the overlay changes."""

from pathlib import Path
from typing import Any

import pytest

from bot.judges.agent.commands import MAX_TEXT, Cat, CodeSearch, Command, EditLines, Finish, RunTests
from bot.judges.agent.loop import OUTPUT
from bot.verification.repair import bench as module
from bot.verification.repair.bench import MAX_FILES, MESSAGES, NAMES, Bench
from bot.verification.values import Program, Suite, TestResult, TestRun, TestStatus
from tests.support.cases import cases
from tests.support.sandbox import BUBBLEWRAP

EXECUTOR = BUBBLEWRAP
ADD = "def add(a, b):\n    return a - b\n"
TESTS = "from adder import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "src" / "adder.py").write_text(ADD)
    (tmp_path / "tests" / "test_adder.py").write_text(TESTS)
    (tmp_path / "link.py").symlink_to(tmp_path / "src" / "adder.py")
    for name in ("-kx.py", "@words.py"):
        (tmp_path / name).write_text("--collect-only")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\0")
    (tmp_path / "latin.py").write_bytes("# wörd\n".encode("latin-1"))
    return tmp_path


def bench(tree: Path, **suite: Any) -> Bench:
    return Bench(EXECUTOR, Program(tree, {}), Suite(**suite), lambda: 60.0)


def ran(monkeypatch: pytest.MonkeyPatch, *results: TestRun) -> list[Suite]:
    """Runs of suites are these, the last one again and again; gives what was run."""
    suites: list[Suite] = []

    def run(executor: object, program: Program, suite: Suite, *, seconds: float) -> TestRun:
        suites.append(suite)
        return results[min(len(suites), len(results)) - 1]

    monkeypatch.setattr(module, "run_suite", run)
    return suites


GOOD = TestRun((TestResult("tests/test_adder.py::test_add", TestStatus.PASSED),), 0.1)


def test_an_edit_is_shown_and_stays_in_memory(tree: Path) -> None:
    work = bench(tree)
    seen = work.act(EditLines("src/adder.py", 2, 2, "    return a + b"))
    assert (seen.output, seen.failed) == ("1 def add(a, b):\n2     return a + b", False)
    assert work.files == {"src/adder.py": "def add(a, b):\n    return a + b\n"}
    assert work.act(Cat("src/adder.py", 2, 2)).output == "2     return a + b"
    assert work.act(CodeSearch("a + b")).output == "src/adder.py:2:    return a + b"
    assert (tree / "src" / "adder.py").read_text() == ADD


def test_an_edit_that_does_not_parse_says_so(tree: Path) -> None:
    seen = bench(tree).act(EditLines("src/adder.py", 2, 2, "    return a +"))
    assert "This does not parse: there is a syntax error in line 2." in seen.output
    assert not seen.failed
    assert "parse" not in bench(tree).act(EditLines("notes.txt", 1, 0, "return a +")).output


def test_a_new_file_is_made(tree: Path) -> None:
    work = bench(tree)
    assert work.act(EditLines("src/more/new.py", 1, 0, "x = 1\ny = 2")).output == "1 x = 1\n2 y = 2"
    assert work.act(EditLines("src/more/new.py", 1, 0, "z = 0")).output == "1 z = 0\n2 x = 1\n3 y = 2"
    assert not (tree / "src" / "more").exists()


@cases
def test_what_is_refused_changes_nothing(command: Command, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suites = ran(monkeypatch, GOOD)
    work = bench(tree)
    seen = work.act(command)
    assert seen.failed
    assert seen.output.startswith("Refused: ")
    assert work.files == {}
    assert not suites


def test_a_file_of_the_suite_is_no_business_of_the_fix(tree: Path) -> None:
    work = bench(tree, files={"checks/run.py": b"x"})
    assert work.act(EditLines("checks/run.py", 1, 0, "y")).failed


def test_only_so_many_files_are_edited(tree: Path) -> None:
    work = bench(tree)
    for number in range(MAX_FILES):
        assert not work.act(EditLines(f"src/{number}.py", 1, 0, "x = 1")).failed
    assert work.act(EditLines("src/more.py", 1, 0, "x = 1")).failed
    assert not work.act(EditLines("src/0.py", 1, 1, "x = 2")).failed


def test_only_so_much_is_edited(tree: Path) -> None:
    for number in range(3):
        (tree / f"{number}.txt").write_text("word word\n" * 40_000)
    work = bench(tree)
    seen = [work.act(EditLines(f"{number}.txt", 1, 1, "x")).failed for number in range(3)]
    assert seen == [False, False, True]
    assert list(work.files) == ["0.txt", "1.txt"]


def test_an_output_is_bounded_and_shows_what_hides(tree: Path) -> None:
    work = bench(tree)
    seen = work.act(EditLines("src/big.py", 1, 0, "x = '\u202e'\n" * (MAX_TEXT // 8)))
    assert len(seen.output) < OUTPUT + 100
    assert "\\u{202e}" in seen.output
    assert "more was left out" in seen.output
    shown = work.act(Cat("src/big.py"))
    assert shown.output.count("\n") == 200
    assert "at most 200 lines" in shown.output


def test_failing_tests_are_told_with_their_messages_bounded(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = tuple(TestResult(f"test_a.py::t{n}", TestStatus.FAILED, "E" * 2000 + f"end{n}") for n in range(50))
    ran(monkeypatch, TestRun((*GOOD.results, *failing), 0.1, "The tests ended early."))
    lines = bench(tree).act(RunTests()).output.split("\n")
    assert lines[0] == "50 failed, 1 did not fail."
    assert lines[1] == "The run does not count: The tests ended early."
    assert lines[2] == "FAILED test_a.py::t0"
    assert lines[3].endswith("Eend0")
    assert sum(line.startswith("FAILED") for line in lines) == NAMES
    assert sum(line.startswith("    E") for line in lines) == MESSAGES
    assert lines[-1] == "... and 20 more"


def test_named_tests_run_alone_and_say_nothing_of_the_whole(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suites = ran(monkeypatch, GOOD)
    work = bench(tree, select=("tests/test_adder.py",))
    work.act(RunTests(("tests/test_adder.py::test_add",)))
    assert not work.is_tried
    work.act(RunTests())
    assert work.is_tried
    work.whole()
    assert [suite.select for suite in suites] == [("tests/test_adder.py::test_add",), ("tests/test_adder.py",)]
    work.act(EditLines("src/adder.py", 2, 2, "    return a + b"))
    assert not work.is_tried


def test_a_command_of_its_own_takes_no_names(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suites = ran(monkeypatch, GOOD)
    work = bench(tree, command=("make", "check"))
    assert work.act(RunTests(("tests/test_adder.py",))).failed
    assert not work.act(RunTests()).failed
    assert len(suites) == 1


def test_finish_does_nothing(tree: Path) -> None:
    assert bench(tree).act(Finish("success")).output == ""
