"""Programs from files, directories and diffs: what is read and remembered, within bounds, and which lines changed."""

import ast
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.child_process import SMALL
from bot.verification import syntax
from bot.verification.programs import (
    ProgramError,
    broken_at,
    changed_files,
    changed_lines,
    content,
    is_alike,
    read_program,
    why_no_fix,
)
from bot.verification.syntax import ENTRY, text_cache
from bot.verification.values import Program

SOURCE = b"def double(n):\n    return n + n\n"
DIFF = b"--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n def double(n):\n-    return n + n\n+    return 2 * n\n"


def one(text: str) -> Program:
    return Program(None, {"solution.py": text.encode()})


def test_a_file_a_directory_and_diffs_on_both(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(SOURCE)
    (tmp_path / "change").write_bytes(DIFF)
    file = read_program(tmp_path / "m.py")
    assert file == Program(None, {"solution.py": SOURCE})
    tree = read_program(tmp_path)
    assert tree == Program(tmp_path, {})
    assert content(read_program(tmp_path / "change", file), "solution.py") == SOURCE.replace(b"n + n", b"2 * n")
    patched = read_program(tmp_path / "change", tree)
    assert content(patched, "m.py") == SOURCE.replace(b"n + n", b"2 * n")
    assert list(changed_files(tree, patched)) == ["m.py"]
    assert (tmp_path / "m.py").read_bytes() == SOURCE


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("a.py", b"\xff\xfe", "not UTF-8"),
        ("a.py", b" \n", "is empty"),
        ("a.diff", DIFF, "--repo DIR"),
        ("a.py", b"#" * (8 * 2**20 + 1), "larger than 8 MiB"),
    ],
)
def test_bad_input_is_said_plainly(tmp_path: Path, name: str, raw: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(ProgramError, match=said):
        read_program(tmp_path / name)


def test_what_cannot_be_read_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    for path in (tmp_path / "pipe.py", tmp_path / "nowhere.py", Path("/dev/zero")):
        with pytest.raises(ProgramError, match=r"\. Name a"):
            read_program(path)


def test_a_link_is_never_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "secret.py").write_bytes(SOURCE)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "file.py").symlink_to(tmp_path / "real" / "secret.py")
    (tree / "dir").symlink_to(tmp_path / "real")
    program = Program(tree, {})
    assert content(program, "file.py") is None
    assert content(program, "dir/secret.py") is None
    (tree / "c.diff").write_bytes(DIFF.replace(b"m.py", b"dir/secret.py"))
    with pytest.raises(ProgramError, match="no file"):
        read_program(tree / "c.diff", program)


def test_directories_are_compared_file_by_file(tmp_path: Path) -> None:
    for name in ("p", "f"):
        (tmp_path / name / "__pycache__").mkdir(parents=True)
        (tmp_path / name / "__pycache__" / "x.pyc").write_bytes(name.encode())
        (tmp_path / name / "same.py").write_bytes(SOURCE)
        (tmp_path / name / "other.py").write_bytes(name.encode())
    (tmp_path / "f" / "new.py").write_bytes(b"")
    changed = changed_files(Program(tmp_path / "p", {}), Program(tmp_path / "f", {}))
    assert changed == {"new.py": (None, b""), "other.py": (b"p", b"f")}


@pytest.mark.parametrize(
    ("fix", "said"),
    [
        (None, "without a fix"),
        ("x = (\n", "does not parse: there is a syntax error in line 1"),
        ("x = '\0'\n", "does not parse"),
        ("x = " + "(" * 5000, "does not parse"),
        ("x = 2\n", ""),
    ],
)
def test_no_fix(fix: str | None, said: str) -> None:
    found = why_no_fix(one("x = 1\n"), None if fix is None else one(fix))
    assert (said in found) if said else not found


def test_a_fix_of_a_program_that_does_not_parse() -> None:
    assert why_no_fix(one("x = ("), one("x = 1")) == ""


ORIGINAL = "def f():\n    'a text'\n    return 1\n"


