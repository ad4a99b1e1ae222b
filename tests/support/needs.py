"""What to do when a real part a test needs is not installed."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip on a developer's machine; fail in CI, where a skipped contract proves nothing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and CI must run this test")
    pytest.skip(f"{what} is missing")


def as_root(*command: str | Path) -> bool:
    """Whether root did this: the tests' own user, or by sudo where it asks for no password."""
    sudo = ["sudo", "-n"] if os.geteuid() != 0 else []
    path = os.pathsep.join((os.environ["PATH"], "/usr/sbin", "/sbin"))  # where root's programs may lie
    if not all(shutil.which(name, path=path) for name in (*sudo[:1], command[0])):
        return False
    given = {**os.environ, "PATH": path}
    return subprocess.run([*sudo, *command], capture_output=True, check=False, env=given).returncode == 0


def program(name: str) -> str:
    """Where a program lies that sandboxed tests need, also one that rustup keeps in a home."""
    path = os.pathsep.join((os.environ["PATH"], str(Path("~/.cargo/bin").expanduser())))
    return shutil.which(name, path=path) or missing(name)
