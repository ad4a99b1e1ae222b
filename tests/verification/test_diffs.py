"""Diffs fit exactly or are refused; against what git and difflib write."""

import difflib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.verification.diffs import LARGEST, DiffError, apply

OLD = b"def double(n):\n    return n + n\n"
NEW = b"def double(n):\n    return 2 * n\n"
DIFF = b"""--- a/pkg/double.py
+++ b/pkg/double.py
@@ -1,2 +1,2 @@
 def double(n):
-    return n + n
+    return 2 * n
"""


def reading(**files: bytes):  # type: ignore[no-untyped-def]
    named = {name.replace("__", "/") + ".py": content for name, content in files.items()}
    return named.get


def test_a_plain_diff() -> None:
    assert apply(DIFF, reading(pkg__double=OLD)) == {"pkg/double.py": NEW}


@pytest.mark.parametrize(
    "diff",
    [
        DIFF.replace(b"a/pkg", b"pkg").replace(b"b/pkg", b"pkg"),
        DIFF.replace(b"a/pkg", b"i/pkg").replace(b"b/pkg", b"w/pkg"),
        DIFF.replace(b"\n", b"\r\n"),
        DIFF.replace(b"double.py", b"double.py\t2026-01-01 10:00:00"),
        b"From 123\nSubject: doubling\n\n---\n pkg/double.py | 2 +-\n\n" + DIFF + b"-- \n2.39.5\n\n",
        DIFF + b"\n",
        DIFF.replace(b"--- a/pkg/double.py", b"--- pkg/double.py.orig").replace(b"b/pkg", b"pkg"),
    ],
    ids=["no prefix", "mnemonic", "windows", "times", "mail", "empty line behind", "diff -u"],
)
def test_spellings(diff: bytes) -> None:
    assert apply(diff, reading(pkg__double=OLD)) == {"pkg/double.py": NEW}


def test_one_file_goes_by_any_name() -> None:
    assert apply(DIFF, {"solution.py": OLD}.get, only_file="solution.py") == {"solution.py": NEW}
    with pytest.raises(DiffError, match="several files"):
        apply(DIFF + DIFF.replace(b"double.py", b"other.py"), {"solution.py": OLD}.get, only_file="solution.py")


def test_windows_files_keep_their_line_ends() -> None:
    old, new = OLD.replace(b"\n", b"\r\n"), NEW.replace(b"\n", b"\r\n")
    head, body = DIFF.split(b"@@ -1,2 +1,2 @@\n")
    diff = head + b"@@ -1,2 +1,2 @@\n" + body.replace(b"\n", b"\r\n")
    assert apply(diff, reading(pkg__double=old)) == {"pkg/double.py": new}


HOSTILE = {
    "a path upwards": DIFF.replace(b"pkg/", b"../"),
    "an absolute path": DIFF.replace(b"a/pkg", b"/etc").replace(b"b/pkg", b"/etc"),
    "git's own directory": DIFF.replace(b"pkg/double.py", b".git/hooks"),
    "a quoted path upwards": DIFF.replace(b"a/pkg/double.py", b'"a/\\056\\056/x"').replace(
        b"b/pkg/double.py", b'"b/\\056\\056/x"'
    ),
    "a bad quote": DIFF.replace(b"a/pkg/double.py", b'"a/\\xZZ"').replace(b"b/pkg/double.py", b'"b/\\xZZ"'),
    "a null byte": DIFF.replace(b"double.py", b"dou\0ble.py"),
    "a link": b"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n",
    "a submodule": b"diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject x\n",
    "a file made a link": b"diff --git a/pkg/double.py b/pkg/double.py\nold mode 100644\nnew mode 120000\n",
    "binary": b"diff --git a/x.png b/x.png\nnew file mode 100644\nBinary files /dev/null and b/x.png differ\n",
    "a binary patch": b"diff --git a/x b/x\nnew file mode 100644\nGIT binary patch\nliteral 0\nH\n",
    "no such file": DIFF.replace(b"double", b"triple"),
    "another content": DIFF.replace(b"n + n", b"n * 2"),
    "another place": DIFF.replace(b"@@ -1,2 +1,2 @@", b"@@ -2,2 +2,2 @@"),
    "far behind the end": DIFF.replace(b"@@ -1,2 +1,2 @@\n def double(n):\n-    return n + n\n", b"@@ -99,0 +100 @@\n"),
    "cut short": DIFF[:-20],
    "too many lines": DIFF.replace(b"-1,2 +1,2", b"-1,1 +1,1"),
    "huge numbers": DIFF.replace(b"-1,2 +1,2", b"-1,99999999999 +1,99999999999"),
    "a new file that exists": DIFF.replace(b"--- a/pkg/double.py", b"--- /dev/null").replace(
        b"@@ -1,2 +1,2 @@\n def double(n):\n-    return n + n\n", b"@@ -0,0 +1 @@\n"
    ),
    "deleting in part": b"--- a/pkg/double.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-def double(n):\n",
    "twice": DIFF + DIFF,
    "no diff": b"please fix it\n",
    "nothing": b"",
    "too large": b"x" * (LARGEST + 1),
    "only noise": bytes(range(256)),
}


