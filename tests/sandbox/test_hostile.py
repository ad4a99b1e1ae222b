"""Every hostile program on every executor that works here: stopped or contained, and nothing left behind."""

import json
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from bot.sandbox.protocol import Executor, Job, Limits, MiB, Status
from tests.sandbox.hostile import HOSTILE, PRELUDE, QUICK, Hostile
from tests.support.sandbox import left_over_groups, mounts, processes, usable_executors

REFUSED = (b"refused\n", 0, QUICK, b"")  # what it says, its exit status, its limits and input
ONE_BY_ONE = """
import json, subprocess, sys, pathlib
said = []
for path in sorted(pathlib.Path("/work").glob("hostile_*.py")):
    done = subprocess.run([sys.executable, path, sys.argv[1]], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    said.append((path.name, done.stdout))
print(json.dumps(said))
"""


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


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
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


EXECUTORS = usable_executors()
# Starting a container takes a second. What is refused at once, and kills nobody, is tried there in one.
TOGETHER = tuple(each for each in HOSTILE if (each.says, each.code, each.limits, each.stdin) == REFUSED)
CASES = [
    pytest.param(executor, hostile, id=f"{hostile.name}-{executor.name}")
    for executor in EXECUTORS
    for hostile in HOSTILE
    if executor.name != "container" or hostile not in TOGETHER
]


@pytest.mark.parametrize(("executor", "hostile"), CASES)
def test_a_hostile_program_is_contained(
    executor: Executor, hostile: Hostile, host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_TEST_SECRET", "hunter2-of-the-server")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mark = f"hostile_{secrets.token_hex(8)}.py"
    before, groups = mounts(), set(left_over_groups())

    outcome = executor.run(
        Job(
            (*executor.probe().python, f"/work/{mark}", json.dumps(asdict(host))),
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
    assert set(left_over_groups()) - groups == set()
    assert mounts() - before == set()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "executor", [each for each in EXECUTORS if each.name == "container"], ids=lambda executor: executor.name
)
def test_what_is_refused_at_once_is_refused_in_one_container(executor: Executor, host: Host) -> None:
    files = {f"hostile_{n}.py": f"{PRELUDE}{each.program}\n".encode() for n, each in enumerate(TOGETHER)}
    job = Job(
        (*executor.probe().python, "-c", ONE_BY_ONE, json.dumps(asdict(host))),
        files=dict(files),
        limits=Limits(wall=100, cpu=100, memory=512 * MiB, processes=64),
    )
    outcome = executor.run(job)
    assert outcome.status is Status.EXITED, outcome
    said = dict(json.loads(outcome.stdout))
    assert {each.name: said.get(name) for name, each in zip(files, TOGETHER, strict=True)} == {
        each.name: "refused\n" for each in TOGETHER
    }


def _expected(hostile: Hostile, enforced: tuple[str, ...]) -> Status:
    """Without a limit on the job's total memory, too much of it ends one process only, in Python's ordinary way."""
    if hostile.status is Status.MEMORY and "memory (total)" not in enforced:
        return Status.EXITED
    return hostile.status


def test_there_are_at_least_forty_programs_with_names_of_their_own() -> None:
    assert len({hostile.name for hostile in HOSTILE}) == len(HOSTILE) >= 40
