"""Jobs in containers: podman runs them here, in an image made of this machine's own files."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.sandbox import container_engine
from bot.sandbox.container import LABEL, ContainerExecutor
from bot.sandbox.container_engine import ContainerEngine, find
from bot.sandbox.protocol import Job, Limits, Mount, Outcome, Status
from tests.support import rootfs
from tests.support.cases import cases
from tests.support.needs import missing

IMAGE = f"image) echo sha256:{'0' * 64};;"  # of a shell script that stands for docker


@pytest.fixture(scope="module")
def image() -> str:
    return rootfs.image() or missing("podman")


@pytest.fixture(scope="module")
def executor(image: str) -> ContainerExecutor:
    executor = ContainerExecutor("podman", image)
    assert executor.probe().usable, executor.probe().problem
    return executor


@pytest.fixture(scope="module")
def engine(executor: ContainerExecutor) -> ContainerEngine:
    ready = executor._measured[1]
    assert ready
    return ready.engine


def python(code: str, executor: ContainerExecutor, **job: object) -> Outcome:
    return executor.run(Job((*executor.probe().python, "-c", code), **job))  # type: ignore[arg-type]


def test_what_the_probe_says(executor: ContainerExecutor, image: str) -> None:
    capabilities = executor.probe()
    assert capabilities.executor == "container"
    assert "podman" in capabilities.version
    digest = subprocess.run(
        ["podman", "image", "inspect", "--format", "{{.Id}}", image], capture_output=True, check=True
    )
    assert f"image sha256:{digest.stdout.decode().strip()}" in capabilities.version
    assert {"network", "memory (total)", "wall", "processes", "disk", "files"} <= set(capabilities.enforced)
    assert capabilities.missing == ()


def test_a_job_sees_its_own_things_and_no_others(
    executor: ContainerExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BOUNCER_PRIVATE_KEY", "HTTPS_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://user:hunter2@proxy.example")
    tree, shown = tmp_path / "tree", tmp_path / "shown"
    tree.mkdir()
    shown.mkdir()
    (tree / "old.py").write_text("old")
    (tree / "kept.py").write_text("kept")
    (shown / "library").write_text("library")
    code = """if True:
        import os, sys
        print(sorted(os.environ.items()))
        print(os.getcwd(), sorted(os.listdir()), open('old.py').read(), sys.stdin.read(), os.getuid() >= 65000)
        print(open('/library/library').read())
        for place in ('/library', '/declared', '/usr'):
            try: open(place + '/new', 'w')
            except OSError as error: print(error.strerror)
        for place in ('/work', '/tmp', '/results'): open(place + '/new', 'wb').write(b'\\0new')
        print(open('/etc/hosts').read(), os.listdir('/run'), file=sys.stderr)
        sys.exit(3)
    """
    outcome = python(
        code,
        executor,
        tree=tree,
        files={"old.py": b"new", "kept.py": None, "deep/er.py": b""},
        mounts=(Mount(shown, "/library"),),
        stdin=b"typed",
        environment={"LANG": "C", "WORD": "a b'\"$(c)\n"},
    )
    assert (outcome.status, outcome.exit_code, outcome.problem) == (Status.EXITED, 3, "")
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    environment = {"HOME": "/tmp", "LANG": "C", "PATH": path, "TMPDIR": "/tmp", "WORD": "a b'\"$(c)\n"}
    assert outcome.stdout.decode().splitlines() == [
        str(sorted(environment.items())),
        "/work ['deep', 'old.py'] new typed True",
        "library",
        "Read-only file system",
        "No such file or directory",
        "Read-only file system",
    ]
    assert outcome.results == {"new": b"\0new"}
    assert outcome.stderr == b"127.0.0.1\tlocalhost sandbox\n::1\tlocalhost\n ['.containerenv']\n"
    assert sorted(path.name for path in (*tree.iterdir(), *shown.iterdir())) == ["kept.py", "library", "old.py"]


@cases
def test_each_limit_says_so(code: str, limits: Limits, status: Status, executor: ContainerExecutor) -> None:
    outcome = python(code, executor, limits=limits)
    assert outcome.status is status, outcome
    assert outcome.problem and not outcome.results
    assert len(outcome.stderr) <= limits.output
    assert outcome.limits_enforced == executor.probe().enforced


@cases
def test_odd_exits_are_ordinary(argv: tuple[str, ...], code: int, executor: ContainerExecutor) -> None:
    outcome = executor.run(Job(argv))
    assert (outcome.status, outcome.exit_code) == (Status.EXITED, code)


def test_the_end_of_the_command_is_the_end_of_all_it_started(
    executor: ContainerExecutor, engine: ContainerEngine
) -> None:
    """Zombies are cleared away, the first process cannot be killed, and no container is left."""
    code = """if True:
        import os, signal
        for place in range(200):
            if os.fork() == 0:
                if os.fork() == 0: os._exit(0)
                os._exit(0)
            os.wait()
        for act in (lambda: os.kill(1, signal.SIGKILL), lambda: open('/proc/1/mem', 'r+b')):
            try: act()
            except PermissionError: print('refused')
        if os.fork() == 0:
            os.setsid()
            while True:
                with open('/results/late', 'a') as file: file.write('x')
        print('still here', flush=True)
        if os.fork() == 0:
            while True:
                try: os.fork()
                except OSError: pass
    """
    outcome = python(code, executor, limits=Limits(processes=20, wall=20))
    assert (outcome.status, outcome.stdout) == (Status.EXITED, b"refused\nrefused\nstill here\n"), outcome
    assert "late" in outcome.results
    listed = engine.call(
        ["ps", "--all", "--format", "{{.Names}}", "--filter", f"label={LABEL}={container_engine.owner_mark()}"]
    )
    assert (listed.code, listed.stdout) == (0, b"")


def test_results_of_any_size_go_into_a_directory(executor: ContainerExecutor, tmp_path: Path) -> None:
    code = "mkdir -p /results/a/b; printf c >/results/a/b/c; ln -s b/c /results/a/d"
    outcome = executor.run(Job(("sh", "-c", code), results_into=tmp_path))
    assert (outcome.status, outcome.results) == (Status.EXITED, {})
    assert (tmp_path / "a/d").read_bytes() == b"c"


def test_the_image_of_a_job_is_never_pulled(executor: ContainerExecutor, image: str) -> None:
    outcome = executor.run(Job(("true",), image="docker.io/library/no-such-image:1"))
    assert outcome.status is Status.SANDBOX_ERROR
    assert "not on this machine" in outcome.problem
    assert executor.run(Job(("true",), image=image)).status is Status.EXITED


def test_what_a_killed_bouncer_left_is_swept_and_what_a_living_one_runs_is_not(
    engine: ContainerEngine, image: str
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "from bot.sandbox import container_engine as o; print(o.owner_mark())"], stdout=-1
    ) as gone:
        dead = gone.communicate()[0].decode().strip()
    elsewhere = "another-machine/1/1"
    names = {
        owner: f"bouncer-test-{hash(owner) & 0xFFFFFFFF:x}"
        for owner in (dead, container_engine.owner_mark(), elsewhere)
    }
    for owner, name in names.items():
        flags = ["--name", name, "--label", f"{LABEL}={owner}", "--ulimit", "nofile=99", "--ulimit", "nproc=99"]
        assert engine.call(["create", *flags, image, "true"]).code == 0
    try:
        engine.sweep(LABEL)
        left = {owner for owner, name in names.items() if engine.call(["container", "exists", name]).code == 0}
        assert left == {container_engine.owner_mark(), elsewhere}
    finally:
        for name in names.values():
            engine.remove(name)


@pytest.fixture
def clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A PATH that holds only what a test puts there."""
    monkeypatch.setenv("PATH", str(tmp_path))
    yield tmp_path


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        (None, "podman or docker is not on the PATH"),
        ("case $1 in --version) echo Docker version 99;; *) exit 1;; esac", "does not answer; is its daemon running"),
        ("case $1 in image) exit 1;; *) echo Docker version 99;; esac", "the image bouncer is not on this machine"),
        (f"case $1 in {IMAGE} run) echo 'no cgroups' >&2; exit 125;; *) echo Docker version 99;; esac", "no cgroups"),
        (f"case $1 in {IMAGE} *) echo Docker version 99;; esac", "leaves containers privileges"),
    ],
)
def test_what_does_not_work_is_not_used(clients: Path, script: str | None, problem: str) -> None:
    if script is not None:
        (clients / "docker").write_text(f"#!/bin/sh\n{script}\n")
        (clients / "docker").chmod(0o755)
    executor = ContainerExecutor()
    assert not executor.probe().usable
    assert problem in executor.probe().problem and not executor.probe().version, "the reasons name their engines"
    outcome = executor.run(Job(("true",)))
    assert (outcome.status, outcome.problem) == (Status.SANDBOX_ERROR, executor.probe().problem)


