"""The executors that work on this machine, one that runs equal jobs once, and what a job may never leave behind."""

import fcntl
import hashlib
import hmac
import json
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Lock

import pytest

from bot.sandbox import choose
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.container import ContainerExecutor
from bot.sandbox.protocol import Capabilities, Executor, ExecutorAround, Job, Limits, Outcome, Status
from bot.settings import Settings
from tests.support import rootfs
from tests.support.needs import missing
from tests.support.waiting import eventually


@dataclass(frozen=True)
class Tried:
    """An executor that is made and tried when a test first needs it, so that collecting tests starts no sandbox.

    The test that needs it is skipped, or fails in CI, where it does not work.
    """

    name: str
    make: Callable[[], Executor]

    @cached_property
    def inner(self) -> Executor:
        made = self.make()
        found = made.probe()
        return made if found.usable else missing(found.problem)

    def probe(self) -> Capabilities:
        return self.inner.probe()

    def run(self, job: Job) -> Outcome:
        return self.inner.run(job)


def _container() -> Executor:
    return ContainerExecutor("podman", rootfs.image() or missing("podman"))


BUBBLEWRAP = Tried("bubblewrap", BubblewrapExecutor)
CONTAINER = Tried("container", _container)
EXECUTORS: tuple[Executor, ...] = (BUBBLEWRAP, *([CONTAINER] if shutil.which("podman") else []))


@dataclass
class StandIn:
    """An executor that runs nothing. outcome: how every job ends. jobs: what it was given."""

    outcome: Outcome = Outcome(Status.EXITED, 0, b"", b"", {}, 0.1, ())
    problem: str = ""
    name: str = "stand-in"
    version: str = "1"
    python: tuple[str, ...] = ("python3",)
    jobs: list[Job] = field(default_factory=list)

    def probe(self) -> Capabilities:
        return Capabilities(self.name, self.version, not self.problem, self.problem, python=self.python)

    def run(self, job: Job) -> Outcome:
        self.jobs.append(job)
        return self.outcome


@dataclass(frozen=True)
class Watched(ExecutorAround):
    """jobs: what was given to an executor. outcomes: what it came to."""

    jobs: list[Job] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)

    def run(self, job: Job) -> Outcome:
        self.jobs.append(job)
        self.outcomes.append(self.executor.run(job))
        return self.outcomes[-1]


@dataclass
class Remembering:
    """Runs equal jobs once: many tests of one file try the same programs, and are about what follows from that.

    Equal are jobs that differ in their times at most, and in the secret that signs the report, which is signed anew.
    So are those whose tests are in an order drawn by chance, if no test here depends on it. orders: some do.
    """

    inner: Executor
    orders: bool = False
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    locks: defaultdict[str, Lock] = field(default_factory=lambda: defaultdict(Lock))

    @property
    def name(self) -> str:
        return self.inner.name

    def probe(self) -> Capabilities:
        return self.inner.probe()

    def run(self, job: Job) -> Outcome:
        if job.results_into or job.proxy:
            return self.inner.run(job)
        plan = json.loads(job.stdin or b"{}")
        secret = bytes.fromhex(plan.pop("secret", ""))
        plan.pop("seconds", None)
        if not self.orders and plan.get("task", {}).get("seed") is not None:
            plan["task"]["seed"] = plan["environment"]["PYTHONHASHSEED"] = "drawn"
        rest = replace(job, tree=None, stdin=b"", limits=Limits())
        key = hashlib.sha256(f"{rest} {_content(job.tree)} {plan}".encode()).hexdigest()
        with self.locks[key]:  # looks at the same tests start together
            if key not in self.outcomes:
                self.outcomes[key] = self.inner.run(job)
        return _signed(self.outcomes[key], secret)


@contextmanager
def remembering() -> Iterator[Remembering]:
    """While it lasts, whoever chooses an executor, as commands do, gets one that runs equal jobs once, as this one."""
    real, kept = choose.candidates, Remembering(BUBBLEWRAP)

    def candidates(settings: Settings) -> Iterator[Executor]:
        for executor in real(settings):
            yield kept if isinstance(executor, BubblewrapExecutor) else executor  # it proves itself once

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choose, "candidates", candidates)
        yield kept


@pytest.fixture(scope="module")
def equal_jobs_run_once() -> Iterator[Remembering]:
    """For tests about what follows from a run, by commands or on a server."""
    with remembering() as kept:
        yield kept


def _content(tree: Path | None) -> list[tuple[str, str]]:
    """What a directory holds, whatever its own name."""
    if tree is None:
        return []
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    return [(str(path.relative_to(tree)), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files]


def _signed(outcome: Outcome, secret: bytes) -> Outcome:
    """With the report of the tests, if there is one, signed as `read_reports` wants it."""
    head, _, body = outcome.stdout.strip(b"\n").rpartition(b"\n")[2].partition(b" ")
    if not secret or len(head) != 64:
        return outcome
    sign = hmac.new(secret, body, hashlib.sha256).hexdigest().encode()
    return replace(outcome, stdout=b"\n" + sign + b" " + body + b"\n")


def processes(mark: str) -> list[str]:
    """Command lines of this machine's processes that hold `mark`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # ended meanwhile
        if mark in line:
            found.append(line)
    return found


def left_over_groups() -> list[str]:
    """Control groups of launchers that are no more."""
    found = []
    everywhere = (Path(place, name) for place, names, _ in os.walk("/sys/fs/cgroup") for name in names)
    for path in [path for path in everywhere if re.fullmatch(r"bouncer-\d+", path.name)]:
        try:
            handle = os.open(path, os.O_RDONLY)
        except OSError:
            continue  # removed meanwhile
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            launcher = path.name.removeprefix("bouncer-")  # of one that lives, it is in the making: not locked yet
            if path.exists() and not Path("/proc", launcher).exists():
                found.append(str(path))
        except BlockingIOError:
            pass  # in use
        finally:
            os.close(handle)
    return found


def none_is_left_over(before: Collection[str]) -> None:
    """Wait until the groups that are left over now, and were not before, are gone. Those of other tests that run at the
    same time come and go, so there may always be some. A launcher that was killed, or found its group busy for too
    long, leaves it to the next one, and the last test of a run has none behind it."""
    now = set(left_over_groups()) - set(before)

    def gone() -> bool:
        if now.isdisjoint(left_over_groups()):
            return True
        BubblewrapExecutor().run(Job(("true",)))
        return False

    eventually(gone)


def mounts() -> set[str]:
    """What is mounted where in this mount namespace, container storage apart, which others use at the same time."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {line.split(" ", 1)[1] for line in lines if "containers" not in line}
