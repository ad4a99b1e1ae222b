"""Toolchains of this machine that lie where a sandbox shows nothing, such as rustup's in somebody's home.

`/usr` is shown as it is. What lies elsewhere, or is found by a shim that needs its user's settings, is shown below
`/opt` as the directory that holds it: software alone, without that user's settings, registries and credentials.
"""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from bot.sandbox.protocol import Mount

SYSTEM_PATH = "/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin"
# A program, how it tells where its toolchain lies, where that is shown, and which of its folders: a toolchain may have
# been put among other things of its user's.
_ASKED = (
    (("rustc", "--print", "sysroot"), "/opt/rust", ("bin", "lib")),
    (("go", "env", "GOROOT"), "/opt/go", ("",)),
    (("node", "-p", "path.join(process.execPath, '../..')"), "/opt/node", ("bin", "lib")),
)
PATH = ":".join([*(f"{inside}/bin" for _, inside, _ in _ASKED), SYSTEM_PATH])
_NEEDED = ("HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN")  # to be found; the rest of the environment is nobody's business
_SECONDS = 20.0


@cache
def mounts() -> tuple[Mount, ...]:
    """The toolchains that this process's user would run, and that are not in the system's own place."""
    found = [(_root(asked), inside, folders) for asked, inside, folders in _ASKED]
    return tuple(
        Mount(root / folder, f"{inside}/{folder}".rstrip("/"))
        for root, inside, folders in found
        if root is not None
        for folder in folders
        if (root / folder).is_dir()
    )


def program_at(name: str) -> str | None:
    """Where this process's user finds a program of a toolchain."""
    homes = (os.environ.get("PATH", ""), str(Path("~/.cargo/bin").expanduser()), "/usr/local/cargo/bin", SYSTEM_PATH)
    return shutil.which(name, path=":".join(filter(None, homes)))


def _root(asked: tuple[str, ...]) -> Path | None:
    """Where the toolchain lies; `None` where there is none, or the system's is the same."""
    program = program_at(asked[0])
    if program is None:
        return None
    needed = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    beside = Path(program).parent.parent.parent / ".rustup"  # where it puts toolchains, whoever's home is asked for
    needed = {"RUSTUP_HOME": str(beside), **needed} if beside.is_dir() else needed
    environment = {**needed, "PATH": SYSTEM_PATH, "RUSTUP_AUTO_INSTALL": "0", "GOTOOLCHAIN": "local"}
    words = [program, *asked[1:]]
    try:
        told = subprocess.run(
            words, cwd="/", env=environment, capture_output=True, text=True, timeout=_SECONDS, check=True
        )
        root = Path("/", told.stdout.strip()).resolve(strict=True)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    system = shutil.which(asked[0], path=SYSTEM_PATH)
    known = system is not None and Path(system).resolve().is_relative_to(root) and root.is_relative_to("/usr")
    return None if known or not (root / "bin" / asked[0]).is_file() else root
