"""The index follows its repository: what is new is added, what was rewritten is dropped, and nothing is ever half."""

import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.github.commits import clone
from bot.github.errors import GitHubError, Unavailable
from bot.history import index as history_index
from bot.history import writer
from bot.history.index import Index, forget_unused, indexed
from bot.history.refs import Refs, refs
from bot.history.search import search
from bot.storage.directories import lock
from tests.history.house import FIX, MENDED, SOUGHT, House
from tests.support.cases import cases
from tests.support.clones import commit, git, initialise


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """One entry for each time an index is made from nothing."""
    made: list[Path] = []
    build = history_index._build

    def counted(path: Path, *rest: Any) -> None:
        made.append(path)
        build(path, *rest)

    monkeypatch.setattr(history_index, "_build", counted)
    return made


def held(index: Index) -> dict[str, set[str]]:
    """Each change's head -> all of its commits."""
    with index.reading() as open_database:
        rows = open_database.execute(
            "select b.sha, a.sha from units join commits a on a.unit = units.id join commits b on b.id = units.head"
        ).fetchall()
    found: dict[str, set[str]] = {}
    for head, sha in rows:
        found.setdefault(head, set()).add(sha)
    return found


def fresh(house: House, tmp_path: Path) -> dict[str, set[str]]:
    """What an index holds that is made from nothing now."""
    return held(
        indexed(
            tmp_path / "fresh", str(len(list(tmp_path.iterdir()))), house.directory, house.head, refs(house.directory)
        )
    )


def test_what_is_new_is_added_and_nothing_else_read(house: House, tmp_path: Path, builds: list[Path]) -> None:
    before = held(house.index())
    assert set(before) == set(house.git("rev-list", "main").split())
    fix = house.fix()
    after = held(house.index())
    assert after == before | {fix: {fix}} == fresh(house, tmp_path)
    assert len([path for path in builds if path.parent == house.cache]) == 1
    assert house.search().candidates[0].commit == fix


def test_commits_that_stood_alone_join_the_pull_request_that_is_merged_later(house: House, tmp_path: Path) -> None:
    house.git("checkout", "--quiet", "-b", "rows")
    first = house.commit("wip", {"grid/parser.py": MENDED})
    second = house.commit("more", {"a.txt": "1"})
    house.git("checkout", "--quiet", "main")
    assert {first, second} <= held(house.index()).keys()
    house.commit("Meanwhile", {"b.txt": "1"})
    merge = house.merge("rows", f"Merge pull request #40 from ann/rows\n\n{FIX}")
    after = held(house.index())
    assert after[merge] == {merge, first, second}
    assert after == fresh(house, tmp_path)
    assert house.search().candidates[0].commit == merge


def test_a_rewritten_branch_is_followed(house: House, tmp_path: Path, builds: list[Path]) -> None:
    lost = house.commit("Lost", {"a.txt": "1"})
    assert lost in held(house.index())
    house.git("reset", "--quiet", "--hard", "HEAD~1")
    fix = house.fix()
    assert lost not in held(house.index())
    assert held(house.index()) == fresh(house, tmp_path)
    assert house.search().candidates[0].commit == fix
    assert len([path for path in builds if path.parent == house.cache]) == 1


def test_a_history_that_was_rewritten_as_a_whole_is_indexed_anew(
    house: House, tmp_path: Path, builds: list[Path]
) -> None:
    house.index()
    house.git("checkout", "--quiet", "--orphan", "other")
    house.commit("Begin again", {"a.txt": "1"})
    house.git("branch", "--quiet", "-D", "main")
    house.git("reflog", "expire", "--expire=now", "--all")
    house.git("gc", "--quiet", "--prune=now")
    assert set(held(house.index())) == {house.head}
    assert held(house.index()) == fresh(house, tmp_path)
    assert len([path for path in builds if path.parent == house.cache]) == 2


def test_histories_that_have_nothing_in_common(house: House) -> None:
    house.git("checkout", "--quiet", "--orphan", "other")
    house.commit("Begin elsewhere", {"z.txt": "1"})
    found = house.search()
    assert found.commits == 1
    assert not found.problem


def test_a_shallow_clone_says_so_and_is_read_again_when_it_is_whole(house: House, tmp_path: Path) -> None:
    house.fix()
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{house.directory}", str(shallow))
    with clone(shallow) as found:
        index = indexed(house.cache, "shallow", found.directory, house.head, refs(shallow))
        assert "shallow" in index.problem
        assert len(held(index)) == 2
    git(shallow, "fetch", "--quiet", "--unshallow")
    with clone(shallow) as found:
        index = indexed(house.cache, "shallow", found.directory, house.head, refs(shallow))
        assert (index.problem, len(held(index))) == ("", 8)


