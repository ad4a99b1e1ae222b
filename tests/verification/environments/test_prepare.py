"""Which environment serves whom. Nothing runs: a stand-in for the sandbox writes what a setup might leave."""

import json
import os
import socket
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.policy import Verify
from bot.sandbox.protocol import Capabilities, Job, Outcome, Status
from bot.settings import Settings
from bot.verification.environments import setup_script as inside
from bot.verification.environments.build import BuildFailed, EnvironmentProblem, reason_in
from bot.verification.environments.prepare import ABANDONED, Prepared, Setup, Trail, prepare
from bot.verification.values import Environment, Origin, Program
from tests.support.cases import cases
from tests.verification.environments.house import settings

CODE = b"def answer():\n    return 42\n" * 10
PROJECT = b'[project]\nname = "a"\nversion = "1"\n'
OWN = Origin("1")
INSTALLS = Verify(setup=("pip install -e .",), test="pytest")


def editable(job: Job, results: Path) -> None:
    (results / "env" / "venv" / "bin").mkdir(parents=True)


def copying(job: Job, results: Path) -> None:
    editable(job, results)
    installed = results / "env" / "venv" / "lib" / "a.py"
    installed.parent.mkdir()
    installed.write_bytes(job.files["a.py"] or b"")


def compiling(job: Job, results: Path) -> None:
    editable(job, results)
    (results / "made").mkdir()
    (results / "made" / "fast.so").write_bytes(b"\x7fELF")


@dataclass
class StandIn:
    """An executor that runs nothing."""

    leaves: Callable[[Job, Path], None] = editable
    status: Status = Status.EXITED
    exit_code: int = 0
    usable: bool = True
    version: str = "1"
    name: str = "stand-in"
    jobs: list[Job] = field(default_factory=list)

    def probe(self) -> Capabilities:
        return Capabilities(self.name, self.version, self.usable, "" if self.usable else "no", python=("python3",))

    def run(self, job: Job) -> Outcome:
        self.jobs.append(job)
        assert job.results_into and not list(job.results_into.iterdir())
        if self.exit_code == 0:
            self.leaves(job, job.results_into)
        return Outcome(self.status, self.exit_code, b"told", b"", {}, 1.0, (), "the time limit was reached")


def program(code: bytes = CODE, **more: bytes) -> Program:
    files = {"a.py": code, "pyproject.toml": PROJECT, **{name.replace("__", "."): text for name, text in more.items()}}
    return Program(None, files)


def prepared(
    executor: StandIn,
    cache: Path,
    base: Program,
    head: Program | None = None,
    policy: Verify = INSTALLS,
    origin: Origin = OWN,
) -> Prepared:
    found = prepare(Setup(executor, policy, settings(cache), origin), base, head)
    assert isinstance(found, Prepared), found
    return found


def test_packages_of_another_time_are_another_environment(tmp_path: Path) -> None:
    executor = StandIn()
    told = []
    for as_of in ("", "2020-02-01T00:00:00Z", "2020-03-01T00:00:00Z", "2020-03-01T00:00:00Z"):
        prepare(Setup(executor, INSTALLS, settings(tmp_path), Origin("1")), program(), None, Trail(as_of=as_of))
        told.append(json.loads(executor.jobs[-1].argv[-1])["as_of"])
    assert told == ["", "2020-02-01T00:00:00Z", "2020-03-01T00:00:00Z", "2020-03-01T00:00:00Z"]
    assert len(executor.jobs) == 3


def test_packages_beyond_the_manifest_are_installed_last_and_in_an_environment_of_their_own(tmp_path: Path) -> None:
    executor = StandIn()
    for packages in ((), ("numpy", "setuptools<81"), ()):
        prepare(Setup(executor, INSTALLS, settings(tmp_path), Origin("1")), program(), None, Trail(packages=packages))
    plain, more = (json.loads(job.argv[-1])["setup"] for job in executor.jobs)
    assert more == [*plain, "pip install numpy 'setuptools<81'"]


@pytest.mark.parametrize(("moment", "compiles"), [("2019-02-01T00:00:00Z", False), ("2100-01-01T00:00:00Z", True)])
def test_what_builds_packages_and_runs_tests_knows_this_python_even_where_they_are_older(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, compiles: bool
) -> None:
    place = tmp_path / "uv"
    place.mkdir()
    monkeypatch.setattr(inside, "UV", place)
    monkeypatch.setattr(inside, "COMMANDS", place)
    lines: list[str] = []

    def carry_out(line: str, environment: dict[str, str]) -> tuple[int, bytes]:
        lines.append(line)
        return 0, b""

    monkeypatch.setattr(inside, "carry_out", carry_out)
    found = inside.back_in_time(moment, {"PATH": "/bin"})
    assert found["UV_EXCLUDE_NEWER"] == moment
    assert os.access(place / "pip", os.X_OK)
    assert ("CC" not in found) == compiles
    newest = tomllib.loads(Path(found["UV_CONFIG_FILE"]).read_text())["exclude-newer-package"]
    for name in ("setuptools", "poetry", "pytest", "py"):
        assert newest[name] >= f"{2011 + sys.version_info.minor}-12-01"
    assert ("pip install --quiet setuptools" in lines) == (moment < "2023-10")


