"""Every hostile program in a container, where containers work here."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from bot.sandbox.protocol import Executor, Job, Limits, MiB, Status
from tests.sandbox.contained import Host, contain
from tests.sandbox.hostile import HOSTILE, PRELUDE, QUICK, Hostile
from tests.support.sandbox import usable_executors

EXECUTORS = [executor for executor in usable_executors() if executor.name == "container"]
REFUSED = (b"refused\n", 0, QUICK, b"")  # what it says, its exit status, its limits and input
ONE_BY_ONE = """
import json, os, pathlib, signal, subprocess, sys
said = []
for path in sorted(pathlib.Path("/work").glob("hostile_*.py")):
    with open("/tmp/said", "wb") as out, open(os.devnull) as null:
        one = subprocess.Popen([sys.executable, path, sys.argv[1]], stdin=null, stdout=out, start_new_session=True)
        one.wait()
    try:
        os.killpg(one.pid, signal.SIGKILL)  # what it left behind sleeps for a minute, and counts
    except ProcessLookupError:
        pass
    said.append((path.name, pathlib.Path("/tmp/said").read_text()))
print(json.dumps(said))
"""
# Starting a container takes a second. What is refused at once, and kills nobody, is tried there in one.
TOGETHER = tuple(each for each in HOSTILE if (each.says, each.code, each.limits, each.stdin) == REFUSED)


@pytest.mark.parametrize("executor", EXECUTORS, ids=lambda executor: executor.name)
@pytest.mark.parametrize("hostile", [each for each in HOSTILE if each not in TOGETHER], ids=lambda each: each.name)
def test_a_hostile_program_is_contained(
    executor: Executor, hostile: Hostile, host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contain(executor, hostile, host, tmp_path, monkeypatch)


@pytest.mark.parametrize("executor", EXECUTORS, ids=lambda executor: executor.name)
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
