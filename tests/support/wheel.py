"""Fixtures: Bouncer's wheel, and a fresh environment into which it is installed."""

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def build(kind: str, source: Path, target: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, text=True)
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where its programs are; the first test process that needs them makes them for all."""
    place = tmp_path_factory.getbasetemp()
    home = (place.parent if "PYTEST_XDIST_WORKER" in os.environ else place) / "fresh"
    with home.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            install(wheel, home)
    return home / "bin"


def install(wheel: Path, home: Path) -> None:
    """The libraries come from this environment, so that nothing is downloaded."""
    venv.create(home, with_pip=False)
    python = home / "bin/python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True)
    (site,) = home.glob("lib/python*/site-packages")
    # No `.pth` to the libraries: what a sandbox is shown are the directories of packages themselves.
    here = Path(sysconfig.get_path("purelib"))
    own = {path.name for path in here.glob("*bouncer*")} | {path.name for path in here.glob("*.pth")}
    for entry in here.iterdir():
        if entry.name in own or entry.name == "__pycache__" or (site / entry.name).exists():
            continue
        if entry.is_dir():
            shutil.copytree(entry, site / entry.name, copy_function=link)
        else:
            link(str(entry), str(site / entry.name))


def link(source: str, target: str) -> None:
    """A hard link where that can be had: the libraries are hundreds of megabytes."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
