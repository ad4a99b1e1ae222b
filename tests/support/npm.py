"""GitHub's published contracts come from npm at test time; they are cached outside git."""

import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from tests.support.needs import missing

CACHE = Path(__file__).parents[2] / ".cache" / "npm"


def npm_package(name: str, version: str, *, only: str = "") -> Path:
    """The directory of the unpacked package, downloaded once. Skips (in CI: fails) when it cannot be had.

    only: the one file wanted of it, where the whole package is large.
    """
    target = CACHE / f"{name.removeprefix('@').replace('/', '-')}-{version}"
    if target.is_dir():
        return target
    if shutil.which("npm") is None:
        missing("npm")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        packed = subprocess.run(
            ["npm", "pack", "--silent", "--ignore-scripts", f"{name}@{version}"],
            cwd=scratch,
            capture_output=True,
            text=True,
            timeout=300,
        )
        if packed.returncode != 0:
            missing(f"the npm package {name}@{version} ({packed.stderr.strip()[-200:]})")
        with tarfile.open(next(Path(scratch).glob("*.tgz"))) as archive:
            wanted = [archive.getmember(f"package/{only}")] if only else None
            # Python 3.11.2, which Debian 12 has, knows no filter.
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            archive.extractall(scratch, members=wanted, **safe)  # type: ignore[arg-type]
        try:
            (Path(scratch) / "package").rename(target)  # whole or not at all: other processes may look
        except OSError:
            if not target.is_dir():
                raise
    return target
