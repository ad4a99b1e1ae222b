"""The executor port: `probe()` says what this machine can enforce, `run(Job)` runs one command and says what happened.

Inside every executor the same places exist:

- `/work`     the working directory: the job's tree with its `files` laid over it. Writable, in memory, gone afterwards.
- `/results`  whatever the command leaves here comes back as `Outcome.results`. Writable, in memory.
- `/tmp`      writable, in memory.
- the job's `mounts`, read-only.

There is no network, no writable place on the host, and nothing of the host's environment.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

MiB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may use. Times in seconds, sizes in bytes.

    wall: from start to end. cpu: of one process. memory: of the whole job where a cgroup can be had, else of each
    process. processes: processes and threads at once. output: standard output and standard error, each.
    results: all result files together. disk: each writable place. files: files and directories in each writable place.
    """

    wall: float = 120.0
    cpu: float = 120.0
    memory: int = 1024 * MiB
    processes: int = 128
    output: int = MiB
    results: int = 16 * MiB
    disk: int = 256 * MiB
    files: int = 50_000


@dataclass(frozen=True, slots=True)
class Mount:
    """A directory of the host, shown read-only inside at the absolute path `inside`."""

    host: Path
    inside: str


@dataclass(frozen=True, slots=True)
class Job:
    """One command to run.

    argv: the command; looked up on the PATH inside.
    tree: a directory of the host that is copied to `/work`; never written to.
    files: path relative to `/work` -> its content, or `None` to delete it from the tree; laid over `tree`.
    environment: the whole environment, except for PATH, HOME, LANG and TMPDIR, which have defaults.
    proxy: a unix socket of the host that is shown inside as `/run/proxy.sock`: the way to the package index, for
        setup only.
    results_into: an empty directory of the host into which `/results` is unpacked instead of `Outcome.results`
        (regular files, directories and symbolic links; for environments, which are too large to hold in memory).
    locked: paths of `/work` that the command cannot write, remove, rename or replace, nor any directory above them;
        what is not there is left out. New files may still lie beside them. Not every executor can: see
        docs/internals/sandbox.md.
    image: for executors that run images, another one than their own.
    confidential: the tree must not leave this machine's executors (a private repository's code).
    """

    argv: tuple[str, ...]
    tree: Path | None = None
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    stdin: bytes = b""
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits()
    proxy: Path | None = None
    results_into: Path | None = None
    locked: frozenset[str] = frozenset()
    image: str | None = None
    confidential: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError for a job that could not mean anything, or that reaches out of its places."""
        if not self.argv or any("\0" in word for word in (*self.argv, *self.environment, *self.environment.values())):
            raise ValueError("a job needs a command, without null characters")
        for path in (*self.files, *self.locked):
            if not path or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
                raise ValueError(f"{path!r} is not a path below the tree")
        for mount in self.mounts:
            if not mount.inside.startswith("/") or ".." in mount.inside.split("/"):
                raise ValueError(f"{mount.inside!r} is not an absolute path")

    @property
    def variables(self) -> dict[str, str]:
        """The environment, with what has defaults everywhere but the PATH."""
        return {"HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8", **self.environment}  # noqa: S108 - inside

    @property
    def shown(self) -> tuple[Mount, ...]:
        """All of the host that is shown inside for this job."""
        return (*self.mounts, *((Mount(self.proxy, "/run/proxy.sock"),) if self.proxy else ()))


class Status(StrEnum):
    """How a job ended."""

    EXITED = "exited"  # by itself: see `exit_code`, which is 128 + N after signal N
    WALL = "wall"  # the time limit was reached
    MEMORY = "memory"  # the job needed more memory than it may have
    OUTPUT_LIMIT = "output_limit"  # the output limit was reached
    RESULT_LIMIT = "result_limit"  # its result files are too many, too large or not plain files
    SANDBOX_ERROR = "sandbox_error"  # the sandbox itself failed: nothing is known about the program


ENDINGS = {
    **dict.fromkeys(Status, ""),  # it went well, or whoever found it tells
    Status.WALL: "the time limit was reached",
    Status.MEMORY: "the memory limit was reached",
    Status.OUTPUT_LIMIT: "the output limit was reached",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened. Everything here but `status`, `seconds` and `limits_enforced` was written by code nobody trusts.

    stdout, stderr: bounded by `Limits.output`.
    results: path relative to `/results` -> content; regular files only.
    problem: for every status but `exited` one plain sentence; holds no text from the program.
    limits_enforced: what really held, e.g. `("wall", "memory (total)", "network")`.
    opened: the files of the tree that were opened, as was seen from outside; `None` where nobody could watch.
    """

    status: Status
    exit_code: int | None
    stdout: bytes
    stderr: bytes
    results: Mapping[str, bytes]
    seconds: float
    limits_enforced: tuple[str, ...]
    problem: str = ""
    opened: frozenset[str] | None = None


def failed(problem: str) -> Outcome:
    """The sandbox itself did."""
    return Outcome(Status.SANDBOX_ERROR, None, b"", b"", {}, 0.0, (), problem)


def ended(
    status: Status, code: int | None, stdout: bytes, stderr: bytes, found: Mapping[str, bytes], problem: str = ""
) -> Outcome:
    """A job that ran. code: counts where it ended by itself. problem: what is wrong where its end says nothing."""
    by_itself = status in (Status.EXITED, Status.RESULT_LIMIT)
    return Outcome(status, code if by_itself else None, stdout, stderr, found, 0.0, (), ENDINGS[status] or problem)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an executor can do on this machine.

    usable: whether it isolates; an executor that is not usable is never asked to run anything.
    problem: why it is not usable, with the mend; empty when it is.
    enforced: as `Outcome.limits_enforced`. missing: limits it cannot enforce here, each with the reason.
    python: argv of the interpreter inside that has Bouncer's own packages (pytest, hypothesis, …).
    """

    executor: str
    version: str
    usable: bool
    problem: str = ""
    enforced: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    python: tuple[str, ...] = ()


class Executor(Protocol):
    """Runs jobs in isolation. Neither method raises: what goes wrong is in the value; except the `OSError` of a disk
    that cannot be written.

    `run` may be called from several threads at once. `probe` is measured once and remembered.
    """

    @property
    def name(self) -> str: ...

    def probe(self) -> Capabilities: ...

    def run(self, job: Job) -> Outcome: ...


@dataclass(frozen=True, slots=True)
class ExecutorAround:
    """An executor around another one."""

    executor: Executor

    @property
    def name(self) -> str:
        return self.executor.name

    def probe(self) -> Capabilities:
        return self.executor.probe()
