"""A backup that is made while the server works: it is whole, and a server that starts on it finishes everything."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from tests.crash.fleet import Fleet, storm
from tests.support.github import KEY
from tests.support.sqlite import migrated

NAMES = ["bouncer-inbox.db", "bouncer-engine.db", "bouncer.db"]


pytestmark = pytest.mark.sqlite("its files; PostgreSQL has pg_dump")


def back_up(url: str, directory: Path) -> Result:
    return CliRunner().invoke(main, ["backup", str(directory)], env={"BOUNCER_DATABASE_URL": url})


@pytest.mark.crash
def test_a_server_goes_on_from_a_backup_made_in_the_middle(tmp_path: Path) -> None:
    """What came after the backup is asked for again, what was done since is not done twice."""
    home, random = tmp_path / "home", Random(3)
    home.mkdir()
    with Fleet(f"sqlite:///{home}/bouncer.db", tmp_path, KEY) as fleet:
        storm(fleet, random, 12, 0)
        for _ in range(10):
            fleet.act(random)
        done = back_up(f"sqlite:///{home}/bouncer.db", tmp_path / "backup")
        assert done.exit_code == 0, done.output
        for _ in range(10):
            fleet.act(random)
        fleet.settle()
        fleet.kill("serve")
        fleet.kill("worker")
        fleet.database.close()
        for old in home.iterdir():
            old.unlink()
        for name in NAMES:
            (tmp_path / "backup" / name).rename(home / name)
        fleet.start("serve")
        fleet.start("worker")
        fleet.wait_for_web()
        known = fleet.inbox.claims_among(fleet.attempts())
        for guid, attempts in fleet.attempts().items():
            if guid not in known:
                fleet.github.webhooks.redeliver(attempts[-1].id)
        fleet.settle()
        toll = fleet.toll()
    assert toll.clean(), toll


def test_the_copies_are_whole_private_and_overwrite_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    url = migrated(home)
    done = back_up(url, tmp_path / "new" / "backup")
    assert done.exit_code == 0, done.output
    copies = sorted((tmp_path / "new" / "backup").iterdir())
    assert [copy.name for copy in copies] == ["bouncer-inbox.db", "bouncer.db"]  # no worker was there so far
    assert {stat.S_IMODE(copy.stat().st_mode) for copy in copies} == {0o600}
    again = back_up(url, tmp_path / "new" / "backup")
    assert (again.exit_code, "is there already" in again.output) == (2, True)
    assert sorted((tmp_path / "new" / "backup").iterdir()) == copies


def test_what_cannot_be_backed_up_is_said_in_a_line(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    url = migrated(home)
    (tmp_path / "file").write_text("")
    with closing(sqlite3.connect(home / "bouncer.db")) as database:
        database.execute("PRAGMA journal_mode = DELETE")
    broken = bytearray((home / "bouncer.db").read_bytes())
    cases = [
        ("postgresql://ada@localhost/x", tmp_path / "backup", "pg_dump"),
        (f"sqlite:///{tmp_path}/none.db", tmp_path / "backup", "nothing to back up"),
        (url, tmp_path / "file" / "below", "Name another directory"),
    ]
    for given, directory, words in cases:
        done = back_up(given, directory)
        assert (done.exit_code, words in done.output, done.output.count("\n")) == (2, True, 1), done.output
    broken[4096 * 2 : 4096 * 6] = os.urandom(4096 * 4)
    (home / "bouncer.db").write_bytes(broken)
    done = back_up(url, tmp_path / "damaged")
    assert done.exit_code == 2, done.output
    assert "bouncer.db" in done.output
    assert not (tmp_path / "damaged" / "bouncer.db").exists()
    assert not list((tmp_path / "damaged").glob(".*"))
