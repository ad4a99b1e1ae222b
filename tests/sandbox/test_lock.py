"""What judges lies in the job's own tree, and the job cannot touch it."""

from pathlib import Path

import pytest

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
