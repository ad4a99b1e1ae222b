"""What can be read of a program, and what cannot: whatever the path, nothing outside the tree."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.judges.agent.code_tools import UnreadableCode
from bot.verification.repair import bench as module
from bot.verification.repair.bench import Source
from bot.verification.values import Program
from tests.support.cases import cases
from tests.support.properties import patient

SECRET = "the secret of the host"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text(SECRET)
    tree = tmp_path_factory.mktemp("tree")
    (tree / "src").mkdir()
    (tree / "src" / "a.py").write_text("def add(a, b):\n    return a - b\n")
    (tree / "src" / "long.txt").write_text("word " * 1000)
    (tree / "empty.txt").write_text("")
    (tree / "logo.png").write_bytes(b"\x89PNG\0word")
    (tree / "latin.txt").write_bytes("wörd".encode("latin-1"))
    (tree / "big.txt").write_bytes(b"word\n" * 250_000)
    (tree / ".git").mkdir()
    (tree / ".git" / "config").write_text("word: a token")
    (tree / "out").symlink_to(outside)
    (tree / "link.txt").symlink_to(outside / "secret.txt")
    (tree / "inner.py").symlink_to(tree / "src" / "a.py")
    (tree / "loop").symlink_to(tree)
    os.mkfifo(tree / "pipe")
    (tree / os.fsdecode(b"b\xffd.txt")).write_text("a word here\n")
    return tree


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "/etc/passwd",
        "..",
        "../outside0/secret.txt",
        "src/../../outside0/secret.txt",
        "src/./a.py",
        "src//a.py",
        "a\0b",
        "a" * 400,
        "é" * 200,
        "/".join("a" * 250),
        "src",
        "nowhere.py",
        "src/a.py/b.py",
        "out/secret.txt",
        "link.txt",
        "inner.py",
        "loop/src/a.py",
        "pipe",
        "logo.png",
        "latin.txt",
        "big.txt",
        ".git/config",
        "\\..\\secret",
        "-rf",
        "$(id)",
    ],
)
def test_nothing_else_is_read(tree: Path, path: str) -> None:
    source = Source(Program(tree, {}))
    with pytest.raises(UnreadableCode) as problem:
        source.read(path, 1, 10)
    assert not path or path not in str(problem.value)  # its words stay out of Bouncer's


def test_lines_are_read_with_their_numbers(tree: Path) -> None:
    source = Source(Program(tree, {}))
    assert source.read("src/a.py", 1, 200) == ("1 def add(a, b):", "2     return a - b")
    assert source.read("src/a.py", 2, 2) == ("2     return a - b",)
    assert source.read("empty.txt", 1, 200) == ("The file is empty.",)
    (long,) = source.read("src/long.txt", 1, 1)
    assert len(long) < 500
    assert "the line goes on" in long
    with pytest.raises(UnreadableCode, match="has 2 lines"):
        source.read("src/a.py", 3, 4)


def test_what_was_changed_is_read_instead(tree: Path) -> None:
    source = Source(Program(tree, {"src/a.py": b"x = 1\n", "new.py": b"y = 2\n", "empty.txt": None}))
    assert source.read("src/a.py", 1, 9) == ("1 x = 1",)
    assert source.search("= 2", "") == ("new.py:1:y = 2",)
    assert source.search("add", "") == ()
    with pytest.raises(UnreadableCode):
        source.text("empty.txt")


def test_a_search_finds_the_very_text_and_follows_nothing(tree: Path) -> None:
    source = Source(Program(tree, {}))
    assert source.search("(a, b)", "") == ("src/a.py:1:def add(a, b):",)
    assert source.search("ret.rn", "") == ()
    assert source.search(SECRET, "") == ()
    assert source.search("a token", "") == ()
    found = source.search("word", "")
    assert [hit.split(":")[0] for hit in found] == [os.fsdecode(b"b\xffd.txt"), "src/long.txt"]
    assert source.search("word", "src")[0].startswith("src/long.txt:1:")
    assert source.search("word", "sr") == ()
    for text in ("", "a", "a\nb", "a\0b"):
        with pytest.raises(UnreadableCode):
            source.search(text, "")
    with pytest.raises(UnreadableCode):
        source.search("word", "../outside0")


def test_a_search_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, bytes | None] = {f"{number:02}.txt": b"needle\n" * 30 for number in range(20)}
    found = Source(Program(None, files)).search("needle", "")
    assert len(found) == module.MAX_HITS + 1
    assert "not everything was searched" in found[-1]
    assert sum(hit.startswith("00.txt") for hit in found) == module.HITS_IN_FILE
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    found = Source(Program(None, files)).search("needle", "")
    assert [hit.split(":")[0] for hit in found[:-1]] == ["00.txt"] * module.HITS_IN_FILE


@cases
def test_where_a_file_may_be_made(tree: Path, path: str, free: bool) -> None:
    assert Source(Program(tree, {"made.py": b""})).is_free(path) is free


@patient
@given(st.text(st.sampled_from("abc/.\\\0\n~ -é"), max_size=30), st.integers(1, 50), st.integers(0, 50))
def test_no_path_leads_out(tree: Path, path: str, first: int, last: int) -> None:
    source = Source(Program(tree, {}))
    with suppress(UnreadableCode):
        assert not any(SECRET in line for line in source.read(path, first, last))
    with suppress(UnreadableCode):
        assert not any(SECRET in line for line in source.search("secret", path))
