"""The production executor: each job in a container of its own, by podman or docker.

See docs/internals/sandbox.md.
"""

import re
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from io import BufferedReader
from math import ceil
from pathlib import Path
from typing import cast

from bot.errors import is_disk_trouble
from bot.sandbox import breakout, results
from bot.sandbox.container_engine import (
    KEEPER,
    PATIENCE,
    Bounded,
    Called,
    ContainerEngine,
    data_file,
    find,
    owner_mark,
    user,
)
from bot.sandbox.pack import PackError, Part, pack
from bot.sandbox.protocol import Capabilities, Job, Limits, MiB, Mount, Outcome, Status, ended, failed
from bot.settings import Settings

LABEL = "bouncer.sandbox"
_SHARED_MEMORY = 64 * MiB
_SPARE_PROCESSES = 32  # for what is run after the job, which a limit of its user's own keeps from using them
_WRITABLE = ("/work", "/results", "/tmp")  # noqa: S108 - inside
_ENFORCED = (
    *("wall", "cpu", "memory (total)", "processes", "output", "results", "disk", "network"),
    *("host files", "environment", "system calls", "user"),
)
_MEMORY_EVENTS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")

# The first process only waits. It is another user's and has no handler, so nothing inside can end it; ignoring its
# children's ends makes the kernel clear them away. It ends by itself, and the container too, should Bouncer be killed.
_IDLE = 'n="$1"; env --ignore-signal=CHLD true 2>/dev/null && exec env --ignore-signal=CHLD sleep "$n"; exec sleep "$n"'
# The mark tells the program's output from an engine's own complaints. When memory or processor time are short in the
# container, the job comes after what reads its results.
_COMMAND = (
    'ulimit -t "$1" 2>/dev/null; ulimit -u "$2" 2>/dev/null || ulimit -p "$2" 2>/dev/null; '
    'echo 900 2>/dev/null >/proc/self/oom_score_adj; printf %s "$3"; shift 3; '
    'exec nice -n 19 env -i PATH="$PATH" "$@"'
)
# Nothing of the job is left when its results are read, so what follows runs undisturbed.
_COLLECT = (
    f"kill -9 -1 2>/dev/null; cat {' '.join(_MEMORY_EVENTS)} >&2 2>/dev/null; "
    "chmod -R u+rwX /results 2>/dev/null; cd /results && exec tar -cf - ."
)
_ISOLATED = "cat /proc/self/status /proc/net/route; id -u; echo x >/x"
_PYTHON = "import pytest, hypothesis, sys; print(sys.executable)"


class _Failed(Exception):
    """The sandbox itself failed; a plain sentence."""


@dataclass(frozen=True, slots=True)
class _Ready:
    engine: ContainerEngine
    image: str


@dataclass(frozen=True, slots=True)
class _Container:
    """One that runs. user: whom the job runs as in it."""

    engine: ContainerEngine
    name: str
    user: str

    def inside(self, *argv: str, interactive: bool = False) -> list[str]:
        """The arguments that run a command in it, as the job's user."""
        flags = ["--interactive"] if interactive else []
        return ["exec", *flags, "--user", self.user, "--workdir", "/work", self.name, *argv]


