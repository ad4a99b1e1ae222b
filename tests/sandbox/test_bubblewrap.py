"""What bubblewrap gives a job: its places, its files, its ends. tests/sandbox/test_hostile.py has what it withholds."""

import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox import bubblewrap
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.launcher import cgroup
from bot.sandbox.protocol import Job, Limits, MiB, Mount, Outcome, Status
from bot.storage.directories import DirectoryCache, close_to_others
from tests.support.cases import cases
from tests.support.sandbox import left_over_groups, none_is_left_over, processes
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def executor() -> BubblewrapExecutor:
    return BubblewrapExecutor()


def run(executor: BubblewrapExecutor, *argv: str, **job: object) -> Outcome:
    return executor.run(Job(argv, **job))  # type: ignore[arg-type]


def test_here_everything_is_enforced(executor: BubblewrapExecutor) -> None:
    found = executor.probe()
    lacking = {text.partition(":")[0] for text in found.missing}
    assert (found.usable, found.problem) == (True, "")
    assert lacking <= (set() if os.geteuid() == 0 else {"memory (total)", "user"})
    assert {"wall", "memory (total)", "network", "user", "system calls"} - lacking <= set(found.enforced)
    assert found is executor.probe()


def test_bouncers_own_packages_can_be_imported(executor: BubblewrapExecutor) -> None:
    python = executor.probe().python
    told = run(executor, *python, "-c", "import pytest, hypothesis, sys; print(sys.version_info[:2])")
    assert told.stdout.decode().strip() == str(sys.version_info[:2])


