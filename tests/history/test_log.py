"""What git prints is read whatever the bytes are, what a message says that it fixes, and what a branch's name does."""

import io
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.history import log
from bot.history.log import COLUMN, MESSAGE, LoggedChange, changes, commits, named, read_changes, read_commits
from bot.history.names import claims, issues_in
from tests.history.house import House
from tests.support.cases import cases
from tests.support.clones import commit, git, initialise
from tests.support.properties import patient

SHA = "d" * 40  # begins like `diff`


def read(*lines: str | bytes) -> dict[str, LoggedChange]:
    raw = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
    return dict(read_changes(io.BytesIO(raw)))


def of(directory: Path, *shas: str) -> dict[str, LoggedChange | None]:
    return dict(changes(directory, shas))


def test_lines_go_where_their_files_belong() -> None:
    found = read(
        "a" * 40,
        *("diff --git a/src/a.py b/src/a.py", "index 1..2 100644", "--- a/src/a.py", "+++ b/src/a.py"),
        *("@@ -1,2 +1,2 @@ def parse(text):", "-    old()", "+    new()", "--- a/forged.py", "+++ more"),
        *(
            "diff --git a/tests/test_a.py b/tests/test_a.py",
            "new file mode 100644",
            "--- /dev/null",
            "+++ b/tests/test_a.py",
        ),
        *("@@ -0,0 +1 @@", "+def test_parse(): ..."),
        *(
            "diff --git a/CHANGES.rst b/CHANGES.rst",
            "--- a/CHANGES.rst",
            "+++ b/CHANGES.rst",
            "@@ -3 +3 @@",
            "-was",
            "+is",
        ),
        *(
            "diff --git a/poetry.lock b/poetry.lock",
            "@@ -3 +3 @@",
            "+hash",
            "diff --git a/x.png b/x.png",
            "Binary files differ",
        ),
        *("diff --git a/lib/new.py b/lib/new.py", "new file mode 100644", "@@ -0,0 +1 @@", "+x"),
        SHA,
        *("diff --git a/b.py b/b.py", "@@ -1 +1 @@", "+only"),
    )
    change = found["a" * 40]
    assert change.paths == ["src/a.py", "tests/test_a.py", "CHANGES.rst", "poetry.lock", "x.png", "lib/new.py"]
    assert change.places == ["def parse(text):"]
    assert change.code == ["old()", "new()", "-- a/forged.py", "++ more", "x"]
    assert change.tests == ["def test_parse(): ..."]
    assert (change.documentation, change.notes) == (["was", "is"], ["is"])
    assert (change.grown, change.shrunk, change.created) == (3, 2, 1)
    assert found[SHA].code == ["only"]
    assert (found[SHA].added, found[SHA].removed) == (0, 0)  # one line alone tells nothing


def test_the_same_change_and_its_reverse_are_known_by_their_lines() -> None:
    header = ("diff --git a/a.py b/a.py", "@@ -1 +1 @@")
    found = read("a" * 40, *header, "-x", "+y", "b" * 40, *header, "-y", "+x", "c" * 40, *header, "-x", "+  y")
    one, reverse, copy = (found[letter * 40] for letter in "abc")
    assert (one.added, one.removed) == (reverse.removed, reverse.added) == (copy.added, copy.removed)
    elsewhere = read("a" * 40, "diff --git a/b.py b/b.py", "@@ -1 +1 @@", "-x", "+y")["a" * 40]
    assert elsewhere.added != one.added


def test_what_is_kept_is_bounded() -> None:
    lines = ["+" + "x" * 5000, *["+" + "y" * 90] * 1000]
    change = read("a" * 40, "diff --git a/a.py b/a.py", "@@ -0,0 +1 @@", *lines)["a" * 40]
    assert sum(map(len, change.code)) <= COLUMN
    assert change.code[1] == "y" * 90  # what a long line goes on with is no line
    (record,) = read_commits(io.BytesIO(b"a" * 40 + b"\0\0" + b"1\0" + b"x" * (3 * MESSAGE) + b"\0"))
    assert len(record.message) == MESSAGE


@patient
@given(
    st.lists(
        st.sampled_from([b"a" * 40, b"diff --git a/x.py b/x.py", b"@@ -1 +1 @@ f", b"+", b"-", b"\0", b"\xff"])
        | st.binary(max_size=30),
        max_size=40,
    )
)
def test_any_bytes_are_read(lines: list[bytes]) -> None:
    raw = b"\n".join(lines)
    for sha, change in read_changes(io.BytesIO(raw)):
        assert len(sha) in (40, 64)
        assert all(isinstance(line, str) for line in (*change.paths, *change.code, *change.places))
    for found in read_commits(io.BytesIO(raw)):
        assert len(found.sha) in (40, 64)


@cases
def test_a_commit_of_any_time_stays_in_the_history(told: bytes, at: int) -> None:
    (found,) = read_commits(io.BytesIO(b"a" * 40 + b"\0" + b"b" * 40 + b"\0" + told + b"\0Rows\0"))
    assert (found.parents, found.at, found.message) == (("b" * 40,), at, "Rows")
    assert datetime.fromtimestamp(found.at, UTC).year < 10_000


