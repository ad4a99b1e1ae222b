"""The embedded executor: bubblewrap (`bwrap`), started by a launcher that has given up every privilege before."""

import json
import marshal
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from io import BufferedReader
from math import ceil
from pathlib import Path
from resource import RLIMIT_CORE, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC
from typing import IO, Any

from bot.errors import is_disk_trouble
from bot.sandbox import breakout, interpreter, results, seccomp, toolchains
from bot.sandbox.protocol import Capabilities, Job, Limits, Mount, Outcome, Status, ended, failed

STAGE = "/tmp"  # noqa: S108 - in the launcher's own mount namespace, see `launcher/stage.py`
GRACE = 120.0  # seconds in which the launcher copies the tree and sends the results, beside the job's own
_TOLD = 4096  # bytes of a failed launcher's complaints
_PUTS_AWAY = 5.0  # seconds in which a launcher that nobody listens to any more ends what it started
OPEN_FILES = 1024
_LAUNCH = (
    "import sys; sys.path.insert(0, sys.argv[1]); from bot.sandbox.launcher.main import main; main(int(sys.argv[2]))"
)
_HOME = Path(__file__).parents[2]
_SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
_CONFIGURATION = ("ld.so.cache", "alternatives", "ssl/certs", "localtime")
_TEXTS = {
    "passwd": "sandbox:x:65534:65534:sandbox:/tmp:/bin/sh\n",
    "group": "sandbox:x:65534:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_WRITABLE = {"work": "/work", "results": "/results", "tmp": "/tmp", "shm": "/dev/shm"}  # noqa: S108 - inside
_PATH = f"{interpreter.HOME}/bin:{toolchains.PATH}"
# A command that is not found is an ordinary outcome (127), as in every shell.
_COMMAND = ("/bin/sh", "-c", 'exec "$0" "$@"')
_BUBBLEWRAP = 2  # processes of its own
_ALWAYS = (
    *("wall", "cpu", "processes", "output", "results", "disk", "files"),
    *("network", "host files", "environment", "system calls"),
)
_MAY_MISS = {
    "memory (total)": "no control group can be made here, so each process is bounded by itself",
    "user": "Bouncer does not run as root, so jobs run as its own user",
}


class BubblewrapExecutor:
    """Runs a job in namespaces of its own; see docs/internals/sandbox.md for what is enforced by what."""

    name = "bubblewrap"

    def probe(self) -> Capabilities:
        return self._capabilities

    @cached_property
    def _capabilities(self) -> Capabilities:
        program = shutil.which("bwrap")
        if program is None:
            return self._unusable("", "bubblewrap is not installed: sudo apt-get install bubblewrap")
        version = _version(program)
        if not seccomp.is_supported():
            return self._unusable(version, f"there is no system call filter for {platform.machine()}")
        with tempfile.NamedTemporaryFile() as secret:
            Path(secret.name).chmod(0o644)  # only the sandbox stands in the way
            command = (interpreter.PYTHON, "-I", "-S", "-c", breakout.PROGRAM, secret.name)
            outcome = self.run(Job(command, limits=Limits(wall=20)))
        if outcome.status is not Status.EXITED or outcome.exit_code != 0:
            return self._unusable(version, _mend(outcome))
        if outcome.stdout != breakout.CONTAINED:
            return self._unusable(version, f"a program inside could {outcome.stdout.decode(errors='replace').strip()}")
        held = outcome.limits_enforced
        missing = tuple(f"{name}: {why}" for name, why in _MAY_MISS.items() if name not in held)
        return Capabilities(self.name, version, True, "", held, missing, (interpreter.PYTHON,))

    def _unusable(self, version: str, problem: str) -> Capabilities:
        return Capabilities(self.name, version, usable=False, problem=problem)

    def run(self, job: Job) -> Outcome:
        started = time.monotonic()
        try:
            with _memory() as request, _memory() as complaints:
                marshal.dump(_request(job), request)
                request.seek(0)
                with _launched(request, complaints, job.limits.wall + GRACE) as answer:
                    outcome = _outcome(job, _reply(answer, complaints), answer)
        except OSError as error:
            if is_disk_trouble(error):
                raise
            outcome = failed(f"the sandbox could not be started: {error.strerror}")
        return replace(outcome, seconds=time.monotonic() - started)


def _memory() -> IO[bytes]:
    """A file in memory, so that a full disk stops no job."""
    return open(os.memfd_create("bouncer"), "w+b")  # noqa: PTH123 - a descriptor; the caller closes


@contextmanager
def _launched(request: IO[bytes], complaints: IO[bytes], seconds: float) -> Iterator[BufferedReader]:
    """A launcher at work; yields what it answers. It is gone afterwards, and with it all that it started."""
    launcher = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _LAUNCH, str(_HOME), str(os.getpid())],
        stdin=request,
        stdout=subprocess.PIPE,
        stderr=complaints,
        cwd="/",
        env={},
        start_new_session=True,
    )
    assert isinstance(launcher.stdout, BufferedReader)
    backstop = threading.Timer(seconds, launcher.kill)
    backstop.start()
    try:
        yield launcher.stdout
    except BaseException:  # without an answer, so it may have something to put away yet, which it does unread
        launcher.stdout.close()
        with suppress(subprocess.TimeoutExpired):
            launcher.wait(_PUTS_AWAY)
        raise
    finally:
        backstop.cancel()
        launcher.stdout.close()
        launcher.kill()
        launcher.wait()


