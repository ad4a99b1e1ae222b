"""The commands done on a program: what they show, make of a text and refuse; nothing but the overlay changes."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.judges.agent.code_tools import UnreadableCode
from bot.judges.agent.commands import MAX_TEXT, Cat, CodeSearch, Command, EditLines, Finish, RunTests
from bot.judges.agent.loop import OUTPUT
from bot.verification.repair import bench as module
from bot.verification.repair.bench import AROUND, MAX_FILES, MESSAGES, NAMES, Bench, edited, lines_of, why_protected
from bot.verification.values import Program, Suite, TestResult, TestRun, TestStatus
from tests.support.cases import cases
from tests.support.properties import patient
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


TEN = "".join(f"line {number}\n" for number in range(1, 11))


@cases
def test_lines_take_the_place_of_lines(text: str, first: int, last: int, new: str, whole: str) -> None:
    assert edited(text, first, last, new)[0] == whole


def test_what_was_done_is_shown_with_its_surroundings() -> None:
    assert edited(TEN, 5, 6, "five\nsix\nseven")[1] == (
        "2 line 2",
        "3 line 3",
        "4 line 4",
        "5 five",
        "6 six",
        "7 seven",
        "8 line 7",
        "9 line 8",
        "10 line 9",
    )
    assert edited(TEN, 1, 10, "")[1] == ()
    assert edited(TEN, 10, 10, "")[1] == ("7 line 7", "8 line 8", "9 line 9")


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (1, 11), (12, 11), (5, 3), (12, 12), (1_000_000, 2)])
def test_lines_that_are_not_there_are_not_edited(first: int, last: int) -> None:
    with pytest.raises(UnreadableCode, match="10 lines"):
        edited(TEN, first, last, "x")


def test_what_is_no_text_is_not_put_into_one() -> None:
    with pytest.raises(UnreadableCode):
        edited(TEN, 1, 1, "a\0b")


LINES = st.text(st.characters(blacklist_characters="\0\r\n", blacklist_categories=["Cs"]), max_size=5)
TEXTS = st.lists(LINES, max_size=8).map("\n".join)


@settings(patient, max_examples=50)
@given(text=TEXTS, new=TEXTS, ends=st.booleans(), data=st.data())
@example(text="a", new="", ends=False, data=None)
def test_everything_else_stays_as_it_is(text: str, new: str, ends: bool, data: st.DataObject | None) -> None:
    text = text + "\n" if ends else text
    before, put = lines_of(text), lines_of(new)
    first = data.draw(st.integers(1, len(before) + 1)) if data else 1
    last = data.draw(st.integers(first - 1, len(before))) if data else 1
    made, lines = edited(text, first, last, new)
    after = lines_of(made)
    assert after == [*before[: first - 1], *put, *before[last:]]
    assert len(lines) <= len(put) + 2 * AROUND
    for line in lines:
        number, _, shown = line.partition(" ")
        assert after[int(number) - 1] == shown
    if last < len(before):
        assert made.endswith("\n") == text.endswith("\n")


@settings(patient, max_examples=50)
@given(text=TEXTS, data=st.data())
def test_an_edit_to_the_same_changes_nothing(text: str, data: st.DataObject) -> None:
    lines = lines_of(text + "\n")
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    same, _ = edited(text + "\n", first, last, "\n".join(lines[first - 1 : last]) + "\n")
    assert same == text + "\n"


@cases
def test_a_fix_must_not_win_by_changing_the_tests(path: str, suite: Suite, said: str) -> None:
    why = why_protected(path, suite)
    assert said in why
    assert bool(why) == bool(said)
