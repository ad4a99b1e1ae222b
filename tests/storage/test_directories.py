"""Directories that are made once: shared, whole or absent, mended, pruned."""

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bot.storage.directories import KEEP, KINDS, DirectoryCache, close_to_others
from tests.support.closed import assert_closed

ROOT = Path(__file__).parents[2]


def writes(text: str, made: list[str] | None = None) -> Callable[[Path], None]:
    def make(directory: Path) -> None:
        assert not list(directory.iterdir())
        (directory / "inside").mkdir()
        (directory / "inside" / "a.txt").write_text(text)
        if made is not None:
            made.append(text)

    return make


def refuses(directory: Path) -> None:
    (directory / "half").write_text("done")
    raise ValueError("no")


def grow_old(cache: DirectoryCache, directory: Path, hours: float) -> None:
    then = time.time() - hours * 3600
    os.utime(directory.parent / "entry.json", (then, then))


@pytest.fixture
def passable() -> Iterator[Path]:
    """A directory that every user of this machine may look into; pytest's own are closed."""
    with TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


def others(*command: str | Path) -> int:
    """The exit status of what another user of this machine runs."""
    line = [str(word) for word in command]
    return subprocess.run(line, user=65534, group=65534, extra_groups=(), capture_output=True).returncode


@pytest.mark.parametrize("before", [None, 0o755], ids=["made", "found open"])
def test_other_users_are_kept_out_of_the_caches(passable: Path, before: int | None) -> None:
    """A job's user, which is another one where Bouncer is root, reads what it is shown, by its name."""
    root = passable / "above" / "cache"
    if before is not None:
        (root / "mirrors").mkdir(parents=True)
        DirectoryCache(root / "trees", 1000).get("one", writes("1"))
        for each in (root, root / "mirrors", root / "trees", root / "trees" / "entries"):
            each.chmod(before)
    close_to_others(root)
    shown = DirectoryCache(root / "trees", 1000).get("one", writes("1"))
    (root / "mirrors" / "7.git").mkdir(parents=True, exist_ok=True)
    if os.geteuid() != 0:  # nobody may even pass
        assert root.stat().st_mode & 0o777 == 0o700
        return
    assert others("cat", shown / "inside" / "a.txt") == 0
    trees = root / "trees"
    for closed in (root, trees, trees / "entries", trees / "making", root / "mirrors" / "7.git"):
        assert others("ls", closed) != 0, closed


@pytest.mark.parametrize("theirs", ["notes.txt", "src"])
def test_a_directory_with_somebodys_own_files_keeps_its_mode(tmp_path: Path, theirs: str) -> None:
    (tmp_path / theirs).mkdir()
    (tmp_path / "trees").mkdir()
    tmp_path.chmod(0o755)
    (tmp_path / "trees").chmod(0o755)
    close_to_others(tmp_path)
    assert [path.stat().st_mode & 0o777 for path in (tmp_path, tmp_path / "trees")] == [0o755, 0o755]


def test_a_disk_of_its_own_is_closed_too(tmp_path: Path) -> None:
    """An empty one is not quite empty."""
    (tmp_path / "lost+found").mkdir()
    tmp_path.chmod(0o755)
    close_to_others(tmp_path)
    assert_closed(tmp_path)


@pytest.mark.parametrize(
    ("before", "shared"),
    [(0o2775, True), (0o2755, False), (0o775, False)],
    ids=["shared", "below a shared one", "by a mild umask"],
)
def test_a_cache_that_somebody_shares_with_a_group_stays_open_to_that_group_alone(
    tmp_path: Path, before: int, shared: bool
) -> None:
    """Else web and worker, where they are two users, would lose it by an upgrade."""
    tmp_path.chmod(before)
    close_to_others(tmp_path)
    mode = tmp_path.stat().st_mode
    assert (mode & 0o060, mode & 0o006) == (0o060 if shared else 0, 0)


