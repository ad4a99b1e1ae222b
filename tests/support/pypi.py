"""Published contracts that come from the Python package index at test time; they are cached outside git."""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.needs import missing

CACHE = Path(__file__).parents[2] / ".cache" / "pypi"


def wheel_of(name: str, version: str) -> Path:
    """The package's wheel, downloaded once and not installed. Skips (in CI: fails) when it cannot be had."""
    target = CACHE / f"{name}-{version}.whl"
    if not target.is_file():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
            done = subprocess.run(
                [*command, "--dest", scratch, f"{name}=={version}"], capture_output=True, text=True, timeout=300
            )
            if done.returncode:
                missing(f"the package {name}=={version} ({done.stderr.strip()[-200:]})")
            next(Path(scratch).glob("*.whl")).rename(target)
    return target