def place(environment: Environment) -> Path:
    return environment.mounts[0].host


def test_an_environment_serves_who_starts_from_the_same_tree_and_no_other_base(tmp_path: Path) -> None:
    """Setup may run any file of it: one that differs builds its own, whatever the manifests say."""
    executor = StandIn()
    first = prepared(executor, tmp_path, program(), program(b"changed"))
    second = prepared(executor, tmp_path, program(), program(b"changed else", README__md=b"new"))
    environments = [side.environment for one in (first, second) for side in (one.base, one.head) if side]
    assert len(environments) == 4
    assert len({place(item) for item in environments}) == 1
    assert len(executor.jobs) == 1
    assert not list(tmp_path.rglob("private-*"))
    later = prepared(executor, tmp_path, program(b"later"))
    assert place(later.base.environment) != place(environments[0])
    assert environments[0].python == ("/env/venv/bin/python",)
    assert first.described == "pytest, from the policy"


@pytest.mark.parametrize(
    "change", [{"pyproject__toml": PROJECT + b"# more\n"}, {"requirements__txt": b"six\n"}, {"setup__py": b""}]
)
def test_a_head_that_changes_what_is_installed_gets_its_own_and_nobody_else(
    tmp_path: Path, change: dict[str, bytes]
) -> None:
    executor = StandIn()
    base, head = program(), program(**change)
    with prepared(executor, tmp_path, base, head) as found:
        assert found.head
        own = place(found.head.environment)
        assert own != place(found.base.environment) and own.is_dir()
        assert len(executor.jobs) == 2
    assert not own.exists()
    with prepared(executor, tmp_path, base, head) as again:  # built anew, never taken from a cache
        assert again.head
        assert len(executor.jobs) == 3
    assert prepared(executor, tmp_path, head).base  # not even when it has become the base
    assert len(executor.jobs) == 4


def test_what_a_branch_builds_that_anybody_may_push_to_serves_nobody_else(tmp_path: Path) -> None:
    executor = StandIn()
    for _ in range(2):
        with prepared(executor, tmp_path, program(), program(b"x"), origin=Origin("1", shared=False)) as found:
            assert found.head and place(found.head.environment) == place(found.base.environment)
        assert not place(found.base.environment).exists()
    prepared(executor, tmp_path, program())
    assert len(executor.jobs) == 3


def test_what_a_killed_process_left_of_a_stranger_goes(tmp_path: Path) -> None:
    old, young = (tmp_path / "environments" / f"private-{name}" for name in ("old", "young"))
    for left in (old, young):
        left.mkdir(parents=True)
    os.utime(old, (time.time() - ABANDONED - 60,) * 2)
    with prepared(StandIn(), tmp_path, program(), program(setup__py=b"")):
        assert (old.exists(), young.exists()) == (False, True)


def test_a_file_that_setup_names_decides_as_well(tmp_path: Path) -> None:
    executor = StandIn()
    policy = Verify(setup=("sh tools/install.sh --into=x",), test="make check")
    base = Program(None, {"tools/install.sh": b"one"})
    with prepared(executor, tmp_path, base, Program(None, {"tools/install.sh": b"two"}), policy) as found:
        assert len(list(tmp_path.rglob("private-*"))) == 1
    assert found.test.command == ("/bin/sh", "-c", "make check")


@pytest.mark.parametrize("leaves", [copying, compiling])
def test_an_environment_that_holds_the_code_serves_one_version(
    tmp_path: Path, leaves: Callable[[Job, Path], None]
) -> None:
    executor = StandIn(leaves)
    with prepared(executor, tmp_path, program(), program(b"changed" * 20)) as found:
        assert found.head
        assert place(found.head.environment) != place(found.base.environment)
    assert len(executor.jobs) == 2
    again = prepared(executor, tmp_path, program())
    assert place(again.base.environment) == place(found.base.environment)
    later = prepared(executor, tmp_path, program(b"later" * 20))
    assert place(later.base.environment) != place(found.base.environment)
    assert len(executor.jobs) == 3
    prepared(executor, tmp_path, program(b"later" * 20))
    assert len(executor.jobs) == 3


