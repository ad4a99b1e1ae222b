"""A small root file system made of this machine's own files, imported into podman: the image of the container tests.

It holds Python with Bouncer's test packages and the few tools that jobs use. Nothing is downloaded. Its tag is a hash
of what goes in, so it is made once for each state of the machine and kept.
"""

import fcntl
import functools
import hashlib
import importlib.metadata
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

NAME = "localhost/bouncer-sandbox-tests"
VERSION = "3"  # of what this file puts in
TOOLS = (
    *(
        "sh",
        "bash",
        "tar",
        "cat",
        "cp",
        "mkdir",
        "sleep",
        "id",
        "env",
        "ls",
        "rm",
        "ln",
        "mkfifo",
        "kill",
        "true",
        "false",
    ),
    *("head", "chmod", "mount", "unshare", "su", "nice"),
)
PACKAGES = ("pytest", "hypothesis")
LEFT_OUT = {"test", "tests", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", "site-packages"}
PYTHON = "opt/python"


@functools.cache
def image() -> str | None:
    """The image's name, made now if need be; `None` where podman is not installed, or may not have several users."""
    if shutil.which("podman") is None or (os.geteuid() and not shutil.which("newuidmap")):
        return None
    name = f"{NAME}:{_state()}"
    with (Path(tempfile.gettempdir()) / f"bouncer-rootfs-{_state()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the test processes wait for the one that makes it
        if subprocess.run(["podman", "image", "exists", name], check=False).returncode != 0:
            _import(name)
    return name


def _import(name: str) -> None:
    podman = subprocess.Popen(
        ["podman", "import", "--quiet", "--change", "VOLUME /declared", "-", name],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert podman.stdin
    with podman.stdin, tarfile.open(fileobj=podman.stdin, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for place, mode in (("tmp", 0o1777), ("etc", 0o755), ("proc", 0o755), ("dev", 0o755), ("sys", 0o755)):
            _directory(tar, place, mode)
        for inside, source in _files():
            tar.add(source, inside, recursive=False, filter=_readable)
        _link(tar, "usr/bin/python3", f"/{PYTHON}/bin/{_interpreter().name}")
        for place in ("bin", "sbin", "lib", "lib64"):
            _link(tar, place, f"usr/{place}")
        _text(tar, "etc/passwd", "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    assert podman.wait() == 0


def _files() -> Iterator[tuple[str, Path]]:
    """(path inside, path here), directories apart."""
    libraries = {path for tool in _tools() for path in _libraries(tool)}
    for tool in _tools():
        yield f"usr/bin/{tool.name}", tool.resolve()
    yield f"{PYTHON}/bin/{_interpreter().name}", _interpreter()
    standard = Path(sysconfig.get_path("stdlib"))
    for path in _below(standard):
        yield f"{PYTHON}/lib/{standard.name}/{path.relative_to(standard)}", path
    for path in _packages():
        yield f"{_site_inside()}/{path.relative_to(_site())}", path
    natives = [
        _interpreter(),
        *standard.glob("lib-dynload/*.so"),
        *(path for path in _packages() if ".so" in path.name),
    ]
    for path in natives:
        libraries |= set(_libraries(path))
    for path in sorted(libraries):
        place = "usr/lib64" if path.name.startswith("ld-") else f"usr/lib/{sysconfig.get_config_var('MULTIARCH')}"
        yield f"{place}/{path.name}", path.resolve()


def _below(directory: Path) -> Iterator[Path]:
    for path in sorted(directory.iterdir()):
        if path.is_dir() and path.name not in LEFT_OUT and not path.name.startswith("config-"):
            yield from _below(path)
        elif path.is_file():
            yield path


@functools.cache
def _packages() -> tuple[Path, ...]:
    waiting, found = list(PACKAGES), {}
    while waiting:
        name = re.split(r"[ ;<>=!~\[(]", waiting.pop())[0].lower()
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:  # wanted on other systems only
            continue
        if name not in found:
            found[name] = [Path(str(file.locate())).resolve() for file in package.files or ()]
            waiting += [one for one in package.requires or () if "extra ==" not in one]
    files = (path for paths in found.values() for path in paths)
    return tuple(sorted({path for path in files if path.is_file() and path.is_relative_to(_site())}))


@functools.cache
def _libraries(binary: Path) -> tuple[Path, ...]:
    listed = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=False).stdout
    found = (Path(path) for path in re.findall(r"(/\S+) \(0x", listed))
    return tuple(path for path in found if not path.is_relative_to(_site()))


@functools.cache
def _tools() -> tuple[Path, ...]:
    return tuple(Path(path) for tool in TOOLS if (path := shutil.which(tool, path="/usr/bin:/bin:/usr/sbin:/sbin")))


def _interpreter() -> Path:
    return Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}").resolve()


@functools.cache
def _site() -> Path:
    return Path(sysconfig.get_path("purelib")).resolve()


@functools.cache
def _site_inside() -> str:
    """Where the interpreter looks for packages below another prefix: Debian's has a place of its own."""
    asked = f"import site; print(site.getsitepackages(['/{PYTHON}'])[0])"
    told = subprocess.run([_interpreter(), "-I", "-c", asked], capture_output=True, text=True, check=True).stdout
    return told.strip().removeprefix("/")


@functools.cache
def _state() -> str:
    """Everything that decides what goes in, without reading it."""
    whole = hashlib.sha256(f"{VERSION} {sys.version} {TOOLS}".encode())
    for path in (*_packages(), *_tools(), _interpreter()):
        found = path.stat()
        whole.update(f"{path.name} {found.st_size} {found.st_mtime_ns}\n".encode())
    return whole.hexdigest()[:16]


def _readable(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """By anybody, set-user-id bits and owners of this machine gone."""
    entry.mode, entry.uid, entry.gid, entry.uname, entry.gname = 0o755, 0, 0, "", ""
    return entry


def _directory(tar: tarfile.TarFile, place: str, mode: int) -> None:
    entry = tarfile.TarInfo(place)
    entry.type, entry.mode = tarfile.DIRTYPE, mode
    tar.addfile(entry)


def _link(tar: tarfile.TarFile, place: str, target: str) -> None:
    entry = tarfile.TarInfo(place)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    tar.addfile(entry)


def _text(tar: tarfile.TarFile, place: str, text: str) -> None:
    entry = tarfile.TarInfo(place)
    entry.size, entry.mode = len(text), 0o644
    tar.addfile(entry, io.BytesIO(text.encode()))
