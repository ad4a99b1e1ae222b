"""What a command leaves in the temporary directory: nothing, however it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

WORKING = """
import sys, tempfile, time
from bot.commands.scratch import scratch
with scratch("It goes on."):
    with tempfile.TemporaryDirectory() as there:
        print(there, flush=True)
        if sys.argv[1:]:
            time.sleep(60)
"""


def start(home: Path, *words: str) -> subprocess.Popen[str]:
    environment = os.environ | {"TMPDIR": str(home)}
    return subprocess.Popen(
        [sys.executable, "-c", WORKING, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(home: Path, how: signal.Signals) -> None:
    with start(home, "wait") as running:
        assert running.stdout
        assert Path(running.stdout.readline().strip()).is_dir()
        running.send_signal(how)
        assert running.wait(20) == -how
        assert running.stderr
        assert running.stderr.read().strip() == ("" if how is signal.SIGKILL else "It goes on.")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_and_nothing_stays(how: signal.Signals, tmp_path: Path) -> None:
    ended(tmp_path, how)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_command_left_is_put_away_by_the_next(tmp_path: Path) -> None:
    ended(tmp_path, signal.SIGKILL)
    (left,) = tmp_path.iterdir()
    with start(tmp_path, "wait") as other:
        assert other.stdout
        other.stdout.readline()
        (working,) = set(tmp_path.iterdir()) - {left}
        for each in (left, working):
            os.utime(each, times=(time.time() - 3600,) * 2)
        with start(tmp_path) as next_one:
            assert next_one.wait(20) == 0
        assert list(tmp_path.iterdir()) == [working]  # of which the lock is held
        other.terminate()