def test_what_else_tells_environments_apart(tmp_path: Path) -> None:
    for changed in (
        {},
        {"origin": Origin("2")},
        {"policy": Verify(setup=("pip install -e .", "true"), test="pytest")},
        {"policy": Verify(setup=INSTALLS.setup, test="pytest", image="python:3.12")},
    ):
        executor = StandIn()
        prepared(executor, tmp_path, program(), **changed)
        assert len(executor.jobs) == 1, changed
    newer = StandIn(version="2")
    prepared(newer, tmp_path, program())
    assert len(newer.jobs) == 1
    same = StandIn()
    prepared(same, tmp_path, program(), policy=Verify(setup=INSTALLS.setup, test="make other", timeout=7))
    assert same.jobs == []


def test_without_setup_nothing_is_built(tmp_path: Path) -> None:
    executor = StandIn()
    found = prepared(executor, tmp_path, Program(None, {"a.py": CODE}), None, Verify())
    assert executor.jobs == []
    assert found.base.environment == Environment()
    assert found.described == "pytest, detected from Python files"
    nothing = prepared(executor, tmp_path, program(), None, Verify(setup=(), test="A=1 pytest -x a.py"))
    assert nothing.base.environment.variables == {"A": "1", "PYTEST_ADDOPTS": "-x"}
    assert nothing.suite(nothing.base).select == ("a.py",)
    assert nothing.suite(nothing.base, {"t.py": b""}, ("t.py",)).select == ("t.py",)


def test_the_policy_of_the_head_counts_for_nothing(tmp_path: Path) -> None:
    """The caller passes the base's; a head cannot say how it is set up but by manifests, in its own environment."""
    executor = StandIn()
    with prepared(executor, tmp_path, program(), program(requirements__txt=b"x"), Verify()) as found:
        assert [job.files == found.base.program.files for job in executor.jobs] == [True, False]
        assert "requirements.txt" not in str(executor.jobs[0].argv[-1])
        assert "requirements.txt" in str(executor.jobs[1].argv[-1])
        assert found.described == "pytest, detected from pyproject.toml"


def test_problems_are_values(tmp_path: Path) -> None:
    base = program()

    def problem(executor: StandIn, policy: Verify = INSTALLS, head: Program | None = None) -> EnvironmentProblem:
        found = prepare(Setup(executor, policy, settings(tmp_path), Origin("1")), base, head)
        assert isinstance(found, EnvironmentProblem)
        assert not list(tmp_path.rglob("private-*"))
        return found

    assert problem(StandIn(usable=False)).reason == "nothing may run here: no"
    failed = problem(StandIn(exit_code=1))
    assert (failed.reason, failed.command, failed.output) == ("line 1 of setup failed", "pip install -e .", "told")
    assert problem(StandIn(exit_code=125)).reason == "setup could not begin"
    assert problem(StandIn(status=Status.WALL)).reason == "setup did not finish: the time limit was reached"
    base = Program(None, {"README.md": b""})
    assert (
        problem(StandIn(), Verify()).reason
        == "no way to run tests was detected; say in the policy how: `verify: {test: …}`"
    )
    base = program()

    def of_base_alone(job: Job, results: Path) -> None:
        if job.files != base.files:
            raise BuildFailed(EnvironmentProblem("the head cannot be set up"))
        editable(job, results)

    assert problem(StandIn(of_base_alone), head=program(setup__py=b"")).reason == "the head cannot be set up"


def test_a_damaged_environment_is_built_anew(tmp_path: Path) -> None:
    executor = StandIn()
    found = prepared(executor, tmp_path, program())
    (place(found.base.environment) / "venv" / "bin").rmdir()
    prepared(executor, tmp_path, program())
    assert len(executor.jobs) == 2


@cases
def test_the_line_that_tells_why_setup_failed(output: str, told: str) -> None:
    assert reason_in(output) == told
    assert reason_in(" " * 50_000 + "a" * 50_000) == "a" * 199 + "…"


def test_all_indexes_on_internal_addresses_are_named_with_their_setting(tmp_path: Path) -> None:
    """Also one that setup did not come to ask for."""

    class Asking(StandIn):
        def run(self, job: Job) -> Outcome:
            for host in ("localhost", "elsewhere.example"):
                with socket.socket(socket.AF_UNIX) as proxy:
                    proxy.connect(str(job.proxy))
                    proxy.sendall(f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode())
                    assert b"403" in proxy.recv(100)
            return super().run(job)

    given = Settings(cache_dir=tmp_path, package_hosts="localhost 127.0.0.2")
    found = prepare(Setup(Asking(exit_code=1), INSTALLS, given, Origin("1")), program())
    assert isinstance(found, EnvironmentProblem)
    assert found.reason == (
        "line 1 of setup failed; these hosts have no public address here: set BOUNCER_PACKAGE_HOSTS_INTERNAL to "
        "`127.0.0.2 localhost`; it asked for hosts that are not allowed (elsewhere.example): see BOUNCER_PACKAGE_HOSTS"
    )