@pytest.mark.parametrize(
    ("fix", "alike"),
    [
        (ORIGINAL, True),
        (ORIGINAL.replace("\n", "\r\n") + "\n", True),
        (ORIGINAL + "\n# At the end of the file.\n", True),
        (ORIGINAL.replace("    return", "    # Inside.\n    return (").replace("1\n", "1)\n"), True),
        (ORIGINAL.replace("'", '"'), True),
        (ORIGINAL.replace("text", "docstring, which a program can read"), False),
        (ORIGINAL.replace("1\n", "2\n"), False),
        ("x = (", False),
    ],
)
def test_a_fix_that_changes_comments_and_layout_alone(fix: str, alike: bool) -> None:
    assert is_alike(one(ORIGINAL), one(fix)) is alike


def test_what_is_no_python_is_alike_only_to_the_letter() -> None:
    """A shell minds its line ends, and what reads a file may mind how it ends."""
    texts = (b"f() // a\n", b"f() // b\n", b"f() // a\n\n", b"f() // a\r\n")
    first, *others = (Program(None, {"a.js": text}) for text in texts)
    assert not any(is_alike(first, other) for other in others)
    assert is_alike(first, Program(None, dict(first.files)))
    assert not is_alike(one("x = ("), one("x = (\n")), "also where it does not parse"


def test_a_byte_order_mark_parses() -> None:
    assert broken_at(b"\xef\xbb\xbfx = 1\n") is None


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


def counting(most: int) -> tuple[Callable[[bytes], int], list[bytes]]:
    """The length of a text, and which texts it was found out for."""
    found: list[bytes] = []

    @text_cache(most)
    def length(source: bytes) -> int:
        found.append(source)
        return len(source)

    return length, found


def test_what_was_asked_last_is_remembered_up_to_so_many_bytes() -> None:
    length, found = counting(2 * (ENTRY + 4))
    first, second, third = b"four", b"1234", b"and4"
    assert [length(first), length(second), length(first)] == [4, 4, 4]
    assert found == [first, second]
    assert length(third) == 4  # in place of the second, which was not asked for longest
    assert [length(first), length(second)] == [4, 4]
    assert found == [first, second, third, second]


def test_what_is_larger_than_all_of_it_is_answered_and_not_kept() -> None:
    length, found = counting(ENTRY)
    assert [length(b"large"), length(b"large")] == [5, 5]
    assert found == [b"large", b"large"]


LONG = "".join(f"value_{number} = {number}\n" for number in range(2_000))
HOSTILE = {
    "more than the seconds of a child": "(a,)\n" * 1_600_000,
    "more than there is stack for": "-" * 500_000 + "1",
}


def test_a_long_file_is_read_as_a_short_one() -> None:
    assert len(LONG) > SMALL
    assert ast.dump(syntax.parse(LONG)) == ast.dump(ast.parse(LONG))


def test_what_is_wrong_with_a_long_file_is_said_as_python_says_it() -> None:
    with pytest.raises(SyntaxError, match="was never closed"):
        syntax.parse(LONG + "(")


@pytest.mark.parametrize(
    "encoding", ["unicode_escape", "utf-16", "utf-7", "rot13", "hex", "undefined", "punycode", "x"]
)
def test_an_encoding_that_makes_other_lines_of_a_file_is_not_read(encoding: str) -> None:
    code = f"# coding: {encoding}\ndef half(n):\n    # whole\\n    n = n + 0\\n\\n\n    return n +AC8AIA- 2\n"
    with pytest.raises(SyntaxError):
        syntax.parse(code.encode())
    assert syntax.functions_of("half.py", code.encode()) == ()


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252", "ascii", "shift_jis"])
def test_an_encoding_in_which_plain_characters_are_themselves_is_read(encoding: str) -> None:
    source = f"# coding: {encoding}\ndef half(n):\n    return n / 2  # {'é' if encoding == 'latin-1' else ''}\n"
    assert [each.last for each in syntax.functions_of("half.py", source.encode(encoding))] == [3]


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_what_takes_too_long_is_refused_and_not_tried_twice(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SyntaxError, match="took too long"):
        syntax.parse(source)
    monkeypatch.setattr(syntax, "run_in_child", None)
    with pytest.raises(SyntaxError, match="took too long"):
        syntax.parse(source)
