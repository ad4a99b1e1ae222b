"""The code tools' reader over real git objects, with names and contents a stranger chose."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.github import code
from bot.github.code import GitCode
from bot.judges.agent.code_tools import CodeReader, UnreadableCode
from tests.support.cases import cases

SOURCE = (
    'import os\n\n\nLIMIT: int = 3\n\n\nclass Joiner:\n    def join(self, items):\n        return "+".join(items)\n'
)


def git(directory: Path, *words: str) -> str:
    who = {f"GIT_{role}_{part}": "a@b.example" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    dates = {"GIT_AUTHOR_DATE": "2024-03-02T10:00:00Z", "GIT_COMMITTER_DATE": "2024-03-02T10:00:00Z"}
    done = subprocess.run(
        ["git", "-C", directory, *words],
        env={"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": os.devnull, **who, **dates},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of two commits, with a secret beside it that nothing may reach."""
    root = tmp_path_factory.mktemp("code")
    (root / "secret.txt").write_text("the secret")
    work = root / "work"
    (work / "src").mkdir(parents=True)
    (work / "src" / "joiner.py").write_text(SOURCE)
    (work / "src" / "joiner.go").write_text("package j\n\nfunc (j *Joiner) Join(items []string) string {\n}\n")
    (work / "data.bin").write_bytes(b"\0join\0")
    (work / "way out").symlink_to("../secret.txt")
    (work / "dir out").symlink_to("..")
    (work / "-rf").write_text("join with a dash\n")
    (work / "a*").write_text("join with a star\n")
    (work / "dos.txt").write_bytes(b"one\r\n\xfftwo\r\n" + b"x" * 1000)
    git(root, "init", "-q", "-b", "main", "work")
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "Join items")
    (work / "src" / "joiner.py").write_text(SOURCE.replace('"+"', '","'))
    git(work, "commit", "-q", "-a", "-m", "Join with a comma")
    (work / "src" / "joiner.py").write_text("not committed: join\n")
    return work


@pytest.fixture(scope="module")
def reader(work: Path) -> GitCode:
    return GitCode(work, git(work, "rev-parse", "HEAD"))


def test_it_is_a_reader(reader: GitCode) -> None:
    port: CodeReader = reader
    assert port.list("src") == ("joiner.go", "joiner.py")


def test_directories_and_links_are_marked(reader: GitCode) -> None:
    assert set(reader.list("")) == {"-rf", "a*", "data.bin", "dir out@", "dos.txt", "src/", "way out@"}
    assert reader.list("src/") == reader.list("src")


def test_the_commit_is_read_and_not_the_working_tree(reader: GitCode) -> None:
    assert reader.read("src/joiner.py", 8, 9) == (
        "8     def join(self, items):",
        '9         return ",".join(items)',
    )


def test_odd_bytes_and_long_lines_are_shown_as_far_as_they_go(reader: GitCode) -> None:
    lines = reader.read("dos.txt", 1, 10)
    assert lines[:2] == ("1 one", "2 \ufffdtwo")
    assert len(lines[2]) < 500
    assert reader.read("-rf", 1, 1) == ("1 join with a dash",)
    assert reader.read("a*", 1, 1) == ("1 join with a star",)


@cases
def test_nothing_else_can_be_read(path: str, says: str, reader: GitCode) -> None:
    with pytest.raises(UnreadableCode, match=says):
        reader.read(path, 1, 10)


@pytest.mark.parametrize("path", ["../", "src/../..", "/etc", "src//x", "./src", "a\0b", "x" * 2000])
def test_no_tool_takes_a_path_that_leads_elsewhere(reader: GitCode, path: str) -> None:
    looks: tuple[Callable[[], object], ...] = (
        lambda: reader.list(path),
        lambda: reader.read(path, 1, 1),
        lambda: reader.search("join", path),
        lambda: reader.blame(path, 1, 1),
        lambda: reader.history(path),
    )
    for look in looks:
        with pytest.raises(UnreadableCode, match="not a path inside"):
            look()


def test_lines_past_the_end_are_told(reader: GitCode) -> None:
    with pytest.raises(UnreadableCode, match="the file has 9 lines"):
        reader.read("src/joiner.py", 10, 20)
    with pytest.raises(UnreadableCode, match="the file has 9 lines"):
        reader.blame("src/joiner.py", 10, 20)


