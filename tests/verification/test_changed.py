"""Which lines another version of a program changed."""

from pathlib import Path

import pytest

from bot.verification.programs import changed_lines
from bot.verification.values import Program

BEFORE = "def f(a):\n    b = a\n    c = b\n    return c\n"

CHANGED = {
    "one line": (BEFORE, BEFORE.replace("b = a", "b = 2"), {2}),
    "two lines apart": (BEFORE, BEFORE.replace("b = a", "b = 2").replace("return c", "return 1"), {2, 4}),
    "a line dropped": (BEFORE, BEFORE.replace("    c = b\n", ""), {3}),
    "a line added": (BEFORE, BEFORE.replace("    c = b\n", "    c = b\n    c += 1\n"), {3, 4}),
    "added at the start": (BEFORE, "import os\n" + BEFORE, {1}),
    "added at the end": (BEFORE, BEFORE + "x = 1\n", {4, 5}),
    "only white space at line ends": (BEFORE, BEFORE.replace("\n", "  \r\n"), set()),
    "everything": ("a = 1\nb = 2", "c = 3\n", {1, 2}),
}


def program(source: str) -> Program:
    return Program(None, {"solution.py": source.encode()})


@pytest.mark.parametrize("before,after,lines", CHANGED.values(), ids=CHANGED)
def test_lines_that_the_other_version_changed(before: str, after: str, lines: set[int]) -> None:
    assert changed_lines(program(before), program(after)).get("solution.py", frozenset()) == lines


def test_only_python_files_of_this_version(tmp_path: Path) -> None:
    (tmp_path / "kept.py").write_text("a = 1\n")
    (tmp_path / "gone.py").write_text("b = 1\n")
    (tmp_path / "notes.txt").write_text("c\n")
    fix = Program(tmp_path, {"gone.py": None, "new.py": b"d = 1\n", "notes.txt": b"e\n", "kept.py": b"a = 2\n"})
    assert changed_lines(Program(tmp_path, {}), fix) == {"kept.py": {1}, "gone.py": {1}}


def test_a_giant_change_is_bounded() -> None:
    before = "".join(f"a{n} = 1\n" for n in range(60_000))
    after = before.replace("= 1", "= 2")
    assert len(changed_lines(program(before), program(after))["solution.py"]) == 60_000


def test_bytes_that_are_no_text_have_lines_too() -> None:
    assert changed_lines(Program(None, {"a.py": b"\xff\n"}), Program(None, {"a.py": b"\xfe\n\n"})).keys() <= {"a.py"}