def test_a_container_that_is_not_isolated_is_not_used(clients: Path) -> None:
    """Whatever flags are given, what counts is what a container sees."""
    fields = "NoNewPrivs:\\t1\\nSeccomp:\\t2\\nCapEff:\\t0000000000000000\\nCapBnd:\\t0000000000000000\\n"
    routes = "Iface\\tDestination\\neth0\\t00000000\\n"
    answer = f"case $1 in {IMAGE} exec) printf '{fields}{routes}65534\\n'; exit 2;; *) echo Docker 99;; esac"
    (clients / "docker").write_text(f"#!/bin/sh\n{answer}\n")
    (clients / "docker").chmod(0o755)
    assert "does not isolate" in ContainerExecutor().probe().problem


def test_docker_is_told_the_same_as_podman_in_its_own_words(clients: Path) -> None:
    (clients / "docker").write_text("#!/bin/sh\necho Docker version 99\n")
    (clients / "docker").chmod(0o755)
    (docker,) = find("docker")
    flags = docker.security_flags()
    assert {"--network=none", "--read-only", "--cap-drop=ALL", "--pull=never"} <= set(flags)
    assert "HTTPS_PROXY=" in flags, "docker would fill it in from its configuration"
    assert not any(flag.startswith("--read-only-tmpfs") for flag in flags), "podman's alone"
    (clients / "docker").write_text("#!/bin/sh\nprintf '/var/lib/data\\n/data\\n\\n'\n")
    assert docker.cover_volumes("x") == ["--tmpfs", "/var/lib/data:ro,size=4k", "--tmpfs", "/data:ro,size=4k"]
    assert "nr_inodes=5" in " ".join(docker.memory_place("/work", 1, 5))


def test_the_engines_place_is_made_anew_where_it_was_put_away() -> None:
    """As a command does with all its temporary files, while the process goes on."""
    shutil.rmtree(container_engine._place().name)
    assert Path(container_engine._place().name).is_dir()