@pytest.mark.parametrize("diff", HOSTILE.values(), ids=HOSTILE)
def test_what_is_hostile_or_does_not_fit_is_refused_with_the_mend(diff: bytes) -> None:
    with pytest.raises(DiffError, match=r"^[^\n]+\. [A-Z][^\n]+\.$"):
        apply(diff, reading(pkg__double=OLD))


def test_as_git_writes_them(tmp_path: Path) -> None:
    def git(*arguments: str) -> bytes:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        return subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True).stdout

    def files() -> dict[str, bytes]:
        return {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()}

    git("init", "-q")
    for name in ("stays.py", "goes.py", "moves.py", "grüße.py", "with space.py", "ends.py"):
        (tmp_path / name).write_bytes(b"# " + name.encode() + b"\n" + OLD * 3)
    (tmp_path / "empty.py").write_bytes(b"")
    git("add", ".")
    git("commit", "-qm", "base")
    before = files()
    (tmp_path / "stays.py").write_bytes(NEW + OLD)
    (tmp_path / "stays.py").chmod(0o755)
    (tmp_path / "goes.py").unlink()
    (tmp_path / "moves.py").rename(tmp_path / "moved.py")
    (tmp_path / "moved.py").write_bytes(b"# moves.py\n" + OLD * 2 + NEW)
    (tmp_path / "grüße.py").write_bytes(NEW)
    (tmp_path / "with space.py").write_bytes(NEW)
    (tmp_path / "ends.py").write_bytes(b"# ends.py\n" + OLD * 2 + OLD.rstrip())
    (tmp_path / "empty.py").unlink()
    (tmp_path / "new.py").write_bytes(b"")
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\x0c\x0b\x85 here\r\n\rx = 1")
    git("add", "-A")
    for options in ([], ["--no-renames"], ["-U0"], ["--full-index"]):
        changed = apply(git("diff", "--cached", *options), before.get)
        after = {name: content for name, content in (before | changed).items() if content is not None}
        assert after == files(), options


LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "\n", "\r\n", "-- x\n", "+++ y\n", "é\x0c\n", "@@ -1 +1 @@\n"]), max_size=12
)


@settings(deadline=None)
@given(LINES, LINES, st.booleans(), st.integers(0, 3))
def test_what_difflib_writes_comes_out_again(old: list[str], new: list[str], bare: bool, context: int) -> None:
    if bare and new:
        new = [*new[:-1], "last"]
    lines = difflib.unified_diff(old, new, "a/x", "b/x", n=context)
    diff = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    if old != new:
        assert apply(diff.encode(), {"x": "".join(old).encode()}.get) == {"x": "".join(new).encode()}


@settings(deadline=None)
@given(st.binary(max_size=400), st.sampled_from([b"", DIFF, DIFF[:60]]), st.integers(0, 150))
def test_noise_is_refused_and_never_breaks(noise: bytes, diff: bytes, place: int) -> None:
    try:
        apply(diff[:place] + noise + diff[place:], reading(pkg__double=OLD))
    except DiffError as error:
        assert "\n" not in str(error)
