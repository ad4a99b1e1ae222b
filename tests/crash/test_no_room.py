"""Disks that are full or may not be written: one line with the mend, and nothing is lost when there is room again."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.commands.doctor_running import cache_line
from bot.errors import is_disk_trouble
from bot.github.mirror import Mirrors
from bot.github.values import Repository
from bot.sandbox.protocol import Job
from bot.settings import Settings
from bot.workflows.durable.step import Stopped, attempt
from fake_github import FakeGitHub
from tests.crash.fleet import REPOSITORY, Fleet
from tests.support.github import KEY
from tests.support.needs import as_root, missing
from tests.support.sandbox import BUBBLEWRAP
from tests.support.sqlite import migrated
from tests.support.waiting import eventually
from tests.workflows.house import VAGUE, VAGUE_TITLE

pytestmark = pytest.mark.sqlite("its files")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own: a few megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    owner = f"uid={os.getuid()},gid={os.getgid()},mode=700"
    if not as_root("mount", "-t", "tmpfs", "-o", f"size=8m,{owner}", "tmpfs", place):
        missing("the right to mount a file system, as root or by sudo without a password,")
    yield place
    assert as_root("umount", "--lazy", place)


def said(url: str, *command: str) -> str:
    done = CliRunner().invoke(main, command, env={"BOUNCER_DATABASE_URL": url, "BOUNCER_WEBHOOK_SECRET": "0" * 20})
    assert done.exit_code == 2, done.output
    (line,) = [each for each in done.output.splitlines() if each]
    return line


def fill(disk: Path) -> Path:
    """Not a byte is left."""
    big = disk / "big"
    with big.open("wb", buffering=0) as file:
        for size in (65536, 512, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return big


def test_a_full_disk_is_said_in_a_line(disk: Path) -> None:
    fill(disk)
    line = said(f"sqlite:///{disk}/bouncer.db", "migrate")
    assert line.endswith(f"Make room in {disk}, or set BOUNCER_DATABASE_URL to another place."), line


@pytest.mark.parametrize("command", ["migrate", "serve"])
def test_a_disk_that_filled_up_since_is_said_to_be_full_and_not_broken(disk: Path, command: str) -> None:
    """SQLite finds no room for its log, and calls that an I/O error."""
    url = migrated(disk)
    fill(disk)
    line = said(url, command)
    assert f"Make room in {disk}" in line, line


@pytest.mark.parametrize("command", ["migrate", "serve", "report", "backup"])
def test_a_disk_that_may_not_be_written_is_said_in_a_line(disk: Path, tmp_path: Path, command: str) -> None:
    url = migrated(disk)
    assert as_root("mount", "-o", "remount,ro", disk)
    line = said(url, command, *([str(tmp_path / "backup")] if command == "backup" else []))
    assert f"Let this user write in {disk}" in line, line


def test_the_doctor_says_how_a_cache_is_written_again(disk: Path) -> None:
    settings = Settings(cache_dir=disk / "cache")
    fill(disk)
    assert cache_line(settings).mend.startswith("Make room, or name")
    assert as_root("mount", "-o", "remount,ro", disk)
    assert cache_line(settings).mend.startswith("Mount its disk for writing")


def test_a_wrong_directory_is_said_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By commands that only read, which make nothing."""
    monkeypatch.chdir(tmp_path)
    for command in (["report"], ["backup", "x"]):
        line = said("sqlite:///var/bouncer.db", *command)
        assert f"{tmp_path}/var/bouncer.db" in line and "BOUNCER_DATABASE_URL" in line, line
    assert not (tmp_path / "var").exists()


@pytest.fixture
def mirrored(disk: Path) -> Iterator[Callable[[], Path]]:
    """The files of a commit, fetched into a cache on that disk as a run does it; two of 3 MB, which pack small."""
    github = FakeGitHub(private_key=KEY)
    github.start()
    made = github.create_repository("acme/large", files={"a.bin": bytes(3_000_000), "b.bin": bytes(3_000_000)})
    mirrors = Mirrors(disk / "cache", github.web_url, max_bytes=10**9, total_bytes=10**9)
    repository = Repository(made.id, "acme/large")
    yield lambda: Path(attempt("execute", str, lambda: str(mirrors.tree(repository, made.branches["main"]))))
    github.close()


def test_a_cache_without_room_has_the_run_come_back_later(
    disk: Path, mirrored: Callable[[], Path], caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever finds none: git, a directory, or the files of a commit, which is not to blame."""
    (disk / "half").write_bytes(bytes(4_000_000))
    told = later(mirrored)
    assert told == "this machine's disk cannot be written"
    assert "No space left on device. Make room, or set BOUNCER_CACHE_DIR." in caplog.text
    big = fill(disk)
    assert "cannot be written" in later(mirrored) or "is full: make room" in later(mirrored)
    for each in (big, disk / "half"):
        each.unlink()
    assert (mirrored() / "b.bin").stat().st_size == 3_000_000
    assert as_root("mount", "-o", "remount,ro", disk)
    assert "cannot be written" in later(mirrored)
    assert "Read-only file system" in caplog.text


def later(run: Callable[[], Path]) -> str:
    with pytest.raises(Stopped) as stopped:
        run()
    assert stopped.value.trouble.retry, stopped.value.trouble
    return stopped.value.trouble.reason


def test_an_environment_that_finds_no_room_is_no_fault_of_the_program(disk: Path) -> None:
    job = Job(("sh", "-c", "head -c 12000000 /dev/zero > /results/large"), results_into=disk)
    with pytest.raises(OSError, match="No space left"):
        BUBBLEWRAP.run(job)


def test_what_is_a_disks_trouble(disk: Path) -> None:
    """A name that is too long is a commit's."""
    index = sqlite3.connect(disk / "index")
    index.execute("CREATE TABLE t (x)")
    fill(disk)
    with pytest.raises(sqlite3.OperationalError) as full:
        index.execute("INSERT INTO t VALUES (zeroblob(1000000))")
    index.close()
    with pytest.raises(OSError, match="too long") as long:
        (disk / ("x" * 300)).touch()
    assert [is_disk_trouble(each.value) for each in (full, long)] == [True, False]


@pytest.mark.crash
def test_deliveries_that_find_no_room_are_sent_again_and_nothing_is_lost(disk: Path, tmp_path: Path) -> None:
    """The web process says so to GitHub, and the worker goes on by itself once there is room."""
    with Fleet(f"sqlite:///{disk}/bouncer.db", tmp_path, KEY) as fleet:
        fleet.open_for_business()
        first = fleet.github.open_issue(REPOSITORY, VAGUE_TITLE, VAGUE)
        fleet.settle()
        big = fill(disk)
        numbers = [fleet.github.open_issue(REPOSITORY, VAGUE_TITLE, VAGUE + " x" * 4000) for _ in range(10)]
        fleet.github.wait_for_webhooks(60)
        refused = {item.status_code for item in fleet.github.deliveries}
        assert 503 in refused, "the disk was full"
        big.unlink()
        eventually(fleet.web_answers, seconds=30)
        fleet.settle()
        assert all(process.is_alive() for process in fleet.processes.values())
        fleet.expected = dict.fromkeys([first, *numbers], True)
        toll = fleet.toll()
    assert toll.clean(), toll
    for log in tmp_path.glob("*.log"):
        assert "Traceback" not in log.read_text(), log.read_text()
