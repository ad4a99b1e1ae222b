"""Jobs on GitHub's machines: what is refused, how long is waited, and artifacts that somebody forged."""

import io
import json
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from bot.github.errors import GitHubError, Unavailable
from bot.sandbox.actions import LOOK_EVERY, START_WITHIN, ActionsExecutor, RunnerView, own_workflow
from bot.sandbox.protocol import Job, Limits, Mount, Outcome, Status

IMAGE = f"registry.example/bouncer@sha256:{'0' * 64}"
VIEW = RunnerView(public=True, workflow=own_workflow())
LIMITS = Limits(wall=60, output=1000, results=2000)
JOB = Job(("true",), limits=LIMITS)


class Runner:
    """A runner repository whose runs hand over what a test wants, after `looks` looks at them."""

    def __init__(self, artifact: Callable[[str], bytes | None] = lambda job: None, looks: float = 0) -> None:
        self.view: RunnerView | GitHubError = VIEW
        self.branches: dict[str, bytes] = {}
        self.done: list[str] = []
        self.problems: dict[str, GitHubError] = {}
        self.looks = looks
        self._artifact = artifact

    def _do(self, what: str) -> None:
        self.done.append(what)
        if what in self.problems:
            raise self.problems[what]

    def look(self, workflow: str) -> RunnerView:
        if isinstance(self.view, GitHubError):
            raise self.view
        return self.view

    def publish(self, branch: str, path: str, content: bytes) -> None:
        self._do("publish")
        self.branches[branch] = content

    def withdraw(self, branch: str) -> None:
        self._do("withdraw")
        self.branches.pop(branch, None)

    def start(self, workflow: str, inputs: Mapping[str, str]) -> int:
        self._do("start")
        self.job = inputs["job"]
        assert f"bouncer/{self.job}" in self.branches
        return 7

    def is_over(self, run: int) -> bool:
        self._do("is_over")
        self.looks -= 1
        return self.looks < 0

    def cancel(self, run: int) -> None:
        self._do("cancel")

    def artifact(self, run: int, name: str, most: int) -> bytes | None:
        self._do("artifact")
        assert (run, name) == (7, f"bouncer-{self.job}")
        return self._artifact(self.job)


