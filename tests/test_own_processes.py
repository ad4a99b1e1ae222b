"""Bouncer starts itself again from where it is installed, never from the folder that it was called in."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STARTS = [
    (path.name, line)
    for folder in ("bot", "webhooks")
    for path in (ROOT / folder).rglob("*.py")
    for line in re.findall(r'\[sys\.executable, .*"-m", "bot".*', path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("name", "line"), STARTS, ids=[name for name, _ in STARTS])
def test_no_process_of_its_own_looks_into_the_working_folder(name: str, line: str) -> None:
    assert line.startswith('[sys.executable, "-P", "-m", "bot"'), name


def test_a_strangers_package_of_the_same_name_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("raise SystemExit('a stranger was run')")
    command = [sys.executable, "-P", "-m", "bot", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "stranger" not in done.stderr
    assert len(STARTS) == 3
