"""Diffs as git, GitHub and models write them are understood; whatever else comes in, nothing is raised."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.read import LARGEST, MOST_FILES, MOST_LINES, read_change
from bot.changes.values import Change, FileKind, FileStatus
from tests.support.cases import cases
from tests.support.properties import patient

DIFF = """diff --git a/pkg/double.py b/pkg/double.py
index 1111111..2222222 100644
--- a/pkg/double.py
+++ b/pkg/double.py
@@ -1,2 +1,2 @@ import math
 def double(n):
-    return n + n
+    return 2 * n
"""


def test_a_plain_diff() -> None:
    (file,) = read_change(DIFF).files
    assert (file.path, file.kind, file.status) == ("pkg/double.py", FileKind.CODE, FileStatus.MODIFIED)
    (hunk,) = file.hunks
    assert (hunk.old_start, hunk.new_start) == (1, 1)
    assert hunk.before == "def double(n):\n    return n + n"
    assert hunk.after == "def double(n):\n    return 2 * n"


SPELLINGS = {
    "windows": DIFF.replace("\n", "\r\n"),
    "plain": DIFF.partition("\n")[2],
    "no prefix": DIFF.partition("\n")[2].replace("a/pkg", "pkg").replace("b/pkg", "pkg"),
    "mnemonic": DIFF.replace("a/pkg", "i/pkg").replace("b/pkg", "w/pkg"),
    "git no prefix": DIFF.replace("a/pkg", "pkg").replace("b/pkg", "pkg"),
    "time": DIFF.replace("--- a/pkg/double.py", "--- a/pkg/double.py\t2026-01-01"),
    "mail": "From 123\nSubject: doubling\n\n---\n pkg/double.py | 2 +-\n\n" + DIFF + "-- \n2.39.5\n\n",
    "mark": "\ufeff" + DIFF + "\n\n",
    "no newline": DIFF + "\\ No newline at end of file\n",
    "bytes": DIFF.encode(),
    "cut": DIFF.rstrip("\n"),
    "stripped": (DIFF.replace("1,2 +1,2", "1,3 +1,3") + " \n").strip() + "\n",
}


@pytest.mark.parametrize("diff", SPELLINGS.values(), ids=SPELLINGS)
def test_spellings(diff: str | bytes) -> None:
    change = read_change(diff)
    assert not change.problem
    assert [(file.path, file.added, file.removed) for file in change.files] == [("pkg/double.py", 1, 1)]


@cases
def test_what_happened_to_a_file(header: str, path: str, old_path: str | None, status: FileStatus) -> None:
    change = read_change(f"diff --git {header}\n{DIFF}")
    assert not change.problem
    file, behind = change.files
    assert (file.path, file.old_path, file.status) == (path, old_path, status)
    assert behind.added == 1


@cases
def test_what_happened_without_git(diff: str, status: FileStatus) -> None:
    (file,) = read_change(diff).files
    assert (file.path, file.status) == ("x.py", status)


@cases
def test_binary_files(lines: str) -> None:
    image, code = read_change(f"diff --git a/logo.png b/logo.png\n{lines}\n{DIFF}").files
    assert image.path == "logo.png" and image.binary and not image.hunks
    assert code.path == "pkg/double.py" and not code.binary


def test_binary_files_without_git() -> None:
    (file,) = read_change("Binary files a/logo.png and b/logo.png differ\n").files
    assert file.path == "logo.png" and file.binary


def test_links_and_submodules() -> None:
    link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n"
    link += "\\ No newline at end of file\n"
    module = "diff --git a/m b/m\nindex 1111111..2222222 160000\n--- a/m\n+++ b/m\n@@ -1 +1 @@\n"
    module += f"-Subproject commit {'1' * 40}\n+Subproject commit {'2' * 40}\n"
    first, second = read_change(link + module).files
    assert (first.path, first.link, first.submodule) == ("l", True, False)
    assert (second.path, second.link, second.submodule) == ("m", False, True)


def test_lines_that_look_like_headers_stay_lines() -> None:
    diff = "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n-diff\n+@@ -1 +1 @@\n"
    (file,) = read_change(diff).files
    assert file.hunks[0].removed == ("-- old", "diff") and file.hunks[0].added == ("++ new", "@@ -1 +1 @@")


def test_no_change_is_no_problem() -> None:
    assert read_change("") == read_change(b" \n") == Change(())


@pytest.mark.parametrize(
    ("diff", "says", "read"),
    [
        ("Looks good to me", "no change", 0),
        ("@@ -1 +1 @@\n-1\n+2\n", "belong to no file", 0),
        (DIFF + DIFF.rpartition("-")[0], "cut off", 2),
        (DIFF + "+more\n" + DIFF, "more lines than it says", 1),
        (DIFF + "@@ -1,2\n" + DIFF, "where its change belongs", 1),
        (DIFF + "@@ -1,9999999999999 +1 @@\n", "where its change belongs", 1),
        (DIFF + "diff --cc x.py\n@@@ -1,1 -1,1 +1,1 @@@\n", "merge", 1),
        (DIFF + "--- a/x.py\n+++ b/x.py\n@@@ -1,1 -1,1 +1,1 @@@\n", "merge", 2),
        (DIFF * (MOST_FILES + 1), "more than 3,000 files", MOST_FILES),
        (DIFF + f"--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+{'x' * LARGEST}\n", "larger than 8 MiB", 2),
        (DIFF + f"--- a/x\n+++ b/x\n@@ -0,0 +1,{MOST_LINES} @@\n" + "+\n" * MOST_LINES, "more than 200,000 lines", 2),
    ],
    ids=["prose", "no file", "cut", "more", "header", "number", "merge", "merge alone", "files", "large", "lines"],
)
def test_what_cannot_be_read_is_said(diff: str, says: str, read: int) -> None:
    change = read_change(diff)
    assert says in change.problem
    assert len(change.files) == read


def test_three_thousand_files_are_read() -> None:
    change = read_change(DIFF * MOST_FILES)
    assert len(change.files) == MOST_FILES and not change.problem


def test_bytes_that_are_not_utf_8_stay_apart() -> None:
    (file,) = read_change(DIFF.encode().replace(b"n + n", b"'\xe9'").replace(b"2 * n", b"'\xe8'")).files
    assert file.hunks[0].removed == ("    return '\\xe9'",) and file.hunks[0].added == ("    return '\\xe8'",)


def test_text_holds_no_half_characters() -> None:
    (file,) = read_change(DIFF.replace("n + n", "'\ud800'")).files
    assert file.hunks[0].removed[0].encode()


def test_hunks_keep_where_they_stand() -> None:
    diff = "--- a/x.py\n+++ b/x.py\n@@ -3 +4,2 @@\n-a\n+b\n+\n@@ -9,0 +11 @@\n+c\n\\ No newline at end of file\n"
    (file,) = read_change(diff).files
    assert [(hunk.old_start, hunk.new_start, hunk.lines) for hunk in file.hunks] == [
        (3, 4, ("-a", "+b", "+")),
        (9, 11, ("+c",)),
    ]


@patient
@given(st.one_of(st.text(), st.binary()))
def test_anything_is_read(diff: str | bytes) -> None:
    read_change(diff)


_LINES = st.sampled_from(
    [
        *(
            "diff --git a/x b/x",
            'diff --git "a/x',
            "--- a/x",
            "+++ b/x",
            "--- /dev/null",
            "@@ -1 +1 @@",
            "@@ -1,2 +1 @@",
        ),
        *("+a", "-a", " a", "", "\\ No newline at end of file", "rename from x", "rename to y", "old mode 100644"),
        *(
            "Binary files a and b differ",
            "GIT binary patch",
            "index 1..2 160000",
            "-- ",
            "diff --cc x",
            "@@ ",
            "\r",
            '--- "\\',
        ),
    ]
)


@patient
@given(st.lists(_LINES).map("\n".join))
def test_any_order_of_lines_is_read(diff: str) -> None:
    for file in read_change(diff).files:
        assert all(line[:1] in (" ", "+", "-") for hunk in file.hunks for line in hunk.lines)


def _git(folder: Path, *words: str) -> bytes:
    return subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True).stdout


def test_what_git_itself_writes(tmp_path: Path) -> None:
    names = ["plain.py", "a b.py", "ä.py", 'quo"te.py', "tab\t.py", "b/a/b.py", "back\\slash.py"]
    _git(tmp_path, "init", "-q")
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"one\r\ntwo\n\nfour")
    (tmp_path / "gone.py").write_text("x\n")
    (tmp_path / "old.py").write_text("1\n2\n3\n4\n5\n")
    _git(tmp_path, "add", ".")
    before = _git(tmp_path, "write-tree").decode().strip()
    for name in names:
        (tmp_path / name).write_bytes(b"one\r\n2\n\nfour\n")
    (tmp_path / "gone.py").unlink()
    (tmp_path / "old.py").rename(tmp_path / "moved here.py")
    (tmp_path / "plain.py").chmod(0o755)
    (tmp_path / "empty.py").touch()
    (tmp_path / "link.py").symlink_to("plain.py")
    (tmp_path / "logo.png").write_bytes(b"\0\1\2")
    _git(tmp_path, "add", ".")
    for options in ([], ["--binary"], ["--no-prefix"], ["-U0"]):
        change = read_change(_git(tmp_path, "diff", "--cached", "-M", *options, before))
        found = {file.path: file for file in change.files}
        assert not change.problem
        assert {*names, "gone.py", "moved here.py", "empty.py", "link.py", "logo.png"} == set(found)
        assert all((found[name].added, found[name].removed) == (2, 2) for name in names)
        assert found["moved here.py"].old_path == "old.py" and found["moved here.py"].status is FileStatus.RENAMED
        assert found["gone.py"].status is FileStatus.DELETED and found["empty.py"].status is FileStatus.ADDED
        assert found["link.py"].link and found["logo.png"].binary
