"""A disk that breaks in the middle of runs, for real. Only `make chaos` does it (conftest.py): in between
`webhooks/test_landing.py`, `storage/test_migrate.py` and `workflows/test_meanwhile.py` stand for it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from bot.commands.doctor import examine
from tests.crash.fleet import REPOSITORY, Fleet
from tests.support.github import KEY
from tests.support.needs import as_root, missing
from tests.support.waiting import eventually
from tests.workflows.house import VAGUE, VAGUE_TITLE

pytestmark = [pytest.mark.sqlite("its files"), pytest.mark.crash]


@pytest.fixture
def failing_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with a real file system, which `fail` ends as the kernel does when a disk breaks."""
    place, image = tmp_path / "disk", tmp_path / "image"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(32 * 2**20)
    for command in (
        ["mkfs.ext4", "-q", image],
        ["mount", "-o", "loop", image, place],
        ["chown", str(os.getuid()), place],
    ):
        if not as_root(*command):
            missing("the right to mount a file system from a file, as root or by sudo without a password,")
    yield place
    assert as_root("umount", "--lazy", place)


def fail(disk: Path) -> None:
    assert as_root("mount", "-o", "remount,abort", disk)


def repair(disk: Path) -> None:
    """By a copy: a sandbox that another program began meanwhile may still hold the old one."""
    assert as_root("umount", disk)
    copy = shutil.copy(disk.with_name("image"), disk.with_name("copy"))
    as_root("e2fsck", "-fy", copy)
    assert as_root("mount", "-o", "loop", copy, disk)


def test_a_disk_that_becomes_read_only_in_the_middle_of_runs_is_said_and_nothing_is_lost(
    failing_disk: Path, tmp_path: Path
) -> None:
    worker, web = tmp_path / "worker.log", tmp_path / "serve.log"
    with Fleet(f"sqlite:///{failing_disk}/bouncer.db", tmp_path, KEY) as fleet:
        fleet.open_for_business()
        fleet.github.slow_down(0.5, 4, route="/issues/{issue_number}/comments")
        asked = len(fleet.github.traffic.exchanges)
        numbers = [fleet.github.open_issue(REPOSITORY, VAGUE_TITLE, VAGUE) for _ in range(3)]
        eventually(lambda: len(fleet.github.traffic.exchanges) > asked)
        fail(failing_disk)
        numbers.append(fleet.github.open_issue(REPOSITORY, VAGUE_TITLE, VAGUE))
        fleet.github.wait_for_webhooks(60)
        assert fleet.github.deliveries[-1].status_code == 503
        assert [status(fleet, path) for path in ("/readyz", "/", "/healthz")] == [503, 503, 200]
        eventually(lambda: f"Look at the disk of {failing_disk}" in worker.read_text())
        assert "not stored: disk I/O error. Look at the disk" in web.read_text()
        assert f"Let this user write in {failing_disk}" in doctor(fleet)
        for command in ("worker", "serve"):
            fleet.kill(command)
            fleet.start(command)
            fleet.processes[command].join(60)
            assert fleet.processes[command].exitcode == 2
        assert "bouncer worker: " in worker.read_text() and "bouncer serve: " in web.read_text()
        fleet.database.close()
        fleet.engine.dispose()
        repair(failing_disk)
        fleet.keep_alive()
        fleet.wait_for_web()
        fleet.settle()
        fleet.expected = dict.fromkeys(numbers, True)
        toll = fleet.toll()
    assert toll.clean(), toll
    assert "Traceback" not in worker.read_text() + web.read_text(), worker.read_text()


def status(fleet: Fleet, path: str) -> int:
    return requests.get(f"http://127.0.0.1:{fleet.port}{path}", timeout=120).status_code


def doctor(fleet: Fleet) -> str:
    """What it says of the database."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in fleet.environment.items():
            patch.setenv(name, value)
        return str(next(line for line in examine([], offline=True) if line.check == "database"))
