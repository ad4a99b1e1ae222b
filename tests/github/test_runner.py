"""The runner repository at GitHub, and the whole loop: a real workflow, real containers, only the machine is ours."""

import os
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
import yaml

from bot.github.actions import RunnerClient, from_settings
from bot.github.errors import GitHubError, NotFound, Rejected
from bot.sandbox.actions import WORKFLOW, ActionsExecutor, own_workflow
from bot.sandbox.protocol import Job, Limits, Status
from bot.settings import Settings, SettingsError, load
from fake_github import FakeGitHub
from fake_github.machines import WorkflowRun
from tests.support import rootfs
from tests.support.lengths import EVERY_TRICK
from tests.support.sandbox import CONTAINER
from tests.support.waiting import eventually

REPO = "acme/runner"
NAME = WORKFLOW.rpartition("/")[2]


@pytest.fixture
def token(fake_github: FakeGitHub, fake_installation: int) -> str:
    """As one would make it for the runner repository."""
    fake_github.create_repository(REPO, files={WORKFLOW: own_workflow(), "README.md": "Runs jobs"})
    fake_github.add_repositories(fake_installation, [REPO])
    fake_github.app.permissions |= {"actions": "write", "contents": "write"}
    return fake_github.access.issue_token(fake_installation)[0]


@pytest.fixture
def runner(fake_github: FakeGitHub, token: str) -> RunnerClient:
    return RunnerClient(fake_github.url, REPO, token, 0)


def test_it_sees_the_workflow_and_what_could_leak(fake_github: FakeGitHub, runner: RunnerClient) -> None:
    seen = runner.look(WORKFLOW)
    assert (seen.public, seen.workflow, seen.exposed, seen.unseen) == (
        True,
        own_workflow(),
        (),
        ("secrets", "variables"),
    )
    fake_github.app.permissions |= {"secrets": "read", "actions_variables": "read"}
    assert runner.look(WORKFLOW).unseen == ()
    fake_github.machines.secrets[REPO] = ["PASSWORD"]
    fake_github.machines.variables[REPO] = ["PLACE"]
    assert runner.look(WORKFLOW).exposed == ("secrets", "variables")
    fake_github.push(REPO, {WORKFLOW: None})
    fake_github.repo(REPO).private = True
    seen = runner.look(WORKFLOW)
    assert (seen.public, seen.workflow) == (False, None)


def test_a_job_is_one_commit_with_one_file(fake_github: FakeGitHub, runner: RunnerClient) -> None:
    runner.publish("bouncer/1", "job.tar.gz", b"\x00job\xff")
    commit = fake_github.repo(REPO).resolve("bouncer/1")
    assert commit and commit.files == {"job.tar.gz": b"\x00job\xff"}
    with pytest.raises(Rejected, match="already exists"):
        runner.publish("bouncer/1", "job.tar.gz", b"another")
    runner.withdraw("bouncer/1")
    runner.withdraw("bouncer/1")
    assert "bouncer/1" not in fake_github.repo(REPO).branches


def test_a_run_from_its_start_to_its_artifact(fake_github: FakeGitHub, runner: RunnerClient) -> None:
    number = runner.start(NAME, {"job": "1"})
    other = runner.start(NAME, {"job": "2"})
    run = fake_github.machines.runs[number]
    assert (run.workflow, run.inputs) == (WORKFLOW, {"job": "1"})
    assert not runner.is_over(number)
    assert runner.artifact(number, "bouncer-1", 100) is None
    fake_github.machines.finish(run, "success", {"bouncer-1": b"zip", "other": b"other"})
    assert runner.is_over(number)
    assert runner.artifact(number, "bouncer-1", 3) == b"zip"
    assert runner.artifact(other, "bouncer-1", 3) is None, "an artifact counts for its own run only"
    with pytest.raises(Rejected, match="larger than it may be"):
        runner.artifact(number, "bouncer-1", 2)
    run.artifacts[0].expired = True
    assert runner.artifact(number, "bouncer-1", 3) is None
    runner.cancel(number)
    runner.cancel(other)
    assert fake_github.machines.runs[other].conclusion == "cancelled"


def test_an_artifact_that_names_another_run_or_comes_twice_is_not_taken(
    fake_github: FakeGitHub, runner: RunnerClient
) -> None:
    number = runner.start(NAME, {"job": "1"})
    run = fake_github.machines.runs[number]
    fake_github.machines.finish(run, "success", {"bouncer-1": b"zip"})
    run.artifacts[0].run = number + 1
    assert runner.artifact(number, "bouncer-1", 3) is None
    fake_github.machines.finish(run, "success", {"bouncer-1": b"zip"})
    run.artifacts[0].run = number
    with pytest.raises(Rejected, match="two artifacts"):
        runner.artifact(number, "bouncer-1", 3)


def test_what_is_not_there_is_a_github_error(runner: RunnerClient) -> None:
    with pytest.raises(NotFound):
        runner.is_over(999_999)


def test_a_start_that_may_have_been_done_is_not_repeated(fake_github: FakeGitHub, runner: RunnerClient) -> None:
    fake_github.drop(route="/dispatches", after_effect=True)
    with pytest.raises(GitHubError):
        runner.start(NAME, {"job": "1"})
    assert len(fake_github.machines.runs) == 1