def test_what_was_closed_further_stays_so_and_what_cannot_be_made_is_said_by_who_needs_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    close_to_others(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o500
    (tmp_path.parent / "file").touch()
    close_to_others(tmp_path.parent / "file" / "cache")


def test_every_kind_of_cache_is_known() -> None:
    """A kind that is not would leave a cache open, as if it were somebody's own directory."""
    code = "".join(
        path.read_text("utf-8") for room in ("bot", "webhooks", "lab") for path in (ROOT / room).rglob("*.py")
    )
    assert {*re.findall(r'cache_dir / "(\w+)"', code), "mirrors", "trees"} == KINDS  # `Mirrors` lays these two there


def test_a_directory_is_made_once_for_each_key(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path, 1000)
    made: list[str] = []
    first = cache.get("one", writes("1", made))
    assert (first / "inside" / "a.txt").read_text() == "1"
    assert cache.get("one", writes("again", made)) == first
    assert DirectoryCache(tmp_path, 1000).get("one", writes("elsewhere", made)) == first
    assert cache.get("../two", writes("2", made)) != first
    assert made == ["1", "2"]
    assert not (tmp_path.parent / "two").exists()


def test_builders_of_one_key_wait_for_each_other(tmp_path: Path) -> None:
    made: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    def slow(directory: Path) -> None:
        begun.set()
        assert go_on.wait(300)
        writes("1", made)(directory)

    found: list[Path] = []
    first = threading.Thread(target=lambda: found.append(DirectoryCache(tmp_path, 1000).get("one", slow)))
    first.start()
    assert begun.wait(300)
    others = [
        threading.Thread(target=lambda: found.append(DirectoryCache(tmp_path, 1000).get("one", writes("2", made))))
        for _ in range(3)
    ]
    for other in others:
        other.start()
    go_on.set()
    for thread in [first, *others]:
        thread.join(10)
    assert made == ["1"]
    assert len(found) == 4 and len(set(found)) == 1


def test_what_failed_leaves_nothing(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path, 1000)
    with pytest.raises(ValueError, match="no"):
        cache.get("one", refuses)
    assert not list(tmp_path.rglob("half"))
    assert (cache.get("one", writes("1")) / "inside").is_dir()


@pytest.mark.parametrize(
    "damage",
    [
        lambda found: (found / "inside" / "a.txt").unlink(),
        lambda found: (found / "inside" / "a.txt").write_text("longer than before"),
        lambda found: (found / "inside" / "stray").touch(),
        lambda found: (found / "inside" / "a.txt").chmod(0o777),
        lambda found: shutil.rmtree(found),
        lambda found: (found.parent / "entry.json").unlink(),
        lambda found: (found.parent / "entry.json").write_text("{"),
    ],
)
def test_a_damaged_directory_is_made_anew(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    cache = DirectoryCache(tmp_path, 1000)
    damage(cache.get("one", writes("1")))
    mended = cache.get("one", writes("2"))
    assert [path.name for path in mended.rglob("*")] == ["inside", "a.txt"]
    assert (mended / "inside" / "a.txt").read_text() == "2"


def test_what_was_unused_for_longest_goes_first_and_what_is_in_use_stays(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path, 250)
    old, older, young = (cache.get(name, writes("x" * 100)) for name in ("old", "older", "young"))
    assert old.exists() and older.exists()  # over the limit, but used a moment ago
    grow_old(cache, old, 2)
    grow_old(cache, older, 3)
    cache.get("new", writes("x" * 50))
    assert [path.exists() for path in (old, older, young)] == [True, False, True]
    cache.get("old", refuses)  # it is there: used again
    grow_old(cache, young, 2)
    cache.get("newer", writes("x" * 150))
    assert [path.exists() for path in (old, young)] == [True, False]


def test_what_a_killed_builder_left_behind_goes(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path, 1000)
    cache.get("one", writes("1"))
    left = tmp_path / "making" / "left"
    left.mkdir()
    cache.get("two", writes("2"))
    assert left.exists()  # perhaps somebody is still at it
    os.utime(left, (time.time() - 25 * KEEP,) * 2)
    cache.get("three", writes("3"))
    assert not left.exists()


def test_what_nobody_uses_goes_but_for_what_is_being_built(tmp_path: Path) -> None:
    """Building takes minutes: nobody waits for it."""
    cache = DirectoryCache(tmp_path, 1000)
    old, new = cache.get("old", writes("1")), cache.get("new", writes("2"))
    grow_old(cache, old, 30)
    shutil.rmtree(old / "inside")  # so it is built anew
    begun, go_on = threading.Event(), threading.Event()

    def slow(directory: Path) -> None:
        begun.set()
        assert go_on.wait(300)

    builder = threading.Thread(target=lambda: cache.get("old", slow))
    builder.start()
    assert begun.wait(300)
    assert cache.forget_unused(86_400) == 0
    go_on.set()
    builder.join(10)
    grow_old(cache, old, 30)
    grow_old(cache, new, 23)
    assert (cache.forget_unused(86_400), old.exists(), new.exists()) == (1, False, True)
