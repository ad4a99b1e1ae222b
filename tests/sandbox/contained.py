"""How a hostile program is run and what is looked at afterwards, whatever the executor."""

import json
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from bot.sandbox.protocol import Executor, Job, Status
from tests.sandbox.hostile import HOSTILE, PRELUDE, QUICK, Hostile
from tests.support.sandbox import left_over_groups, mounts, none_is_left_over, processes

INSIDE = "/work"  # where a job starts
# Each in a process of its own, which is forked: interpreters would take as long to start as all they do.
ONE_BY_ONE = """
import ctypes, json, os, pathlib, runpy, signal, socket, subprocess, sys, threading
said = []
for path in sorted(pathlib.Path("/work").glob("hostile_*.py")):
    one = os.fork()
    if not one:
        try:
            os.setsid()
            out, null = os.open("/tmp/said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), os.open(os.devnull, os.O_RDONLY)
            os.dup2(null, 0), os.dup2(out, 1), os.close(null), os.close(out)
            runpy.run_path(str(path), run_name="__main__")
        finally:
            os._exit(0)
    os.waitpid(one, 0)
    try:
        os.killpg(one, signal.SIGKILL)  # what it left behind sleeps for a minute, and counts
    except ProcessLookupError:
        pass
    said.append((path.name, pathlib.Path("/tmp/said").read_text()))
print(json.dumps(said))
"""
# What is refused at once, and kills nobody, is tried in one sandbox: many would take as long as all the rest.
TOGETHER = tuple(
    each
    for each in HOSTILE
    if each.says and set(each.says.split()) == {b"refused"} and (each.code, each.limits, each.stdin) == (0, QUICK, b"")
)
APART = tuple(each for each in HOSTILE if each not in TOGETHER)


@dataclass(frozen=True, slots=True)
class Host:
    """What a program is told of the host, all of it really there."""

    port: int
    socket: str
    abstract: str
    secret: str
    directory: str
    checkout: str
    pid: int


@contextmanager
def a_host() -> Iterator[Host]:
    """Things of the host that programs reach for; afterwards all of them must be as they were."""
    abstract = f"bouncer-{secrets.token_hex(8)}"
    with (
        tempfile.TemporaryDirectory() as name,
        socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener,
        socket.socket(socket.AF_UNIX) as named,
        socket.socket(socket.AF_UNIX) as nameless,
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as canary,
    ):
        directory = Path(name)
        directory.chmod(0o777)
        secret = directory / "secret"
        secret.write_text("hunter2-of-the-server")
        for unix, address in ((named, str(directory / "listening")), (nameless, f"\0{abstract}")):
            unix.bind(address)
            unix.listen()
        (directory / "listening").chmod(0o777)
        checkout = str(Path(__file__).parents[2])
        port = listener.getsockname()[1]
        yield Host(port, str(directory / "listening"), abstract, str(secret), name, checkout, canary.pid)
        assert canary.poll() is None, "a process of the host was killed"
        assert {path.name for path in directory.iterdir()} == {"secret", "listening"}
        canary.kill()


def contain(executor: Executor, hostile: Hostile, host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_TEST_SECRET", "hunter2-of-the-server")
    python = executor.probe().python  # which leaves files of its own when it is first asked
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mark = f"hostile_{secrets.token_hex(8)}.py"
    before, groups = mounts(), left_over_groups()

    outcome = executor.run(
        Job(
            (*python, f"{INSIDE}/{mark}", json.dumps(asdict(host))),
            files={mark: f"{PRELUDE}{hostile.program}\n".encode()},
            stdin=hostile.stdin,
            limits=hostile.limits,
        )
    )

    assert outcome.status is _expected(hostile, outcome.limits_enforced), outcome
    assert bool(outcome.problem) == (outcome.status is not Status.EXITED)
    if hostile.code is not None:
        assert outcome.exit_code == hostile.code, outcome
    if hostile.says is not None:
        assert outcome.stdout == hostile.says, outcome
    assert hostile.holds(outcome), outcome
    assert processes(mark) == []
    none_is_left_over(groups)
    assert mounts() - before == set()
    assert list(tmp_path.iterdir()) == []


def contain_together(executor: Executor, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of `TOGETHER` in one sandbox, each in a process of its own."""
    monkeypatch.setenv("BOUNCER_TEST_SECRET", "hunter2-of-the-server")
    files = {f"hostile_{n}.py": f"{PRELUDE}{each.program}\n".encode() for n, each in enumerate(TOGETHER)}
    job = Job(
        (*executor.probe().python, "-c", ONE_BY_ONE, json.dumps(asdict(host))),
        files=dict(files),
        limits=replace(QUICK, wall=100, cpu=100),
    )
    outcome = executor.run(job)
    assert outcome.status is Status.EXITED, outcome
    said = dict(json.loads(outcome.stdout))
    assert {each.name: said.get(name, "").encode() for name, each in zip(files, TOGETHER, strict=True)} == {
        each.name: each.says for each in TOGETHER
    }


def _expected(hostile: Hostile, enforced: tuple[str, ...]) -> Status:
    """Without a limit on the job's total memory, too much of it ends one process only, in Python's ordinary way, and
    many that each hold little stay until the time is over."""
    if hostile.status is Status.MEMORY and "memory (total)" not in enforced:
        return Status.WALL if "os.fork()" in hostile.program else Status.EXITED
    return hostile.status
