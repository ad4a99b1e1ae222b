"""Disks that are full or may not be written: one line with the mend, and nothing is lost when there is room again."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.fake_github.keys import new_private_key
from tests.crash.fleet import REPOSITORY, Fleet
from tests.support.needs import as_root, missing
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


@pytest.mark.parametrize("command", ["migrate", "serve", "report", "backup"])
def test_a_disk_that_may_not_be_written_is_said_in_a_line(disk: Path, tmp_path: Path, command: str) -> None:
    url = migrated(disk)
    assert as_root("mount", "-o", "remount,ro", disk)
    line = said(url, command, *([str(disk / "backup")] if command == "backup" else []))
    assert "Let this user write in" in line or "Read-only file system. Name another directory." in line, line


def test_a_wrong_directory_is_said_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By commands that only read, which make nothing."""
    monkeypatch.chdir(tmp_path)
    for command in (["report"], ["backup", "x"]):
        line = said("sqlite:///var/bouncer.db", *command)
        assert f"{tmp_path}/var/bouncer.db" in line and "BOUNCER_DATABASE_URL" in line, line
    assert not (tmp_path / "var").exists()


@pytest.mark.crash
def test_deliveries_that_find_no_room_are_sent_again_and_nothing_is_lost(disk: Path, tmp_path: Path) -> None:
    """The web process says so to GitHub, and the worker goes on by itself once there is room."""
    with Fleet(f"sqlite:///{disk}/bouncer.db", tmp_path, new_private_key()) as fleet:
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
