"""The running interpreter and its packages, as they are shown inside a sandbox.

Inside, `/opt/bouncer` is a virtual environment of its own: its interpreter is the one below this process's (mounted at
the path it was built for), its packages are this process's, mounted under fixed names. So nothing of a checkout, a
home or a settings file has to be shown, and it does not matter whether this process runs from a virtual environment.
"""

import site
import sys
import sysconfig
from functools import cache
from pathlib import Path

from bot.sandbox.protocol import Mount

HOME = "/opt/bouncer"
PYTHON = f"{HOME}/bin/python3"


@cache
def packages() -> tuple[Path, ...]:
    """The directories of installed packages that this process imports from."""
    own = {Path(path).resolve() for path in (*site.getsitepackages(), site.getusersitepackages())}
    return tuple(dict.fromkeys(Path(p).resolve() for p in sys.path if Path(p).resolve() in own and Path(p).is_dir()))


@cache
def mounts() -> tuple[Mount, ...]:
    """The base interpreter where it was built for, and each directory of packages."""
    bases = dict.fromkeys(Path(prefix).resolve() for prefix in (sys.base_prefix, sys.base_exec_prefix))
    outside = [Mount(base, str(base)) for base in bases if not base.is_relative_to("/usr")]
    return (*outside, *(Mount(path, f"{HOME}/packages/{index}") for index, path in enumerate(packages())))


def executable() -> str:
    """The interpreter itself, beneath any virtual environment."""
    return str(Path(getattr(sys, "_base_executable", "") or sys.executable).resolve())


def configuration() -> str:
    """The text of `pyvenv.cfg`."""
    return f"home = {Path(executable()).parent}\ninclude-system-site-packages = false\n"


def path_file() -> str:
    """The `.pth` file that names the directories of packages."""
    return "".join(f"{HOME}/packages/{index}\n" for index in range(len(packages())))


def site_directory() -> str:
    """Where the virtual environment inside looks for packages, relative to HOME."""
    return sysconfig.get_path("purelib", "venv", {"base": ""}).lstrip("/")
