"""Jobs on GitHub's machines: a workflow in a repository without secrets runs them.
See docs/internals/sandbox.md.

A job travels as one file on a branch of its own; the workflow fetches it as anybody could. So the runner repository is
public, and what is confidential is refused. The artifact that comes back is read as hostile.
"""

import io
import json
import re
import secrets
import tarfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.resources import files
from math import ceil
from tempfile import TemporaryFile
from typing import IO, Any, Protocol

from bot.github.errors import GitHubError
from bot.sandbox import results
from bot.sandbox.pack import PackError, pack
from bot.sandbox.protocol import Capabilities, Job, MiB, Outcome, Status, ended, failed

WORKFLOW = ".github/workflows/bouncer.yml"
START_WITHIN = 900.0  # seconds that GitHub may take to find a machine, pull the image and hand over the artifact
LOOK_EVERY = 5.0  # seconds
MOST_SENT = 40 * MiB  # compressed; GitHub refuses blobs of more than 100 MB, base64 included
_BY_DIGEST = re.compile(r"[\w.:/-]+@sha256:[0-9a-f]{64}")
_ENFORCED = ("wall", "cpu", "memory (total)", "processes", "output", "results", "disk", "files", "network")
_MISSING = (
    "mounts: directories of this machine cannot be shown on GitHub's",
    "proxy: there is no way to the package index, so setup cannot run",
)
_TAR = 1 << 16  # bytes that even the smallest archive may have; twice the results leaves room for headers


@dataclass(frozen=True, slots=True)
class RunnerView:
    """The runner repository as it is now.

    workflow: the content of the workflow's file on the default branch, `None` when there is none.
    exposed: kinds of things a workflow could leak, e.g. `secrets`. unseen: kinds that the token may not look for.
    """

    public: bool
    workflow: bytes | None
    exposed: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


class RunnerRepository(Protocol):
    """The one repository, at GitHub. Every method raises `GitHubError`."""

    def look(self, workflow: str) -> RunnerView: ...

    def publish(self, branch: str, path: str, content: bytes) -> None:
        """Make a branch of one commit without parents that holds this file and no other."""
        ...

    def withdraw(self, branch: str) -> None: ...

    def start(self, workflow: str, inputs: Mapping[str, str]) -> int:
        """Dispatch the workflow of the default branch; the run's id."""
        ...

    def is_over(self, run: int) -> bool: ...

    def cancel(self, run: int) -> None: ...

    def artifact(self, run: int, name: str, most: int) -> bytes | None:
        """The zip archive that this run uploaded under this name; raises when it has more than `most` bytes."""
        ...