class ContainerExecutor:
    """Runs a job in a fresh container.

    command: `podman` or `docker`, by name or path; empty: whichever is found and works.
    image: of jobs that name none; empty: this release's own. A tag is resolved to its digest once, and nothing is ever
        pulled.
    """

    name = "container"

    def __init__(self, command: str = "", image: str = "") -> None:
        self._command = command
        self._image = image or own_image()

    def probe(self) -> Capabilities:
        return self._measured[0]

    def run(self, job: Job) -> Outcome:
        started = time.monotonic()
        capabilities, ready = self._measured
        outcome = failed(capabilities.problem) if ready is None else _outcome(ready, job)
        return replace(outcome, seconds=time.monotonic() - started, limits_enforced=capabilities.enforced)

    @cached_property
    def _measured(self) -> tuple[Capabilities, _Ready | None]:
        """Tried, not asked: a job runs in each engine until one isolates."""
        problems = []
        for engine in find(self._command):
            if engine.call(["version"]).code != 0:
                problems.append(f"{engine.version} is installed but does not answer; is its daemon running?")
                continue
            engine.sweep(LABEL)
            image = engine.digest(self._image)
            if image is None:
                problems.append(
                    f"the image {self._image} is not on this machine: build or pull it with {engine.command[0]}, "
                    "or name another in BOUNCER_SANDBOX_IMAGE"
                )
                continue
            try:
                return self._try(_Ready(engine, image)), _Ready(engine, image)
            except (_Failed, OSError) as failure:
                problems.append(str(failure))
        if not problems:
            what = self._command or "podman or docker"
            problems = [f"{what} is not on the PATH. Install podman, or set BOUNCER_CONTAINER_COMMAND"]
        return Capabilities(self.name, "", usable=False, problem="; ".join(dict.fromkeys(problems))), None

    def _try(self, ready: _Ready) -> Capabilities:
        """Run a harmless job and see the limits from within. Raises `_Failed`."""
        engine = ready.engine
        with tempfile.NamedTemporaryFile() as secret, _container(engine, ready.image, Job(("true",))) as container:
            Path(secret.name).chmod(0o644)
            seen = engine.call(container.inside("sh", "-c", _ISOLATED))
            python = engine.call(container.inside("python3", "-c", _PYTHON))
            interpreter = python.stdout.decode("utf-8", "replace").strip()
            escaped = engine.call(container.inside("env", "-i", interpreter, "-c", breakout.PROGRAM, secret.name))
        said = seen.stdout.decode("ascii", "replace")
        wanted = {"NoNewPrivs": "1", "Seccomp": "2", "CapEff": "0" * 16, "CapBnd": "0" * 16}
        if any(not re.search(rf"^{field}:\s*{value}$", said, re.M) for field, value in wanted.items()):
            raise _Failed(f"{engine.version} leaves containers privileges that Bouncer asks it to take away")
        routes, _, uid = said.partition("Iface")[2].strip().rpartition("\n")
        if "\n" in routes or uid == "0" or not uid.isdigit() or seen.code == 0:
            raise _Failed(
                f"{engine.version} does not isolate: a container has a network, is root or may write its image"
            )
        if python.code == 0 and escaped.stdout != breakout.CONTAINED:
            raise _Failed(f"a program can leave a container of {engine.version}, or do in it what Bouncer forbids")
        absent = {
            "files: this podman cannot bound their number; the memory limit does": not engine.bounds_files,
            "python: the image has none with pytest and hypothesis": python.code != 0,
        }
        return Capabilities(
            self.name,
            f"{engine.version}, image {ready.image}",
            usable=True,
            enforced=(*_ENFORCED, "files") if engine.bounds_files else _ENFORCED,
            missing=tuple(what for what, is_absent in absent.items() if is_absent),
            python=(interpreter,) if python.code == 0 else (),
        )


def own_image() -> str:
    """Bouncer's own image: by digest in a release (see scripts/release-image), else as one builds it."""
    return Path(data_file("image")).read_text("ascii").strip()


@contextmanager
def _container(engine: ContainerEngine, image: str, job: Job) -> Iterator[_Container]:
    """A running, idle container with nothing in it but its image; removed whatever happens. Raises `_Failed`."""
    name = f"bouncer-{secrets.token_hex(8)}"
    flags = ["--name", name, "--label", f"{LABEL}={owner_mark()}", *engine.security_flags()]
    flags += [*engine.cover_volumes(image), *_limits(engine, job.limits)]
    for mount in job.shown:
        flags += ["--volume", _volume(mount)]
    life = str(ceil(job.limits.wall + 3 * PATIENCE))
    try:
        started = engine.call(["run", "--detach", "--rm", *flags, "--entrypoint", "sh", image, "-c", _IDLE, "sh", life])
        if started.code != 0:
            raise _Failed(f"{engine.version} could not start a container: {_complaint(started)}")
        yield _Container(engine, name, user())
    finally:
        engine.remove(name)


