"""What a job opens of its tree is seen from outside, whatever it does to hide it."""

from pathlib import Path

import pytest

from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.launcher.guard import OpenedFiles
from bot.sandbox.protocol import Job

WAYS = {
    "read": "open('docs/a.txt').read()",
    "read through a link": "open('link').read()",
    "read by another way to it": "os.chdir('/tmp'); open('/proc/1/root/work/docs/a.txt').read()",
    "without a trace": ("os.close(os.open('docs/a.txt', os.O_RDONLY | os.O_NOATIME)); os.utime('docs/a.txt', (0, 0))"),
    "where it was moved to": "os.rename('docs', 'away'); open('away/a.txt').read(); os.rename('away', 'docs')",
    "by a descriptor of its place": (
        "place = os.open('docs/a.txt', os.O_PATH); open('/proc/self/fd/%d' % place).read()"
    ),
    "copied as a whole": "import shutil; shutil.copytree('docs', '/tmp/docs')",
    # The job ends with its first process, so that one waits until nobody holds the pipe.
    "by a process that outlives its parent": (
        "read, write = os.pipe(); "
        "(os.close(write), os.read(read, 1)) if os.fork() else (os.setsid(), os.fork() or open('docs/a.txt').read())"
    ),
    "executed": "os.execv('docs/a.txt', ['a'])",
}
LEFT = ("os.listdir('docs'); os.stat('docs/a.txt'); os.path.exists('docs/a.txt'); open('docs/new.txt', 'w')", "pass")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.txt").write_text("#!/bin/sh\n")
    (tmp_path / "docs/a.txt").chmod(0o755)
    (tmp_path / "link").symlink_to("docs/a.txt")
    return tmp_path


def opened(tree: Path, does: str, locked: frozenset[str] = frozenset()) -> frozenset[str] | None:
    return (
        BubblewrapExecutor().run(Job(("python3", "-I", "-S", "-c", f"import os; {does}"), tree, locked=locked)).opened
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_is_opened_is_seen(tree: Path, way: str) -> None:
    assert opened(tree, WAYS[way]) == {"docs/a.txt"}


def test_one_that_is_locked_as_well(tree: Path) -> None:
    assert opened(tree, "open('docs/a.txt').read()", frozenset({"docs/a.txt"})) == {"docs/a.txt"}


@pytest.mark.parametrize("does", LEFT)
def test_one_that_is_not_opened_is_not(tree: Path, does: str) -> None:
    assert opened(tree, does) == frozenset()


def test_where_more_is_opened_than_can_be_told_nothing_is_known(tree: Path) -> None:
    (tree / "b").touch()
    seen = OpenedFiles(str(tree))
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for _ in range(most // 2 + 1):
        (tree / "b").read_bytes(), (tree / "docs/a.txt").read_bytes()
    assert seen.paths() is None
