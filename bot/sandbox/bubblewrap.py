"""The embedded executor: bubblewrap (`bwrap`), started by a launcher that has given up every privilege before."""

import json
import marshal
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from functools import cached_property
from math import ceil
from pathlib import Path
from resource import RLIMIT_CORE, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC
from typing import IO, Any

from bot.sandbox import interpreter, results
from bot.sandbox.protocol import Capabilities, Job, Mount, Outcome, Status

STAGE = "/tmp"  # noqa: S108 - in the launcher's own mount namespace, see `launcher/stage.py`
GRACE = 30.0  # seconds in which the launcher prepares a job and reads its results, beside the job's own
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
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_WRITABLE = {"work": "/work", "results": "/results", "tmp": "/tmp", "shm": "/dev/shm"}  # noqa: S108 - inside
_DEFAULTS = {"PATH": f"{interpreter.HOME}/bin:/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}  # noqa: S108
_ENDINGS = {
    Status.WALL: "the wall clock ran out",
    Status.MEMORY: "it needed more memory than it may have",
    Status.OUTPUT_LIMIT: "it printed more than it may",
}


class BubblewrapExecutor:
    """Runs a job in namespaces of its own; see docs/sandbox.md for what is enforced by what."""

    name = "bubblewrap"

    def probe(self) -> Capabilities:
        return self._capabilities

    @cached_property
    def _capabilities(self) -> Capabilities:
        program = shutil.which("bwrap")
        if program is None:
            return self._unusable("", "bubblewrap is not installed: sudo apt-get install bubblewrap")
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        return Capabilities(
            self.name, version.strip().removeprefix("bubblewrap "), usable=True, python=(interpreter.PYTHON,)
        )

    def _unusable(self, version: str, problem: str) -> Capabilities:
        return Capabilities(self.name, version, usable=False, problem=problem)

    def run(self, job: Job) -> Outcome:
        started = time.monotonic()
        with tempfile.TemporaryFile() as request, tempfile.TemporaryFile() as complaints:
            marshal.dump(_request(job), request)
            request.seek(0)
            launcher = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _LAUNCH, str(_HOME), str(os.getpid())],
                stdin=request,
                stdout=subprocess.PIPE,
                stderr=complaints,
                cwd="/",
                env={},
                start_new_session=True,
            )
            assert launcher.stdout is not None
            backstop = threading.Timer(job.limits.wall + GRACE, launcher.kill)
            backstop.start()
            try:
                return self._outcome(job, launcher.stdout, started)
            finally:
                backstop.cancel()
                launcher.stdout.close()
                launcher.kill()
                launcher.wait()

    def _outcome(self, job: Job, answer: IO[bytes], started: float) -> Outcome:
        enforced = self.probe().enforced
        try:
            reply: dict[str, Any] = marshal.load(answer)  # noqa: S302 - from the launcher, which alone has the pipe
        except (EOFError, ValueError, TypeError):
            problem = "the sandbox could not be set up"
            return Outcome(Status.SANDBOX_ERROR, None, b"", b"", {}, time.monotonic() - started, enforced, problem)
        code = _exit_code(reply["status"])
        status = Status(reply["verdict"] or (Status.EXITED if code is not None else Status.SANDBOX_ERROR))
        problem = _ENDINGS.get(status, "")
        if status is Status.SANDBOX_ERROR:
            problem = "bubblewrap could not set up the sandbox"
        found: dict[str, bytes] = {}
        try:
            if job.results_into is None:
                found = results.read(answer, job.limits.results, job.limits.files)
            else:
                results.unpack(answer, job.results_into, job.limits.results, job.limits.files)
        except results.ResultsError as error:
            if status is Status.EXITED:
                status, problem = Status.RESULT_LIMIT, str(error)
        return Outcome(
            status,
            code if status in (Status.EXITED, Status.RESULT_LIMIT) else None,
            reply["stdout"],
            reply["stderr"],
            found,
            time.monotonic() - started,
            enforced,
            problem,
        )


def _exit_code(statuses: bytes) -> int | None:
    """What bubblewrap says of the command; nothing when it could not start it."""
    for line in statuses.splitlines():
        told = json.loads(line)
        if "exit-code" in told:
            return int(told["exit-code"])
    return None


def _request(job: Job) -> dict[str, Any]:
    shown = [*interpreter.mounts(), *_system(), *job.mounts]
    if job.proxy:
        shown.append(Mount(job.proxy, "/run/proxy.sock"))
    texts = {**_TEXTS, "pyvenv.cfg": interpreter.configuration(), "bouncer.pth": interpreter.path_file()}
    limits = job.limits
    return {
        "bwrap": shutil.which("bwrap"),
        "arguments": _arguments(job, shown),
        "argv": list(job.argv),
        "tree": str(job.tree) if job.tree else None,
        "files": list(job.files.items()),
        "stdin": job.stdin,
        "binds": [(str(mount.host), f"bind{index}") for index, mount in enumerate(shown)],
        "texts": list(texts.items()),
        "writable": list(_WRITABLE),
        "disk": limits.disk,
        "inodes": limits.files,
        "wall": limits.wall,
        "output": limits.output,
        "rlimits": [
            (RLIMIT_CPU, ceil(limits.cpu)),
            (RLIMIT_NPROC, limits.processes),
            (RLIMIT_FSIZE, limits.disk),
            (RLIMIT_NOFILE, OPEN_FILES),
            (RLIMIT_CORE, 0),
        ],
        "outer_filter": b"",
        "inner_filter": b"",
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
    options += ["--json-status-fd", "3", "--dev", "/dev", "--proc", "/proc"]
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
    for name, value in {**_DEFAULTS, "TMPDIR": "/tmp", **job.environment}.items():  # noqa: S108 - inside
        options += ["--setenv", name, value]
    return options