def _limits(engine: ContainerEngine, limits: Limits) -> list[str]:
    # What lies in memory counts as memory: files alone must not be able to use it up.
    size = min(limits.disk, limits.memory // 4)
    flags = ["--memory", str(limits.memory), "--memory-swap", str(limits.memory), "--ulimit", f"fsize={size}"]
    flags += ["--pids-limit", str(limits.processes + _SPARE_PROCESSES)]
    flags += ["--shm-size", str(min(_SHARED_MEMORY, size, limits.memory // 8))]
    for place in _WRITABLE:
        flags += engine.memory_place(place, size, limits.files)
    return flags


def _volume(mount: Mount) -> str:
    if ":" in str(mount.host) or ":" in mount.inside:
        raise _Failed("a directory whose name contains a colon cannot be shown in a container")
    return f"{mount.host.resolve()}:{mount.inside}:ro"


def _outcome(ready: _Ready, job: Job) -> Outcome:
    image = ready.image if job.image is None else ready.engine.digest(job.image)
    if image is None:
        return failed("the image the job asks for is not on this machine; pull it first: nothing is pulled here")
    try:
        with _container(ready.engine, image, job) as container:
            _lay_tree(container, job)
            called = _command(container, job)
            found, killed, problem = _collect(container, job)
    except (_Failed, PackError) as failure:
        return failed(str(failure))
    except OSError as failure:
        if is_disk_trouble(failure):
            raise
        return failed(f"the sandbox could not be set up: {failure.strerror}")
    return ended(_status(called, killed, problem), called.code, called.stdout, called.stderr, found, problem)


def _lay_tree(container: _Container, job: Job) -> None:
    if job.tree is None and not job.files:
        return
    # What is locked belongs to another user than the job's, in directories where nobody can remove what is not theirs.
    if job.locked:
        _unpack(replace(container, user=KEEPER), job, Part.LOCKED)
    _unpack(container, job, Part.REST if job.locked else Part.WHOLE)


def _unpack(container: _Container, job: Job, part: Part) -> None:
    with tempfile.TemporaryFile() as packed:
        pack(job, packed, part)
        packed.seek(0)
        called = container.engine.call(container.inside("tar", "-xpf", "-", interactive=True), stdin=packed)
    if called.code != 0:
        raise _Failed("the source tree does not fit into the sandbox, or its image has no tar")


def _command(container: _Container, job: Job) -> Called:
    """How the job's own command ended, with what it printed and nothing else."""
    limits, mark = job.limits, secrets.token_hex(16)
    variables = [f"{variable}={value}" for variable, value in job.variables.items()]
    shell = ["sh", "-c", _COMMAND, "sh", str(ceil(limits.cpu)), str(limits.processes), mark, *variables, *job.argv]
    with tempfile.TemporaryFile() as stdin:  # no thread has to feed it
        stdin.write(job.stdin)
        stdin.seek(0)
        called = container.engine.call(
            container.inside(*shell, interactive=True),
            stdin=stdin,
            seconds=limits.wall,
            most=limits.output + len(mark),
        )
    if not called.stdout.startswith(mark.encode()) and not called.late:
        raise _Failed(f"the command could not be started: {_complaint(called)}")
    stdout, stderr = called.stdout[len(mark) :], called.stderr
    return replace(
        called,
        stdout=stdout,
        stderr=stderr[: limits.output],
        flooded=called.flooded or len(stderr) > limits.output,
    )


def _collect(container: _Container, job: Job) -> tuple[Mapping[str, bytes], bool, str]:
    """The result files, whether the kernel killed something for want of memory, and why results are missing.

    Raises `_Failed` when nothing comes back.
    """
    engine = container.engine
    process = engine.start(container.inside("sh", "-c", _COLLECT))
    assert process.stdout and process.stderr
    said = Bounded(process, process.stderr, 1 << 16)
    deadline = threading.Timer(PATIENCE, process.kill)
    deadline.start()
    found: Mapping[str, bytes] = {}
    problem = ""
    try:
        with process.stdout as stream:
            answered = bool(cast(BufferedReader, stream).peek(1))
            found = results.take(job, stream)
            while stream.read(1 << 16):  # tar fills its last block
                pass
        if process.wait() != 0:
            problem = "some result files cannot be read"
    except results.ResultsError as error:
        problem = str(error)
    finally:
        deadline.cancel()
        process.kill()
        process.wait()
    events = said.end()
    if not answered:
        if (
            engine.call(["container", "inspect", "--format", "{{.State.Running}}", container.name]).stdout.strip()
            != b"true"
        ):
            raise _Failed("the container ended before its results could be read")
        problem = "it left too many processes behind for its results to be read"
    killed = any(int(count) for count in re.findall(rb"^oom_kill (\d+)$", events, re.M))
    return found if not problem else {}, killed, problem


def _status(called: Called, killed: bool, problem: str) -> Status:
    if killed:
        return Status.MEMORY
    if called.late:
        return Status.WALL
    if called.flooded:
        return Status.OUTPUT_LIMIT
    return Status.RESULT_LIMIT if problem else Status.EXITED


def _complaint(called: Called) -> str:
    """What podman or docker says, on one line; no program of a job has run yet."""
    if called.late:
        return "it took too long"
    return " ".join(called.stderr.decode("utf-8", "replace").split())[-300:]


def from_settings(settings: Settings) -> ContainerExecutor:
    """With the command and the image that they name."""
    return ContainerExecutor(settings.container_command, settings.sandbox_image)
