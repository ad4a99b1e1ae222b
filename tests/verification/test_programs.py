"""Programs from files, directories and diffs; what makes a fix no fix."""

import os
from pathlib import Path

import pytest

from bot.verification.programs import ProgramError, broken_at, changed_files, content, read_program, why_no_fix
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
        ("x = 1\n", "equal"),
        ("x = 1\r\n\r\n", "equal"),
        ("x = (\n", "does not parse: there is a syntax error in line 1"),
        ("x = '\0'\n", "does not parse"),
        ("x = " + "(" * 5000, "does not parse"),
        ("x = 2\n", ""),
        ("x = 1  # a remark is a change, if one that changes nothing\n", ""),
    ],
)
def test_no_fix(fix: str | None, said: str) -> None:
    found = why_no_fix(one("x = 1\n"), None if fix is None else one(fix))
    assert (said in found) if said else not found


def test_a_fix_of_a_program_that_does_not_parse() -> None:
    assert why_no_fix(one("x = ("), one("x = 1")) == ""
    assert "equal" in why_no_fix(one("x = ("), one("x = (\n"))


def test_a_byte_order_mark_parses() -> None:
    assert broken_at(b"\xef\xbb\xbfx = 1\n") is None
