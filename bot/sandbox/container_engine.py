"""podman or docker as a command: found, asked, never trusted to end in time.

Which process a container belongs to stands on it, so that those of a killed Bouncer are found and those of a living one
kept.
"""

import itertools
import os
import re
import resource
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import IO

# All that podman and docker themselves need to find their daemon and storage; nothing else of ours reaches them.
_PASSED_ON = (
    *("PATH", "HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "DBUS_SESSION_BUS_ADDRESS"),
    *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"),
    *("CONTAINER_HOST", "CONTAINER_CONNECTION"),
)
# docker fills these from its configuration; a proxy's address may hold a password.
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_counter = itertools.count()
PATIENCE = 60.0  # seconds for anything but the job itself
KEEPER = "65533:65533"  # the first process is not the job's: a job can neither kill it nor write its memory
_FIRST_USER, _USERS = 65000, 500  # a range that no distribution gives to anybody


@dataclass(frozen=True, slots=True)
class Called:
    """How a call ended. code: `None` when it was ended for taking too long (`late`) or saying too much (`flooded`)."""

    code: int | None
    stdout: bytes
    stderr: bytes
    late: bool = False
    flooded: bool = False


@dataclass(frozen=True, slots=True)
class ContainerEngine:
    """command: with the global options that work on this machine. volumes: writable places are volumes, not mounts."""

    command: tuple[str, ...]
    version: str
    podman: bool
    volumes: bool = False

    @property
    def bounds_files(self) -> bool:
        """Whether the number of files in a writable place is limited."""
        return self.volumes or not self.podman

    def call(
        self,
        arguments: Sequence[str],
        *,
        stdin: IO[bytes] | None = None,
        seconds: float = PATIENCE,
        most: int = 1 << 16,
    ) -> Called:
        """Run to its end, to `seconds`, or to more than `most` bytes on standard output or standard error."""
        process = self.start(arguments, stdin=stdin)
        assert process.stdout and process.stderr
        out, err = Bounded(process, process.stdout, most), Bounded(process, process.stderr, most)
        late = False
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            late = True
            process.kill()
            process.wait()
        stdout, stderr, flooded = out.end(), err.end(), out.flooded or err.flooded
        return Called(None if late or flooded else process.returncode, stdout, stderr, late, flooded)

    def start(self, arguments: Sequence[str], *, stdin: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
        """Start and leave it to the caller to read and to end it."""
        return subprocess.Popen(
            [*self.command, *arguments],
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
            cwd=_place().name,
            start_new_session=True,
        )

    def remove(self, container: str) -> None:
        """With all that runs in it; one that is gone is fine."""
        self.call(["rm", "--force", "--volumes", *(["--time", "0"] if self.podman else []), container])

    def sweep(self, label: str) -> None:
        """Remove what a Bouncer that was killed left behind on this machine."""
        owner = f'index .Labels "{label}"' if self.podman else f'.Label "{label}"'
        shown = f"{{{{.ID}}}} {{{{{owner}}}}}"
        listed = self.call(["ps", "--all", "--filter", f"label={label}", "--format", shown])
        for line in listed.stdout.decode("utf-8", "replace").splitlines():
            container, _, owner = line.partition(" ")
            if is_gone(owner):
                self.remove(container)

    def digest(self, image: str) -> str | None:
        """The id of an image that lies on this machine, a hash of all it holds; nothing is pulled."""
        called = self.call(["image", "inspect", "--format", "{{.Id}}", image])
        found = called.stdout.decode("ascii", "replace").strip()
        found = found if found.startswith("sha256:") else f"sha256:{found}"
        return found if called.code == 0 and _DIGEST.fullmatch(found) else None

    def cover_volumes(self, image: str) -> list[str]:
        """Flags that make the volumes an image declares empty and read-only; docker cannot be told to ignore them."""
        if self.podman:
            return []
        shown = "{{range $path, $_ := .Config.Volumes}}{{println $path}}{{end}}"
        listed = self.call(["image", "inspect", "--format", shown, image]).stdout.decode("utf-8", "replace")
        return [part for path in listed.splitlines() if path.strip() for part in ("--tmpfs", f"{path}:ro,size=4k")]

    def security_flags(self) -> list[str]:
        """What every container is run with, whatever the job's limits."""
        processes = min(4096, _hard(resource.RLIMIT_NPROC))  # a backstop only: it counts all containers' together
        flags = [
            *("--pull=never", "--no-healthcheck", "--network=none", "--read-only", "--cap-drop=ALL", "--ipc=private"),
            *("--security-opt=no-new-privileges", f"--security-opt=seccomp={data_file('seccomp.json')}"),
            *("--user", KEEPER, "--hostname", "sandbox", "--workdir", "/"),
            *("--ulimit", f"nofile={min(1024, _hard(resource.RLIMIT_NOFILE))}", "--ulimit", "core=0"),
            *("--ulimit", f"nproc={processes}"),
        ]
        if self.podman:
            # An image's volumes would be writable on the host's disk, its default read-only tmpfs have no bounds, and
            # its /etc/hosts would hold this machine's.
            flags += ["--image-volume=ignore", "--read-only-tmpfs=false", "--no-hosts"]
            flags += ["--volume", f"{data_file('hosts')}:/etc/hosts:ro"]
        else:
            names = (*_PROXIES, *(name.lower() for name in _PROXIES))
            flags += ["--add-host", "sandbox:127.0.0.1", *(part for name in names for part in ("--env", f"{name}="))]
        return flags

    def memory_place(self, path: str, size: int, most_files: int) -> list[str]:
        """Flags for a writable place in memory. podman bounds the number of files in volumes only."""
        if self.volumes:
            options = f'volume-opt=type=tmpfs,volume-opt=device=tmpfs,"volume-opt=o=size={size},nr_inodes={most_files}"'
            return ["--mount", f"type=volume,destination={path},{options}"]
        if self.podman:
            return ["--mount", f"type=tmpfs,destination={path},tmpfs-size={size},tmpfs-mode=1777,notmpcopyup"]
        return ["--tmpfs", f"{path}:rw,exec,nosuid,nodev,mode=1777,size={size},nr_inodes={most_files}"]


def _place() -> "tempfile.TemporaryDirectory[str]":
    """Where the engine's commands run: podman's monitor leaves an empty file `oom` there when a container's memory ran
    out. Made anew where somebody has put it away with other temporary files."""
    if not Path(_made_place().name).is_dir():
        _made_place().cleanup()
        _made_place.cache_clear()
    return _made_place()


@cache
def _made_place() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="bouncer-engine-")


class Bounded:
    """Collects what a process writes to one pipe, and ends the process when it is more than `most` bytes."""

    def __init__(self, process: "subprocess.Popen[bytes]", pipe: IO[bytes], most: int) -> None:
        self.flooded = False
        self._found = bytearray()
        self._thread = threading.Thread(target=self._read, args=(process, pipe, most), daemon=True)
        self._thread.start()

    def end(self) -> bytes:
        """At most `most` bytes, once the pipe is at its end."""
        self._thread.join(PATIENCE)
        return bytes(self._found)

    def _read(self, process: "subprocess.Popen[bytes]", pipe: IO[bytes], most: int) -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), 1 << 16):
                self._found += chunk[: most - len(self._found) + 1]
                if len(self._found) > most:
                    self.flooded = True
                    del self._found[most:]
                    process.kill()
                    return