@patient
@given(st.lists(st.text(alphabet=st.characters(blacklist_characters="\0", blacklist_categories=["Cs"])), max_size=8))
def test_every_message_comes_out_as_it_went_in(messages: list[str]) -> None:
    raw = b"".join(b"%040x\0%040x\0%d\0%s\0" % (at, at + 1, at, text.encode()) for at, text in enumerate(messages))
    found = list(read_commits(io.BytesIO(raw)))
    assert [(one.at, one.message) for one in found] == list(enumerate(messages))


def test_a_real_history_with_all_that_may_stand_in_one(tmp_path: Path) -> None:
    home = initialise(tmp_path / "home")
    begin = commit(home, {"a.py": "x = 1\n"}, "Begin\n\n" + "d" * 40 + "\ndiff --git a/forged.py b/forged.py")
    (home / "b.bin").write_bytes(b"\0\xff" * 100)
    (home / "c.py").write_bytes(b"name = '\xff\xfe'\n" + b"z" * 100_000 + b"\n")
    odd = commit(home, {'sp ace/quo"te/ünï.py': "y = 1\n"}, "Odd")
    git(home, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(home), "sub")
    module = commit(home, {}, "A submodule")
    (home / "large.py").write_bytes(b"x\n" * 600_000)
    large = commit(home, {}, "Large")
    link = home / "link.py"
    link.symlink_to("/etc/passwd")
    linked = commit(home, {}, "Link")
    found = of(home, begin, odd, module, large, linked)
    assert list(found) == [begin, odd, module, large, linked]
    assert found[begin] and found[begin].paths == ["a.py"]
    assert found[odd] and {"b.bin", "c.py"} < set(found[odd].paths)
    assert any("ünï.py" in path for path in found[odd].paths)
    assert "name = '��'" in found[odd].code
    assert found[module] and ".gitmodules" in found[module].paths
    assert found[large] and found[large].code == []  # too large to be shown
    history = list(commits(home, [linked], [begin]))
    assert [one.sha for one in history] == [odd, module, large, linked]
    assert history[0].parents == (begin,)
    assert [one.sha for one in named(home, [odd, begin])] == [odd, begin]
    assert not list(commits(home, []))
    assert not list(named(home, []))


def test_everything_passes_the_mask(tmp_path: Path) -> None:
    home = initialise(tmp_path / "home")
    sha = commit(home, {"changelog/12.rst": "twelve\n", "a12.py": "def f12():\n    return 12\n"})
    sha2 = commit(home, {"a12.py": "def f12():\n    return 13\n"})
    found = dict(changes(home, [sha, sha2], lambda text: text.replace("12", "N").replace("13", "M")))
    assert found[sha] and found[sha2]
    assert found[sha].paths == ["aN.py", "changelog/N.rst"]
    assert found[sha].code == ["def fN():", "return N"]
    assert found[sha2].places == ["def fN():"]


def broken(tmp_path: Path, gone: Iterable[int], *, of: int) -> tuple[Path, list[str]]:
    """A bare repository without the files of some commits, and all of its commits, the oldest first."""
    house = House(tmp_path, others=of)
    bare = tmp_path / "bare"
    git(tmp_path, "clone", "--quiet", "--bare", "--no-hardlinks", str(house.directory), str(bare))
    for number in gone:
        blob = git(bare, "rev-parse", f"HEAD:grid/paint{number}.py")
        (bare / "objects" / blob[:2] / blob[2:]).unlink()
    return bare, git(bare, "rev-list", "--reverse", "HEAD").split()


def test_a_commit_whose_objects_are_missing_is_left_out_and_the_rest_read(tmp_path: Path) -> None:
    bare, shas = broken(tmp_path, [1], of=3)
    found = of(bare, *shas)
    assert [found[sha] is None for sha in shas] == [False, False, True, False]


def test_too_many_missing_objects_end_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "_MOST_DAMAGED", 2)
    bare, shas = broken(tmp_path, [0, 1, 2], of=4)
    assert [change is None for _, change in changes(bare, shas)] == [False, True, True, True, True]


@cases
def test_what_says_that_it_fixes(message: str) -> None:
    assert any(claims(message).get((12, repository)) for repository in ("", "acme/grid"))


@cases
def test_what_only_refers(message: str) -> None:
    assert not claims(message).get((12, ""))


def test_each_number_once_with_its_repository() -> None:
    said = "See #11, fixes #12 and #13, part of acme/grid#14, closes https://forge.example/Acme/Grid/issues/15, see #12"
    assert claims(said) == {(11, ""): False, (12, ""): True, (13, ""): True, (15, "acme/grid"): True}


@given(
    st.lists(st.sampled_from(["fixes ", "not ", "#12", ", ", "and ", "(", "gh-3", ": ", "\n", "for ", "x"])).map(
        "".join
    )
)
def test_any_text_is_read(text: str) -> None:
    assert all(number > 0 for number, _ in claims(text))


@cases
def test_numbers_that_are_issues(branch: str, pull: int | None, numbers: tuple[int, ...]) -> None:
    assert issues_in(branch, pull) == numbers


@given(st.text(max_size=60), st.none() | st.integers(1, 10**6))
def test_any_name_is_read(branch: str, pull: int | None) -> None:
    assert all(0 < number < (pull or 10**7) for number in issues_in(branch, pull))