class ActionsExecutor:
    """runner: `None` when none is configured. image: what jobs run in, by digest, where GitHub's machines can pull it.

    ticks, sleep: a clock in seconds.
    """

    name = "actions"

    def __init__(
        self,
        runner: RunnerRepository | None,
        image: str,
        *,
        ticks: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._runner = runner
        self._image = image
        self._ticks = ticks
        self._sleep = sleep

    def probe(self) -> Capabilities:
        return self._capabilities

    def run(self, job: Job) -> Outcome:
        started = self._ticks()
        outcome = self._run(job)
        enforced = self._capabilities.enforced
        return replace(outcome, seconds=self._ticks() - started, limits_enforced=enforced)

    @cached_property
    def _capabilities(self) -> Capabilities:
        problem, unseen = self._examine()
        if problem:
            return Capabilities(self.name, "", usable=False, problem=problem)
        missing = (*_MISSING, *(f"secretless: BOUNCER_ACTIONS_TOKEN may not look for {kind}" for kind in unseen))
        version = f"GitHub Actions, image {self._image}"
        return Capabilities(self.name, version, usable=True, enforced=_ENFORCED, missing=missing, python=("python3",))

    def _examine(self) -> tuple[str, tuple[str, ...]]:
        """Why the runner repository cannot be used, empty when it can; and what could not be seen."""
        if self._runner is None:
            return "set BOUNCER_ACTIONS_REPOSITORY and BOUNCER_ACTIONS_TOKEN", ()
        if not _BY_DIGEST.fullmatch(self._image):
            return "set BOUNCER_SANDBOX_IMAGE to an image that GitHub can pull, by digest: NAME@sha256:…", ()
        try:
            seen = self._runner.look(WORKFLOW)
        except GitHubError as error:
            return f"the runner repository cannot be read: {error}", ()
        if seen.workflow != own_workflow():
            how = "has no" if seen.workflow is None else "has another"
            mend = "put there what `bouncer sandbox workflow` prints"
            return f"the runner repository {how} {WORKFLOW} than this release of Bouncer: {mend}", ()
        if not seen.public:
            return "the runner repository is private: its workflow, which has no credentials, could not fetch a job", ()
        if seen.exposed:
            return f"the runner repository can see {' and '.join(seen.exposed)}: remove them, or use another one", ()
        return "", seen.unseen

    def _run(self, job: Job) -> Outcome:
        capabilities = self._capabilities
        refused = capabilities.problem or _refused(job)
        if refused or self._runner is None:
            return failed(refused)
        name = secrets.token_hex(16)
        branch = f"bouncer/{name}"
        try:
            content = _packed(job, job.image or self._image)
        except PackError as problem:
            return failed(str(problem))
        try:
            try:
                self._runner.publish(branch, "job.tar.gz", content)
                run = self._runner.start(WORKFLOW.rpartition("/")[2], {"job": name})
                if not self._wait(self._runner, run, job.limits.wall + START_WITHIN):
                    return failed("GitHub did not run the job in time")
                most = 2 * job.limits.results + 2 * job.limits.output + MiB
                found = self._runner.artifact(run, f"bouncer-{name}", most)
            finally:
                with suppress(GitHubError):  # nothing but space is lost: what was sent is public anyway
                    self._runner.withdraw(branch)
        except GitHubError as error:
            return failed(f"GitHub: {error}")
        if found is None:
            return failed("the workflow failed before it could hand over an outcome")
        try:
            return _outcome(job, name, found)
        except results.ArtifactError as problem:
            return failed(str(problem))

    def _wait(self, runner: RunnerRepository, run: int, seconds: float) -> bool:
        """Whether the run ended in time; it is cancelled when not, or when GitHub stops answering."""
        deadline = self._ticks() + seconds
        over = False
        try:
            while not (over := runner.is_over(run)) and self._ticks() < deadline:
                self._sleep(LOOK_EVERY)
        finally:
            if not over:
                with suppress(GitHubError):  # the workflow has a limit of its own
                    runner.cancel(run)
        return over


def own_workflow() -> bytes:
    """The workflow that a runner repository must have."""
    return files("bot.sandbox").joinpath("runner-workflow.yml").read_bytes()


def _refused(job: Job) -> str:
    if job.confidential:
        return "this code is confidential and must not leave this machine"
    if job.mounts or job.proxy:
        return "the job needs directories or a proxy of this machine, which GitHub's machines cannot see"
    if job.image is not None and not _BY_DIGEST.fullmatch(job.image):
        return "name the image by digest: NAME@sha256:…"
    return ""


def _packed(job: Job, image: str) -> bytes:
    """`job.tar.gz`: what the workflow needs to know, standard input and the tree. Raises PackError."""
    told = {
        "argv": job.argv,
        "environment": job.variables,
        "image": image,
        "limits": {**asdict(job.limits), "cpu": ceil(job.limits.cpu)},
    }
    whole = io.BytesIO()
    with TemporaryFile() as tree, tarfile.open(fileobj=whole, mode="w:gz", compresslevel=6) as tar:
        pack(job, tree)
        _add(tar, "job.json", io.BytesIO(json.dumps(told).encode()))
        _add(tar, "stdin", io.BytesIO(job.stdin))
        _add(tar, "tree.tar", tree)
    if whole.tell() > MOST_SENT:
        raise PackError(f"the job is larger than {MOST_SENT // MiB} MiB, which is too large to send to GitHub")
    return whole.getvalue()


def _add(tar: tarfile.TarFile, name: str, content: IO[bytes]) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = content.seek(0, io.SEEK_END)
    content.seek(0)
    tar.addfile(entry, content)


def _outcome(job: Job, name: str, content: bytes) -> Outcome:
    """What the artifact says. Raises ArtifactError when it is not the workflow's."""
    limits = job.limits
    sizes = {
        "stdout": limits.output,
        "stderr": limits.output,
        "results.tar": 2 * limits.results + _TAR,
        "events": 1 << 16,
    }
    found = results.read_artifact(content, {"outcome.json": 4096, **sizes})
    code, results_read = _told(found["outcome.json"], name)
    files_found: Mapping[str, bytes] = {}
    problem = "" if results_read else "some result files cannot be read"
    try:
        if len(found["results.tar"]) > sizes["results.tar"]:
            raise results.ResultsError("the result files are larger than they may be")
        if results_read:
            files_found = results.take(job, io.BytesIO(found["results.tar"]))
    except results.ResultsError as error:
        problem = str(error)
    stdout, stderr = found["stdout"], found["stderr"]
    if re.search(rb"^oom_kill [1-9]", found["events"], re.M):
        status = Status.MEMORY
    elif max(len(stdout), len(stderr)) > limits.output:
        status = Status.OUTPUT_LIMIT
    elif code is None:
        status = Status.WALL
    else:
        status = Status.RESULT_LIMIT if problem else Status.EXITED
    return ended(status, code, stdout[: limits.output], stderr[: limits.output], files_found, problem)


def _told(content: bytes, name: str) -> tuple[int | None, bool]:
    """The exit code, `None` after the time limit was reached, and whether the results could be read."""
    try:
        told: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise results.ArtifactError("the artifact does not say what happened") from None
    if not isinstance(told, dict) or told.get("job") != name:
        raise results.ArtifactError("the artifact is another job's")
    code, results_read = told.get("code"), told.get("results_read")
    right = code is None or (isinstance(code, int) and not isinstance(code, bool) and -64 <= code <= 255)
    if not right or not isinstance(results_read, bool):
        raise results.ArtifactError("the artifact does not say what happened")
    return code, results_read
