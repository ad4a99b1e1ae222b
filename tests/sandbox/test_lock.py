"""What judges lies in the job's tree, which the job cannot touch; what it opens there is seen from outside."""

from pathlib import Path

import pytest

from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.launcher.guard import OpenedFiles
from bot.sandbox.protocol import Executor, Job, Mount, Status
from tests.support.sandbox import BUBBLEWRAP, EXECUTORS

TRIES = """
import os, shutil
def tried(what, *words):
    try:
        what(*words)
    except OSError:
        return
    print(what.__name__, *words)
open("tests/mine", "w").write("0")
for path in ("tests/unit/test_a.py", "tests/conftest.py", "link", "laid/test_b.py"):
    tried(os.unlink, path)
    tried(os.rename, path, "elsewhere")
    tried(os.rename, "tests/mine", path)
    if path != "link":  # whose target is nobody's judge
        tried(os.chmod, path, 0o777)
        tried(os.utime, path)
        tried(os.truncate, path, 1)
    tried(os.rename, os.path.dirname(path) or "tests", "away")
tried(os.rename, "tests/unit", "away")
tried(shutil.rmtree, "tests/unit")
"""
HONEST = """
import os, shutil
os.makedirs("tests/unit/cache/deep")
open("tests/unit/cache/deep/file", "w").write("1")
shutil.rmtree("tests/unit/cache")
shutil.copytree("tests", "copied", symlinks=True)
open("copied/unit/test_a.py", "w").write("changed")
os.unlink("copied/unit/test_a.py")
open("tests/unit/data.txt", "w").write("new")
os.rename("tests/unit/data.txt", "tests/unit/other.txt")
open("src.py", "a").write("more")
print(open("tests/unit/test_a.py").read(), open("link").read(), open("laid/test_b.py").read())
"""
LOCKED = frozenset(
    ("tests/unit/test_a.py", "tests/conftest.py", "link", "laid/test_b.py", "absent.py", "not/there.py", "out/x.py")
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tests/unit").mkdir(parents=True)
    for path in ("tests/unit/test_a.py", "tests/conftest.py", "src.py"):
        (tmp_path / path).write_text("old")
    (tmp_path / "link").symlink_to("src.py")
    (tmp_path / "out").symlink_to("/etc")
    return tmp_path


@pytest.mark.parametrize("executor", EXECUTORS, ids=lambda executor: executor.name)
def test_what_is_locked_stays_as_it_is_and_all_else_can_be_done(executor: Executor, tree: Path) -> None:
    python = executor.probe().python
    job = Job((*python, "-c", TRIES + HONEST), tree=tree, files={"laid/test_b.py": b"new"}, locked=LOCKED)
    outcome = executor.run(job)
    said = (outcome.status, outcome.stdout.decode(), outcome.stderr.decode())
    assert said == (Status.EXITED, "old oldmore new\n", "")  # and nothing of what was tried


def test_a_lock_leads_nowhere(tmp_path: Path) -> None:
    """Links in the tree, which root follows nowhere."""
    tmp_path.chmod(0o755)
    outside = tmp_path / "shown"
    outside.mkdir()
    (outside / "x.py").write_text("")
    owner = (outside / "x.py").stat()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/out").symlink_to("/shown")
    job = Job(("true",), tree=tmp_path / "tree", mounts=(Mount(outside, "/shown"),), locked=frozenset({"out/x.py"}))
    assert BUBBLEWRAP.run(job).status is Status.EXITED
    assert (outside / "x.py").stat().st_ctime_ns == owner.st_ctime_ns


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
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.txt").write_text("#!/bin/sh\n")
    (tmp_path / "docs/a.txt").chmod(0o755)
    (tmp_path / "link").symlink_to("docs/a.txt")
    return tmp_path


def opened(docs: Path, does: str, locked: frozenset[str] = frozenset()) -> frozenset[str] | None:
    return (
        BubblewrapExecutor().run(Job(("python3", "-I", "-S", "-c", f"import os; {does}"), docs, locked=locked)).opened
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_is_opened_is_seen(docs: Path, way: str) -> None:
    assert opened(docs, WAYS[way]) == {"docs/a.txt"}


def test_one_that_is_locked_as_well(docs: Path) -> None:
    assert opened(docs, "open('docs/a.txt').read()", frozenset({"docs/a.txt"})) == {"docs/a.txt"}


@pytest.mark.parametrize("does", LEFT)
def test_one_that_is_not_opened_is_not(docs: Path, does: str) -> None:
    assert opened(docs, does) == frozenset()


def test_where_more_is_opened_than_can_be_told_nothing_is_known(docs: Path) -> None:
    (docs / "b").touch()
    seen = OpenedFiles(str(docs))
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for _ in range(most // 2 + 1):
        (docs / "b").read_bytes(), (docs / "docs/a.txt").read_bytes()
    assert seen.paths() is None