def _reply(answer: BufferedReader, complaints: IO[bytes]) -> dict[str, Any]:
    """What the launcher says of the job; where it said nothing, its own complaints."""
    answer.peek()  # raises what interrupts the wait; Python 3.11's marshal would take that for the end of the answer
    try:
        reply: dict[str, Any] = marshal.load(answer)  # noqa: S302 - from the launcher, which alone has the pipe
    except (EOFError, ValueError, TypeError):
        complaints.seek(0)
        return {"verdict": "sandbox_error", "problem": "the launcher ended early", "stderr": complaints.read(_TOLD)}
    return reply


def _outcome(job: Job, reply: dict[str, Any], answer: IO[bytes]) -> Outcome:
    code = _exit_code(reply.get("status", b""))
    status = Status(reply["verdict"] or (Status.SANDBOX_ERROR if code is None else Status.EXITED))
    problem = reply.get("problem", "bubblewrap could not set up the sandbox")
    found: dict[str, bytes] = {}
    if status is not Status.SANDBOX_ERROR:
        problem = ""
        try:
            found = results.take(job, answer)
        except results.ResultsError as error:
            if status is Status.EXITED:
                status, problem = Status.RESULT_LIMIT, str(error)
    outcome = ended(status, code, reply.get("stdout", b""), reply.get("stderr", b""), found, problem)
    opened = reply.get("opened")
    return replace(outcome, limits_enforced=_enforced(reply), opened=None if opened is None else frozenset(opened))


def _enforced(reply: dict[str, Any]) -> tuple[str, ...]:
    memory = "memory (total)" if reply.get("grouped") else "memory (per process)"
    user = ("user",) if reply.get("user", os.getuid()) != os.getuid() else ()
    return (*_ALWAYS, memory, *user) if "user" in reply else ()


def _version(program: str) -> str:
    try:
        told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout.strip().removeprefix("bubblewrap ")


def _mend(outcome: Outcome) -> str:
    """Why the probe's program could not run, and what helps. No program of a stranger has run: all text is ours."""
    told = outcome.stderr.decode(errors="replace").strip()[-300:]
    if "unknown option" in told.lower():
        return "bubblewrap is older than 0.8.0: install a newer one (Debian 12, Ubuntu 24.04)"
    if "proc" in told and "Operation not permitted" in told:
        return f"a container hides parts of /proc: start it with --security-opt systempaths=unconfined ({told})"
    if "namespace" in outcome.problem or "namespace" in told or "uid map" in told or "not permitted" in told:
        return (
            f"this machine refuses namespaces ({told or outcome.problem}). In a container: start it with "
            "--security-opt seccomp=docs/seccomp-bouncer.json --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined. On Ubuntu: sudo sysctl "
            "kernel.apparmor_restrict_unprivileged_userns=0. See docs/sandbox.md"
        )
    if "Permission denied" in told + outcome.problem:
        reason = "an unprivileged user cannot read Python or its packages"
        return f"{reason}: chmod -R a+rX {' '.join(str(mount.host) for mount in interpreter.mounts())} ({told})"
    return f"{outcome.problem or 'the probe failed'} ({told})"