def test_missing_objects_are_said(house: House, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    git(tmp_path, "clone", "--quiet", "--bare", "--no-hardlinks", str(house.directory), str(bare))
    blob = git(bare, "rev-parse", "HEAD:grid/paint1.py")
    (bare / "objects" / blob[:2] / blob[2:]).unlink()
    index = indexed(house.cache, "bare", bare, house.head)
    assert "cannot show 1 of the commits" in index.problem
    assert len(held(index)) == 7
    with pytest.raises(GitHubError):
        indexed(house.cache, "nothing", bare, "0" * 40)
    assert not list(house.cache.glob("nothing*.db"))


def test_an_empty_repository_has_no_head_to_be_indexed(tmp_path: Path) -> None:
    home = initialise(tmp_path / "home")
    with clone(home) as found:
        assert found.commit("HEAD") is None
    only = commit(home, {}, "Only")
    assert set(held(indexed(tmp_path / "cache", "home", home, only))) == {only}


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_made_anew(house: House, damage: bytes) -> None:
    index = house.index()
    whole = held(index)
    index.path.write_bytes(damage)
    assert held(house.index()) == whole


@cases
def test_wrong_bytes_that_sqlite_does_not_see_are_seen(house: House, harm: str) -> None:
    whole = house.index()
    fix = house.fix()
    with closing(sqlite3.connect(whole.path)) as database, database:
        database.executescript(harm)
    search(whole, SOUGHT, reported=house.base, head=house.head)  # and does not raise
    assert house.search().candidates[0].commit == fix


def test_another_schema_is_another_file(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    old = house.index()
    monkeypatch.setattr(history_index, "SCHEMA", history_index.SCHEMA + 1)
    assert house.index().path != old.path


def test_what_fails_leaves_the_last_whole_index(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = held(house.index())
    house.fix()

    def fails(*_: object) -> Iterator[None]:
        raise OSError("disk full")

    monkeypatch.setattr(writer, "changes", fails)
    with pytest.raises(OSError, match="disk full"):
        house.index()
    monkeypatch.undo()
    path = next(house.cache.glob("*.db"))
    assert held(Index(path)) == whole
    monkeypatch.setattr(writer, "changes", fails)
    with pytest.raises(OSError, match="disk full"):
        indexed(house.cache, "another", house.directory, house.head)
    assert not list(house.cache.glob("another*.building*"))
    monkeypatch.undo()
    assert len(held(house.index())) == len(whole) + 1


def _killed(house: House, begun: int) -> None:
    """Indexes, and is killed by itself when it has written so many changes."""
    real = writer.Writer._unit
    seen = 0

    def unit(self: writer.Writer, *rest: object) -> None:
        nonlocal seen
        real(self, *rest)
        seen += 1
        if seen == begun:
            os.kill(os.getpid(), signal.SIGKILL)

    writer.Writer._unit = unit
    house.index()


@pytest.mark.parametrize("first", [True, False])
def test_kill_9_in_the_middle_leaves_no_half_index(house: House, tmp_path: Path, first: bool) -> None:
    if not first:
        house.index()
        for number in range(5):
            house.commit(f"Add {number}", {f"{number}.txt": "1"})
    process = multiprocessing.get_context("fork").Process(target=_killed, args=(house, 4))
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGKILL
    left = list(house.cache.glob("*.db"))
    assert len(left) == (0 if first else 1)
    assert held(house.index()) == fresh(house, tmp_path)
    assert not list(house.cache.glob("*.building*"))


def test_a_rewritten_merge_loses_none_of_what_it_had_brought(house: House, tmp_path: Path) -> None:
    house.git("checkout", "--quiet", "-b", "rows")
    brought = house.commit("wip", {"grid/parser.py": MENDED})
    house.git("checkout", "--quiet", "main")
    house.commit("Meanwhile", {"b.txt": "1"})
    house.merge("rows", f"Merge pull request #40 from ann/rows\n\n{FIX}")
    house.index()
    house.git("reset", "--quiet", "--hard", "rows")  # without the merge
    after = held(house.index())
    assert after[brought] == {brought}
    assert after == fresh(house, tmp_path)


def test_indexes_that_were_not_used_for_long_make_room(house: House) -> None:
    old = house.index()
    os.utime(old.path, (0, 0))
    indexed(house.cache, "other", house.directory, house.head, most_bytes=1)
    assert not old.path.exists()
    (new,) = house.cache.glob("*.db")  # what was just used stays
    assert forget_unused(house.cache, 0) == 0
    os.utime(new, (0, 0))
    with lock(new.with_suffix(".lock")):
        assert forget_unused(house.cache, 86_400) == 0, "somebody writes it"
    assert (forget_unused(house.cache, 86_400), new.exists()) == (1, False)


def test_a_busy_index_is_said_and_stays(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.history.database._PATIENCE", 0.01)
    index = house.index()
    with closing(sqlite3.connect(index.path)) as other:
        other.execute("begin exclusive")
        found = search(index, SOUGHT, reported=house.base, head=house.head)
        house.fix()
        with pytest.raises(OSError, match="locked"):
            house.index()
    assert "busy" in found.problem
    assert house.search().candidates


def test_several_processes_share_one_index(house: House, builds: list[Path], tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=house.search) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert held(house.index()) == fresh(house, tmp_path)
    assert [path.parent for path in builds].count(house.cache) == 0  # they made it, one of them


def test_tags_and_branches_of_the_repository_that_is_read_through_a_clone(house: House) -> None:
    house.git("tag", "1.0")
    fix = house.fix()
    house.git("checkout", "--quiet", house.base)
    with clone(house.directory) as found:
        index = indexed(house.cache, "clone", found.directory, house.base, refs(house.directory))
        assert fix in held(index)
        alone = indexed(house.cache, "clone", found.directory, house.base, Refs())
        assert set(held(alone)) == {house.base}


def test_what_takes_too_long_is_left_as_it_was(house: House) -> None:
    with pytest.raises(Unavailable, match="longer than the time given"):
        indexed(house.cache, "home", house.directory, house.head, refs(house.directory), seconds=0)
    before = held(house.index())
    house.fix()
    with pytest.raises(Unavailable):
        indexed(house.cache, "home", house.directory, house.head, refs(house.directory), seconds=0)
    assert set(held(house.index())) == {*before, house.head}