class Ticks:
    """A clock on which sleeping takes no time."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def executor_on(runner: Runner, image: str = IMAGE) -> ActionsExecutor:
    ticks = Ticks()
    return ActionsExecutor(runner, image, ticks=lambda: ticks.now, sleep=ticks.sleep)


def tar(*entries: tuple[tarfile.TarInfo, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for entry, content in entries:
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def entry(
    name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(content), kind, link
    return info, content


def handed(job: str, code: object = 0, method: int = zipfile.ZIP_DEFLATED, **changed: bytes | None) -> bytes:
    """An artifact as the workflow makes it, except for what is changed; `None` leaves a file out."""
    told = json.dumps({"job": job, "code": code, "results_read": True}).encode()
    names = {"outcome": "outcome.json", "results": "results.tar"}
    whole = {"outcome": told, "stdout": b"out", "stderr": b"err", "results": tar(entry("a/b", b"c")), "events": b""}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in {**whole, **changed}.items():
            if content is not None:
                archive.writestr(names.get(name, name), content)
    return stream.getvalue()


def told(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def twice(job: str) -> bytes:
    stream = io.BytesIO(handed(job))
    with zipfile.ZipFile(stream, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("outcome.json", told(job=job, code=0, results_read=True))
    return stream.getvalue()


def crowded(job: str) -> bytes:
    stream = io.BytesIO(handed(job))
    with zipfile.ZipFile(stream, "a") as archive:
        for place in range(100):
            archive.writestr(str(place), b"")
    return stream.getvalue()


def lying_about_its_directory(job: str) -> bytes:
    whole = handed(job)
    return whole[:-12] + struct.pack("<L", 1 << 31) + whole[-8:]


def test_what_a_run_hands_over_is_the_outcome() -> None:
    runner = Runner(handed, looks=3)
    outcome = executor_on(runner).run(JOB)
    assert outcome == Outcome(
        Status.EXITED, 0, b"out", b"err", {"a/b": b"c"}, 3 * LOOK_EVERY, executor_on(runner).probe().enforced
    )
    assert runner.branches == {}, "the source does not stay there"
    assert "cancel" not in runner.done


def test_what_a_job_says_goes_along_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("code")
    sent: dict[str, bytes] = {}

    class Curious(Runner):
        def start(self, workflow: str, inputs: Mapping[str, str]) -> int:
            sent.update(self.branches)
            return super().start(workflow, inputs)

    job = Job(("a", "b"), tmp_path, {"test.py": b"test"}, stdin=b"typed", environment={"WORD": "x"}, limits=LIMITS)
    assert executor_on(Curious(handed)).run(job).status is Status.EXITED
    with tarfile.open(fileobj=io.BytesIO(next(iter(sent.values())))) as archive:
        found = {item.name: file.read() for item in archive if (file := archive.extractfile(item))}
    assert sorted(found) == ["job.json", "stdin", "tree.tar"]
    assert found["stdin"] == b"typed"
    description = json.loads(found["job.json"])
    assert (description["argv"], description["image"]) == (["a", "b"], IMAGE)
    assert description["environment"] == {"HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8", "WORD": "x"}
    with tarfile.open(fileobj=io.BytesIO(found["tree.tar"])) as tree:
        assert sorted(tree.getnames()) == ["code.py", "test.py"]


@pytest.mark.parametrize(
    ("forged", "status", "says"),
    [
        (lambda job: None, Status.SANDBOX_ERROR, "before it could hand over"),
        (lambda job: b"", Status.SANDBOX_ERROR, "damaged"),
        (lambda job: b"PK" * 50, Status.SANDBOX_ERROR, "damaged"),
        (lambda job: handed(job)[:-30] + handed(job)[-22:], Status.SANDBOX_ERROR, "damaged"),
        (lying_about_its_directory, Status.SANDBOX_ERROR, "not contain what the workflow"),
        (crowded, Status.SANDBOX_ERROR, "not contain what the workflow"),
        (twice, Status.SANDBOX_ERROR, "not contain what the workflow"),
        (lambda job: handed(job, stdout=None), Status.SANDBOX_ERROR, "not contain what the workflow"),
        (lambda job: handed(job, method=zipfile.ZIP_LZMA), Status.SANDBOX_ERROR, "unusual way"),
        (lambda job: handed("f" * 32), Status.SANDBOX_ERROR, "another job's"),
        (lambda job: handed(job, outcome=b"[" * 4000), Status.SANDBOX_ERROR, "does not say"),
        (lambda job: handed(job, outcome=b"\xff"), Status.SANDBOX_ERROR, "does not say"),
        (lambda job: handed(job, outcome=b"[1]"), Status.SANDBOX_ERROR, "another job's"),
        (lambda job: handed(job, code=True), Status.SANDBOX_ERROR, "does not say"),
        (lambda job: handed(job, code=1000), Status.SANDBOX_ERROR, "does not say"),
        (lambda job: handed(job, code="0"), Status.SANDBOX_ERROR, "does not say"),
        (lambda job: handed(job, outcome=told(job=job, code=0)), Status.SANDBOX_ERROR, "does not say"),
        (lambda job: handed(job, stdout=bytes(10**8)), Status.OUTPUT_LIMIT, "output limit"),
        (lambda job: handed(job, code=None), Status.WALL, "time limit"),
        (lambda job: handed(job, code=137, events=b"oom_kill 1\n"), Status.MEMORY, "memory"),
        (lambda job: handed(job, results=bytes(10**8)), Status.RESULT_LIMIT, "larger"),
        (lambda job: handed(job, results=tar(entry("a", bytes(2001)))), Status.RESULT_LIMIT, "larger"),
        (lambda job: handed(job, results=tar(entry("../a"))), Status.RESULT_LIMIT, "leads out"),
        (lambda job: handed(job, results=tar(entry("/a"))), Status.RESULT_LIMIT, "leads out"),
        (
            lambda job: handed(job, results=tar(entry("a", b"", tarfile.SYMTYPE, "/"))),
            Status.RESULT_LIMIT,
            "plain file",
        ),
        (lambda job: handed(job, results=tar(entry("a", b"", tarfile.FIFOTYPE))), Status.RESULT_LIMIT, "plain file"),
        (lambda job: handed(job, results=b"x" * 600), Status.RESULT_LIMIT, "cannot be read"),
        (
            lambda job: handed(job, outcome=told(job=job, code=0, results_read=False)),
            Status.RESULT_LIMIT,
            "cannot be read",
        ),
    ],
)
def test_a_forged_artifact(forged: Callable[[str], bytes | None], status: Status, says: str) -> None:
    outcome = executor_on(Runner(forged)).run(JOB)
    assert outcome.status is status
    assert says in outcome.problem
    assert not outcome.results or status not in (Status.SANDBOX_ERROR, Status.RESULT_LIMIT)
    assert max(len(outcome.stdout), len(outcome.stderr)) <= LIMITS.output


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"confidential": True}, "confidential"),
        ({"mounts": (Mount(Path("/opt"), "/opt"),)}, "directories or a proxy"),
        ({"proxy": Path("/run/proxy")}, "directories or a proxy"),
        ({"image": "python:3.13"}, "by digest"),
        ({"files": {"large": b"x" * 2000}, "limits": replace(LIMITS, disk=1000)}, "larger than the job may write"),
    ],
)
def test_what_must_not_or_cannot_leave_is_refused(change: dict[str, object], says: str) -> None:
    runner = Runner(handed)
    outcome = executor_on(runner).run(replace(JOB, **change))  # type: ignore[arg-type]
    assert (outcome.status, runner.done) == (Status.SANDBOX_ERROR, [])
    assert says in outcome.problem


def test_a_run_that_does_not_end_is_cancelled() -> None:
    runner = Runner(handed, looks=float("inf"))
    outcome = executor_on(runner).run(JOB)
    assert outcome.status is Status.SANDBOX_ERROR
    assert "in time" in outcome.problem
    assert LIMITS.wall + START_WITHIN <= outcome.seconds <= LIMITS.wall + START_WITHIN + LOOK_EVERY
    assert runner.done[-2:] == ["cancel", "withdraw"]


@pytest.mark.parametrize("step", ["publish", "start", "is_over", "artifact"])
def test_a_github_that_is_away_says_nothing_about_the_program(step: str) -> None:
    runner = Runner(handed)
    runner.problems[step] = Unavailable("no connection to GitHub")
    outcome = executor_on(runner).run(JOB)
    assert (outcome.status, outcome.problem) == (Status.SANDBOX_ERROR, "GitHub: no connection to GitHub")
    assert "withdraw" in runner.done
    assert ("cancel" in runner.done) == (step == "is_over")


def test_a_branch_that_stays_behind_does_not_cost_the_outcome() -> None:
    runner = Runner(handed)
    runner.problems["withdraw"] = Unavailable("no connection to GitHub")
    assert executor_on(runner).run(JOB).status is Status.EXITED


@pytest.mark.parametrize(
    ("view", "image", "says"),
    [
        (VIEW, "bouncer", "by digest"),
        (Unavailable("no connection to GitHub"), IMAGE, "cannot be read: no connection"),
        (replace(VIEW, workflow=None), IMAGE, "has no .github/workflows/bouncer.yml"),
        (replace(VIEW, workflow=own_workflow() + b"\n"), IMAGE, "has another .github/workflows/bouncer.yml"),
        (
            replace(VIEW, workflow=own_workflow().replace(b"permissions: {}", b"permissions: write-all")),
            IMAGE,
            "has another",
        ),
        (replace(VIEW, public=False), IMAGE, "is private"),
        (replace(VIEW, exposed=("secrets", "variables")), IMAGE, "can see secrets and variables"),
    ],
)
def test_a_runner_repository_that_is_not_as_it_should_be_is_not_used(
    view: RunnerView | GitHubError, image: str, says: str
) -> None:
    runner = Runner(handed)
    runner.view = view
    executor = executor_on(runner, image)
    assert not executor.probe().usable
    assert says in executor.probe().problem
    outcome = executor.run(JOB)
    assert (outcome.status, outcome.problem, runner.done) == (Status.SANDBOX_ERROR, executor.probe().problem, [])


def test_without_settings_it_says_which_are_missing() -> None:
    assert "BOUNCER_ACTIONS_REPOSITORY" in ActionsExecutor(None, IMAGE).probe().problem


def test_what_the_token_may_not_see_is_said() -> None:
    runner = Runner()
    runner.view = replace(VIEW, unseen=("secrets",))
    capabilities = executor_on(runner).probe()
    assert capabilities.usable
    assert any("may not look for secrets" in reason for reason in capabilities.missing)
    assert any(reason.startswith("mounts: ") for reason in capabilities.missing)