def test_the_environment_is_the_jobs_own(executor: BubblewrapExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_TEST", "x")
    told = run(executor, "env", environment={"GIVEN": "1", "HOME": "/work"})
    names = [line.split("=")[0] for line in told.stdout.decode().splitlines()]
    assert sorted(names) == ["GIVEN", "HOME", "LANG", "PATH", "PWD", "TMPDIR"]
    assert b"HOME=/work\n" in told.stdout


def test_the_tree_is_copied_and_files_are_laid_over_it(executor: BubblewrapExecutor, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "package").mkdir(parents=True)
    for name, mode in (("kept", 0o600), ("package/tool", 0o700), ("package/old", 0o644), ("gone", 0o644)):
        (tree / name).write_text(name)
        (tree / name).chmod(mode)
    (tree / "link").symlink_to("kept")
    os.mkfifo(tree / "pipe")
    tree.chmod(0o700)
    tmp_path.chmod(0o700)
    told = run(
        executor,
        "sh",
        "-c",
        "find . -printf '%P %y %m\n' | sort; cat kept link package/old new/file; echo x > kept; rm -r package",
        tree=tree,
        files={"package/old": b"over", "new/file": b"new", "gone": None, "absent": None},
    )
    assert told.stderr == b""
    assert told.stdout.decode().split("\n") == [
        *(" d 755", "kept f 644", "link l 777", "new d 755", "new/file f 644", "package d 755"),
        *("package/old f 644", "package/tool f 755", "keptkeptovernew"),
    ]
    assert (tree / "kept").read_text() == "kept"
    assert (tree / "package/old").read_text() == "package/old"


def test_a_link_in_the_tree_leads_no_file_out_of_it(executor: BubblewrapExecutor, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "tests").symlink_to(outside)
    (tree / "conftest.py").symlink_to(outside / "planted")
    (tree / "old").mkdir()
    (tree / "old/file").touch()
    files: dict[str, bytes | None] = {"tests/test_a.py": b"1", "conftest.py": b"2", "old": b"3"}
    told = run(executor, "sh", "-c", "cat tests/test_a.py conftest.py old", tree=tree, files=files)
    assert told.stdout == b"123"
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", "a//b", "./a", "", "a\0b", "a/"])
def test_a_file_that_does_not_lie_below_the_tree_is_a_mistake(path: str) -> None:
    with pytest.raises(ValueError, match="not a path below the tree"):
        Job(("true",), files={path: b""})


def test_a_tree_that_is_too_large_is_said_to_be(executor: BubblewrapExecutor, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(3 * MiB))
    told = run(executor, "true", tree=tmp_path, limits=Limits(disk=2 * MiB))
    assert told.status is Status.SANDBOX_ERROR
    assert told.problem == "the source tree cannot be copied: No space left on device"
    absent = run(executor, "true", tree=tmp_path / "absent")
    assert absent.problem == "what is to be shown inside cannot be opened or mounted: No such file or directory"


def test_mounts_are_shown_read_only_even_from_private_directories(executor: BubblewrapExecutor, tmp_path: Path) -> None:
    shown = tmp_path / "private/shown"
    shown.mkdir(parents=True)
    (shown / "a").write_text("a")
    shown.parent.chmod(0o700)
    told = run(executor, "sh", "-c", "cat /env/a; echo b > /env/a", mounts=(Mount(shown, "/env"),))
    assert told.stdout == b"a"
    assert b"Read-only" in told.stderr
    assert (shown / "a").read_text() == "a"


def test_the_proxys_socket_is_the_only_way_out(executor: BubblewrapExecutor, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        (tmp_path / "s").chmod(0o666)
        listener.listen()
        thread = threading.Thread(target=lambda: listener.accept()[0].sendall(b"hello"))
        thread.start()
        code = "import socket; s = socket.socket(socket.AF_UNIX); s.connect('/run/proxy.sock'); print(s.recv(9))"
        told = run(executor, "python3", "-c", code, proxy=tmp_path / "s")
        thread.join(10)
    assert told.stdout == b"b'hello'\n"


def test_results_can_be_laid_into_a_directory(executor: BubblewrapExecutor, tmp_path: Path) -> None:
    command = "cd /results; mkdir bin; echo x > bin/a; chmod +x bin/a; ln -s bin link"
    told = run(executor, "sh", "-c", command, results_into=tmp_path)
    assert (told.status, told.results) == (Status.EXITED, {})
    assert (tmp_path / "link/a").read_text() == "x\n"
    assert os.access(tmp_path / "bin/a", os.X_OK)


def test_results_of_a_job_that_ran_out_of_time_come_back(executor: BubblewrapExecutor) -> None:
    told = run(executor, "sh", "-c", "echo so far > /results/log; sleep 60", limits=Limits(wall=1))
    assert (told.status, told.exit_code) == (Status.WALL, None)
    assert told.results == {"log": b"so far\n"}


def test_what_lies_in_a_cache_that_is_closed_to_others_is_shown(executor: BubblewrapExecutor, tmp_path: Path) -> None:
    root = tmp_path / "cache"
    close_to_others(root)

    def write(into: Path) -> None:
        (into / "kept").write_text("as it was\n")

    tree, environment = (DirectoryCache(root / kind, 1000).get("key", write) for kind in ("trees", "environments"))
    told = run(executor, "cat", "/work/kept", "/env/kept", tree=tree, mounts=(Mount(environment, "/env"),))
    assert (told.status, told.stdout) == (Status.EXITED, b"as it was\n" * 2), told


def test_a_command_that_does_not_exist_is_an_ordinary_outcome(executor: BubblewrapExecutor) -> None:
    told = run(executor, "no-such-command")
    assert (told.status, told.exit_code) == (Status.EXITED, 127)


def test_the_program_cannot_fake_the_sandboxs_own_failure(executor: BubblewrapExecutor) -> None:
    told = run(executor, "sh", "-c", "echo 'bwrap: setting up uid map' >&2; exit 1")
    assert (told.status, told.exit_code) == (Status.EXITED, 1)


def test_jobs_side_by_side_do_not_meet(executor: BubblewrapExecutor) -> None:
    def one(number: int) -> Outcome:
        return run(
            executor, "sh", "-c", f"echo {number} > /tmp/x; sleep 0.2; cat /tmp/x; id -u; ls /proc | grep -c ^[0-9]"
        )

    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(one, range(8)))
    assert [outcome.stdout.split()[0] for outcome in told] == [str(number).encode() for number in range(8)]
    assert {int(outcome.stdout.split()[2]) for outcome in told} <= {3, 4, 5}  # `ls` may be ahead of `grep`


SERVER = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.protocol import Job
BubblewrapExecutor().run(Job(("sh", "-c", "(setsid sleep 600 &) ; sleep 600; : " + sys.argv[1])))
"""


def test_nothing_outlives_a_server_that_is_killed(executor: BubblewrapExecutor) -> None:
    mark = f"mark-{os.getpid()}"
    before = left_over_groups()
    server = subprocess.Popen([sys.executable, "-c", SERVER, mark], cwd=ROOT, start_new_session=True)
    inside = f"sh -c (setsid sleep 600 &) ; sleep 600; : {mark}"
    eventually(lambda: any(line.startswith(inside) for line in processes(mark)))
    server.send_signal(signal.SIGKILL)
    server.wait()
    eventually(lambda: not processes(mark))
    none_is_left_over(before)


def end(server: subprocess.Popen[bytes], how: signal.Signals) -> None:
    """Until it has ended: Python notes a signal that comes just before it begins to wait, and waits all the same."""
    while server.poll() is None:
        server.send_signal(how)
        with suppress(subprocess.TimeoutExpired):
            server.wait(300)


def test_what_bubblewrap_has_only_begun_does_not_outlive_it(executor: BubblewrapExecutor) -> None:
    """The first process inside dies with bubblewrap only from some moment on; before, it would wait for ever."""
    before, sleeps = left_over_groups(), f"sleep 61{os.getpid()}"
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:  # the launcher has a /tmp of its own
        Path(place).chmod(0o755)
        early = Path(place, "bwrap")
        early.write_text(f"#!/bin/sh\n{sleeps} &\nwait\n")
        early.chmod(0o755)
        path = os.environ | {"PATH": f"{place}:{os.environ['PATH']}"}
        command = [sys.executable, "-c", SERVER, "early"]
        for how in (signal.SIGKILL, signal.SIGINT):
            server = subprocess.Popen(command, cwd=ROOT, env=path, stderr=subprocess.DEVNULL, start_new_session=True)
            eventually(lambda: processes(sleeps))
            end(server, how)
            eventually(lambda: not processes(sleeps))
    none_is_left_over(before)


def test_without_bubblewrap_the_mend_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    found = BubblewrapExecutor().probe()
    assert (found.usable, found.problem) == (False, "bubblewrap is not installed: sudo apt-get install bubblewrap")


def test_a_machine_without_filters_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    found = BubblewrapExecutor().probe()
    assert (found.usable, found.problem) == (False, "there is no system call filter for riscv64")


@cases
def test_a_bubblewrap_that_fails_is_told_with_the_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, complaint: str, mend: str
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.8.0 || echo "{complaint}" >&2\nexit 1\n')
    fake.chmod(0o755)
    shutil.copytree(tmp_path, place := Path("/var/tmp") / f"bouncer-{os.getpid()}")  # not hidden by the stage
    place.chmod(0o755)
    try:
        monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
        found = BubblewrapExecutor().probe()
    finally:
        shutil.rmtree(place)
    assert not found.usable
    assert mend in found.problem


def test_a_sandbox_that_shows_a_file_of_the_host_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    leak = Path("/var/tmp") / f"bouncer-leak-{os.getpid()}"
    leak.mkdir()
    try:
        monkeypatch.setattr(tempfile, "tempdir", str(leak))
        real = bubblewrap._system
        monkeypatch.setattr(bubblewrap, "_system", lambda: [*real(), Mount(leak, str(leak))])
        found = BubblewrapExecutor().probe()
    finally:
        leak.rmdir()
    assert (found.usable, found.problem) == (False, "a program inside could read a file of the host")


def test_a_server_that_can_start_nothing_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    told = BubblewrapExecutor().run(Job(("true",)))
    assert told.status is Status.SANDBOX_ERROR
    assert told.problem == "the sandbox could not be started: No such file or directory"
    assert told.limits_enforced == ()


def test_a_launcher_that_breaks_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "_LAUNCH", "import no_such_module")
    told = BubblewrapExecutor().run(Job(("true",)))
    assert (told.status, told.problem) == (Status.SANDBOX_ERROR, "the launcher ended early")
    assert b"no_such_module" in told.stderr


AS_NOBODY = """
import json, sys
sys.path.insert(0, sys.argv[1])
from dataclasses import asdict
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.protocol import Job, Limits, MiB
executor = BubblewrapExecutor()
found = executor.probe()
told = executor.run(Job(("python3", "-c", "x = bytearray(1 << 30)"), limits=Limits(memory=256 * MiB)))
overwritten = "".join(f"{how} 2>/dev/null && echo {number};" for number, how in enumerate(
    ("echo x > tests/a.py", "rm -r tests", "mv tests away", "touch new; mv new tests/a.py", "touch tests/new")))
held = executor.run(Job(("sh", "-c", overwritten), files={"tests/a.py": b""}, locked=frozenset({"tests/a.py"})))
print(json.dumps([found.usable, found.problem, found.missing, told.status, told.exit_code, held.stdout.decode()]))
"""

NOBODY: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def test_an_unprivileged_server_runs_jobs_and_says_what_is_missing(tmp_path: Path) -> None:
    place = Path("/var/tmp") / f"bouncer-nobody-{os.getpid()}"
    shutil.copytree(ROOT / "bot", place / "bot", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (place, *place.rglob("*")):
        path.chmod(0o755)
    try:
        told = subprocess.run(
            ["/usr/bin/python3", "-c", AS_NOBODY, str(place)],
            env={"PATH": "/usr/bin:/bin"},
            cwd="/",
            **NOBODY,
            capture_output=True,
            text=True,
        )
    finally:
        shutil.rmtree(place)
    assert told.returncode == 0, told.stderr
    usable, problem, missing, status, code, written = json.loads(told.stdout)
    assert (usable, problem) == (True, "")
    assert [text.split(":")[0] for text in missing] == ["memory (total)", "user"]
    assert (status, code) == ("exited", 1), "each process is bounded by itself"
    assert written == "4\n", "what is locked cannot be written, a new file beside it can"


def test_groups_of_version_2_are_made_where_they_were_delegated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for directory in (tmp_path / "service/server", tmp_path / "service"):
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "cgroup.subtree_control").touch()
    real = os.mkdir

    def kernel(path: str, *rest: object) -> None:
        """As the kernel fills a new group below one that hands its controllers on."""
        real(path)
        if Path(path).parent.name == "service":
            for name in ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cgroup.procs"):
                Path(path, name).touch()
            Path(path, "memory.events").write_text("low 0\noom 3\noom_kill 2\n")

    monkeypatch.setattr(os, "mkdir", kernel)
    monkeypatch.setattr(cgroup, "_mounts", lambda: {"": str(tmp_path / "service/server")})
    group = cgroup.create(1000, 10)
    assert group is not None
    group.join()
    made = tmp_path / f"service/bouncer-{os.getpid()}"
    told = {path.name: path.read_text() for path in made.iterdir()}
    assert (told["memory.max"], told["memory.swap.max"], told["memory.oom.group"], told["pids.max"]) == (
        "1000",
        "0",
        "1",
        "10",
    )
    assert told["cgroup.procs"] == "0"
    assert group.count_memory_kills() == 2
    assert not (tmp_path / f"service/server/bouncer-{os.getpid()}").exists()


@cases
def test_a_groups_directory_is_found_below_a_partial_mount(root: str, path: str, group: str, tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    assert cgroup._group(str(tmp_path), root, path) == str(tmp_path / group)


def test_a_machine_without_groups_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_mounts", dict)
    assert cgroup.create(1000, 10) is None


@pytest.mark.may_skip("only root makes control groups on most machines")
def test_launchers_that_start_at_once_do_not_take_each_others_group() -> None:
    """Each sweeps away what dead launchers left, and must not mistake a group in the making for such a one."""
    if _groups_made(1) == 0:
        pytest.skip("this machine grants no control groups")
    with ProcessPoolExecutor(8, get_context("forkserver")) as launchers:  # small processes, which fork fast
        assert sum(launchers.map(_groups_made, [15] * 8)) == 8 * 15


def _groups_made(wanted: int) -> int:
    """How many of so many launchers got a group, and took it away. A launcher makes one in its life."""
    made = 0
    for _ in range(wanted):
        child = os.fork()
        if child == 0:
            group = cgroup.create(1 << 28, 50)
            if group is not None:
                group.remove()
            os._exit(group is None or any(Path(place).exists() for place, _ in group._places))
        made += os.waitpid(child, 0)[1] == 0
    return made