def test_the_settings_name_it(fake_github: FakeGitHub, token: str) -> None:
    assert from_settings(Settings()).probe().problem.startswith("set BOUNCER_ACTIONS_REPOSITORY and")
    there = {"github_api_url": fake_github.url, "actions_repository": REPO, "actions_token": token}
    assert from_settings(Settings(**there, sandbox_image=f"x@sha256:{'0' * 64}")).probe().usable
    for name in ("runner", "/runner", "acme/", "acme/run/ner"):
        with pytest.raises(SettingsError, match="BOUNCER_ACTIONS_REPOSITORY: give OWNER/NAME"):
            load(actions_repository=name)


# What differs on this machine from GitHub's: podman stands for docker and knows no bound for a tmpfs's files.
DOCKER = """#!{python}
import os, sys
known = {{"job": "{name}"}}
given = [known.get(word, word).split(",nr_inodes=")[0] for word in sys.argv[1:]]
if given[0] == "pull":
    sys.exit()
if given[0] == "run":
    given[1:1] = ["--ulimit", "nproc=4096:4096", "--pull=never"]
os.execv("{podman}", ["podman", *{options}, *given])
"""


@pytest.fixture
def machine(fake_github: FakeGitHub, token: str, tmp_path: Path) -> Iterator[Path]:
    """A machine of GitHub's, as far as a directory with a `docker` in it is one; it works off what is dispatched."""
    engine = CONTAINER.inner._measured[1].engine  # type: ignore[attr-defined]
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    name = f"bouncer-job-{os.getpid()}"
    options = list(engine.command[1:])
    docker.write_text(DOCKER.format(python=sys.executable, name=name, podman=engine.command[0], options=options))
    docker.chmod(0o755)
    stop = threading.Event()
    thread = threading.Thread(target=_work, args=(fake_github, tmp_path, stop), daemon=True)
    thread.start()
    yield tmp_path
    stop.set()
    thread.join(30)
    engine.remove(name)


def _work(fake: FakeGitHub, home: Path, stop: threading.Event) -> None:
    while not stop.wait(0.02):
        for run in list(fake.machines.runs.values()):
            if run.status == "queued":
                run.status = "in_progress"
                _execute(fake, run, home / str(run.id), f"{home}/bin:{os.environ['PATH']}")


def _execute(fake: FakeGitHub, run: WorkflowRun, place: Path, path: str) -> None:
    place.mkdir()
    commit = fake.repo(REPO).resolve("main")
    assert commit
    *steps, upload = yaml.safe_load(commit.files[run.workflow])["jobs"]["job"]["steps"]
    variables = {"PATH": path, "GITHUB_SERVER_URL": fake.web_url, "GITHUB_REPOSITORY": REPO, "HOME": str(place)}
    for step in steps:
        assert step["env"] == {"JOB": "${{ inputs.job }}"}
        variables["JOB"] = run.inputs["job"]
        done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=place, env=variables, capture_output=True)
        if done.returncode != 0:
            print(done.stderr.decode(errors="replace"))
            fake.machines.finish(run, "failure", {})
            return
    assert upload["with"]["name"] == "bouncer-${{ inputs.job }}"
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((place / upload["with"]["path"]).iterdir()):
            archive.write(file, file.name)
    fake.machines.finish(run, "success", {f"bouncer-{run.inputs['job']}": stream.getvalue()})


def test_the_whole_loop(fake_github: FakeGitHub, runner: RunnerClient, machine: Path, tmp_path: Path) -> None:
    image = rootfs.image()
    assert image
    digest = subprocess.run(["podman", "image", "inspect", "--format", "{{.Digest}}", image], capture_output=True)
    executor = ActionsExecutor(
        runner, f"{rootfs.NAME}@{digest.stdout.decode().strip()}", sleep=lambda _: time.sleep(0.1)
    )
    assert executor.probe().usable, executor.probe().problem
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "code.py").write_text("print('code')")
    code = (
        "import sys, os, runpy, socket\n"
        "runpy.run_path('code.py'); print(sys.stdin.read(), os.environ['WORD'])\n"
        "open('/results/a', 'w').write('result')\n"
        "try: socket.create_connection(('192.0.2.1', 9), 1)\n"
        "except OSError as error: print(error.strerror)\n"
        "sys.exit(3)"
    )
    limits = Limits(wall=20, output=2000)
    job = Job(("python3", "-c", code), tree, stdin=b"typed", environment={"WORD": "a 'b'"}, limits=limits)
    outcome = executor.run(job)
    assert (outcome.status, outcome.exit_code) == (Status.EXITED, 3), outcome
    assert outcome.stdout == b"code\ntyped a 'b'\nNetwork is unreachable\n"
    assert outcome.results == {"a": b"result"}
    if EVERY_TRICK:  # one limit stands for the others
        flood = executor.run(Job(("sh", "-c", "while :; do echo flood; done"), limits=limits))
        assert (flood.status, len(flood.stdout)) == (Status.OUTPUT_LIMIT, 2000)
    late = executor.run(Job(("sleep", "60"), limits=Limits(wall=1)))
    assert late.status is Status.WALL
    assert list(fake_github.repo(REPO).branches) == ["main"]
    eventually(lambda: all(run.status == "completed" for run in fake_github.machines.runs.values()))