def _exit_code(statuses: bytes) -> int | None:
    """What bubblewrap says of the command; nothing when it could not start it."""
    for line in statuses.splitlines():
        told = json.loads(line)
        if "exit-code" in told:
            return int(told["exit-code"])
    return None


def _request(job: Job) -> dict[str, Any]:
    shown = [*interpreter.mounts(), *_system(), *toolchains.mounts(), *job.shown]
    texts = {**_TEXTS, "pyvenv.cfg": interpreter.configuration(), "bouncer.pth": interpreter.path_file()}
    limits = job.limits
    return {
        "bwrap": shutil.which("bwrap"),
        "arguments": _arguments(job, shown),
        "argv": [*_COMMAND, *job.argv],
        "tree": str(job.tree) if job.tree else None,
        "files": list(job.files.items()),
        "locked": sorted(job.locked),
        "stdin": job.stdin,
        "binds": [(str(mount.host), f"bind{index}") for index, mount in enumerate(shown)],
        "texts": list(texts.items()),
        "writable": list(_WRITABLE),
        "disk": limits.disk,
        "inodes": limits.files,
        "wall": limits.wall,
        "output": limits.output,
        "memory": limits.memory,
        "processes": limits.processes + _BUBBLEWRAP,
        "rlimits": [
            (RLIMIT_CPU, ceil(limits.cpu)),
            (RLIMIT_NPROC, limits.processes + _BUBBLEWRAP),
            (RLIMIT_FSIZE, limits.disk),
            (RLIMIT_NOFILE, OPEN_FILES),
            (RLIMIT_CORE, 1),  # bytes; 0 would still start the host's crash handler where it has one
        ],
        "outer_filter": seccomp.outer(),
        "inner_filter": seccomp.inner(),
    }


def _system() -> list[Mount]:
    """What programs need of the host: its read-only software and the few public files that go with it."""
    places = [Path("/", name) for name in _SYSTEM if not Path("/", name).is_symlink()]
    places += [Path("/etc", name) for name in _CONFIGURATION]
    return [Mount(place.resolve(), str(place)) for place in places if place.exists()]


def _arguments(job: Job, shown: list[Mount]) -> list[str]:
    """bubblewrap's options, in the order in which it obeys them."""
    options = ["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--clearenv"]
    options += ["--die-with-parent", "--new-session", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"]
    options += ["--json-status-fd", "3", "--seccomp", "4", "--dev", "/dev", "--proc", "/proc"]
    for name in _SYSTEM:
        if Path("/", name).is_symlink():
            options += ["--symlink", str(Path("/", name).readlink()), f"/{name}"]
    for name, place in _WRITABLE.items():
        options += ["--bind", f"{STAGE}/{name}", place]
    for index, mount in enumerate(shown):
        options += ["--ro-bind", f"{STAGE}/bind{index}", mount.inside]
    for name in _TEXTS:
        options += ["--ro-bind", f"{STAGE}/{name}", f"/etc/{name}"]
    home = interpreter.HOME
    options += ["--ro-bind", f"{STAGE}/pyvenv.cfg", f"{home}/pyvenv.cfg"]
    options += ["--ro-bind", f"{STAGE}/bouncer.pth", f"{home}/{interpreter.site_directory()}/bouncer.pth"]
    for name in ("python3", "python"):
        options += ["--symlink", interpreter.executable(), f"{home}/bin/{name}"]
    options += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/work"]
    for name, value in {"PATH": _PATH, **job.variables}.items():
        options += ["--setenv", name, value]
    return options


def from_settings(settings: object) -> BubblewrapExecutor:
    """It needs no setting."""
    return BubblewrapExecutor()
