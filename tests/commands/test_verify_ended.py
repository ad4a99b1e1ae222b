"""`bouncer verify` is ended while it executes: at once, and nothing of it runs on."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import command, descendants
from tests.support.waiting import eventually

PROGRAM = "def half(n):\n    return n {} 2\n"
TESTS = "import time\nfrom half import half\n\n\ndef test_half():\n    time.sleep(60)\n    assert half(4) == 2\n"


@pytest.mark.parametrize(
    ("how", "setup", "at_work"),
    [
        (signal.SIGINT, "[]", b"Runs pytest in the process"),
        (signal.SIGTERM, "[sleep 60]", b"sleep\x0060"),
    ],
)
def test_nothing_runs_on(how: signal.Signals, setup: str, at_work: bytes, tmp_path: Path) -> None:
    for name, operator in (("p", "//"), ("f", "/")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "half.py").write_text(PROGRAM.format(operator))
        (tmp_path / name / ".github").mkdir()
        (tmp_path / name / ".github/bouncer.yml").write_text(f"verify:\n  setup: {setup}\n  test: pytest\n")
    (tmp_path / "test_half.py").write_text(TESTS)
    given = f"--original {tmp_path}/p --fix {tmp_path}/f --tests {tmp_path}/test_half.py --test-timeout 60"
    own = {"BOUNCER_CACHE_DIR": f"{tmp_path}/cache", "BOUNCER_JUDGE": "offline"}
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "verify", *given.split()],
        env=os.environ | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running:
        started: set[int] = set()

        def working() -> bool:
            assert running.poll() is None, running.communicate()
            started.update(descendants(running.pid))
            return any(at_work in command(process) for process in started)

        eventually(working, seconds=60)
        running.send_signal(how)
        assert running.wait(10) == -how
    eventually(lambda: not any(map(command, started)))