def test_a_text_is_searched_as_it_is(reader: GitCode) -> None:
    assert reader.search("join(items)", "") == ('src/joiner.py:9:        return ",".join(items)',)
    assert reader.search("join", "-rf") == ("-rf:1:join with a dash",)
    assert reader.search("join", "a*") == ("a*:1:join with a star",)
    assert reader.search("the secret", "") == ()
    for pattern in ("(j+)+$", ".*", "[a-z]", "\\", "--help", "-e", "*.py"):
        assert reader.search(pattern, "") == ()
    with pytest.raises(UnreadableCode):
        reader.search("join", "../")
    with pytest.raises(UnreadableCode):
        reader.search("a\nb", "")


def test_definitions_are_found_in_several_languages(reader: GitCode) -> None:
    assert reader.definition("join") == ("src/joiner.py:8:    def join(self, items):",)
    assert reader.definition("Joiner") == ("src/joiner.py:7:class Joiner:",)
    assert reader.definition("LIMIT") == ("src/joiner.py:4:LIMIT: int = 3",)
    assert reader.definition("Join") == ("src/joiner.go:3:func (j *Joiner) Join(items []string) string {",)
    assert reader.definition("items") == ()
    with pytest.raises(UnreadableCode):
        reader.definition(".*")


def test_blame_and_history_name_commits(reader: GitCode) -> None:
    (line,) = reader.blame("src/joiner.py", 9, 9)
    assert "a@b.example 2024-03-02 9)" in line
    assert [entry.split(" ", 1)[1] for entry in reader.history("src/joiner.py")] == [
        "2024-03-02 a@b.example: Join with a comma",
        "2024-03-02 a@b.example: Join items",
    ]
    assert len(reader.history("")) == 2
    assert reader.history("nowhere") == ()


def test_a_copy_without_history_says_so(work: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{work}", "mirror")
    mirror = GitCode(tmp_path / "mirror", git(work, "rev-parse", "HEAD"))
    assert mirror.read("src/joiner.py", 7, 7) == ("7 class Joiner:",)
    assert len(mirror.search("join", "")) == 4
    with pytest.raises(UnreadableCode, match="the history is not kept here"):
        mirror.history("")
    with pytest.raises(UnreadableCode, match="the history is not kept here"):
        mirror.blame("src/joiner.py", 1, 2)


def test_a_repository_that_configures_programs_runs_none(work: Path, tmp_path: Path) -> None:
    """Attributes come with the commit; what they name would be defined beside it."""
    git(tmp_path, "clone", "-q", f"file://{work}", "clone")
    clone, trap = tmp_path / "clone", tmp_path / "sprung"
    (clone / ".gitattributes").write_text("*.py diff=trap filter=trap\n")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "Attributes")
    for name in ("diff.trap.textconv", "filter.trap.smudge", "diff.trap.command", "core.pager", "core.fsmonitor"):
        git(clone, "config", name, f"touch {trap}; cat")
    reader = GitCode(clone, git(clone, "rev-parse", "HEAD"))
    assert reader.read("src/joiner.py", 1, 1) == ("1 import os",)
    assert len(reader.blame("src/joiner.py", 1, 2)) == 2
    assert reader.search("import", "")
    assert reader.history("src/joiner.py")
    assert not trap.exists()


def test_output_is_bounded(reader: GitCode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "MAX_HITS", 2)
    assert len(reader.search("join", "")) == 2
    monkeypatch.setattr(code, "MAX_FILE", 50)
    with pytest.raises(UnreadableCode, match="too large"):
        reader.read("src/joiner.py", 1, 1)
    monkeypatch.setattr(code, "MAX_OUTPUT", 10)
    assert reader.search("import", "") == (reader._sha[:10],)


def test_a_git_that_hangs_is_ended(reader: GitCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nexec /bin/sleep 600\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(code, "TIMEOUT", 0.05)
    with pytest.raises(UnreadableCode, match="took too long"):
        reader.search("join", "")


@pytest.mark.parametrize("sha", ["HEAD", "main", "--all", "a" * 39, "refs/heads/main"])
def test_a_commit_is_named_whole(work: Path, sha: str) -> None:
    with pytest.raises(ValueError, match="full SHA"):
        GitCode(work, sha)