def find(command: str) -> Sequence[ContainerEngine]:
    """The engines to try, best first: as configured, or podman and docker as far as they are on the PATH.

    podman comes in four ways: its default runtime may refuse this machine's cgroups where runc does not, and not every
    version makes volumes in memory.
    """
    found = []
    for name in [command] if command else ["podman", "docker"]:
        path = shutil.which(name)
        if path is None:
            continue
        version = (
            ContainerEngine((path,), "", False).call(["--version"]).stdout.decode("utf-8", "replace").strip()[:100]
        )
        if "podman" not in version.lower():
            found.append(ContainerEngine((path,), version, podman=False))
            continue
        ways: list[tuple[tuple[str, ...], str]] = [((path,), version)]
        if shutil.which("runc", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"):
            ways.append(((path, "--runtime", "runc", "--cgroup-manager", "cgroupfs"), f"{version}, runc"))
        found += [ContainerEngine(*way, podman=True, volumes=volumes) for volumes in (True, False) for way in ways]
    return found


def user() -> str:
    """Whom a job runs as: a user of its own, so that its limits and signals concern it alone."""
    number = _FIRST_USER + (os.getpid() * 31 + next(_counter)) % _USERS
    return f"{number}:{number}"


def environment() -> Mapping[str, str]:
    """What podman and docker see of ours."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}


def data_file(name: str) -> str:
    """The path of one of this package's data files."""
    with as_file(files("bot.sandbox").joinpath(name)) as path:  # a wheel is installed unpacked, so it stays
        return str(path)


def _hard(what: int) -> int:
    limit = resource.getrlimit(what)[1]
    return limit if limit != resource.RLIM_INFINITY else 1 << 20


def owner_mark() -> str:
    """This machine, this process, and when it started: a process id alone is used again."""
    return f"{socket.gethostname()}/{os.getpid()}/{_start(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Whether the owner was a process of this machine that has ended; of another machine's nothing is known."""
    host, _, rest = owner.rpartition("/")[0].rpartition("/")
    start = owner.rpartition("/")[2]
    return host == socket.gethostname() and rest.isdigit() and _start(int(rest)) != start


def _start(pid: int) -> str:
    """In ticks since the machine started; empty when there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
