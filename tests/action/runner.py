"""A small GitHub Actions: it runs the example workflow files, as far as they go, against the fake GitHub.

`bouncer` itself runs in this process, unless a test wants the real command: a process takes seconds to start.

An event starts the workflows that want it: of `pull_request` those of the head, of every other event those of the
default branch, as on GitHub. Where several come at once, jobs of one `concurrency` group wait for each other, and those
that find no place are cancelled. A job gets a token with its `permissions` and nothing else, its steps run in bash, and
`uses` of Bouncer runs the steps of `action.yml`, except those that install. What a job uploads is an artifact of its
run.
"""

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from bot.action import local_server
from bot.cli import main
from bot.telemetry import logs
from bot.verification.environments.ci.expressions import as_text, may_hold, value_of
from fake_github import FakeGitHub
from fake_github.machines import Artifact, WorkflowRun
from fake_github.world import Token
from tests.support.sqlite import filled_with_tables

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "deploy" / "action"
PLACE = ".github/workflows"
BOUNCER = re.compile(r"OWNER/bouncer@0{40}")
INSTALLS = ("install", "sandbox")  # steps of action.yml that put on the machine what this one has
LOADER = yaml.CSafeLoader


def example_files() -> dict[str, str]:
    """The workflow files to copy, where they are copied to."""
    return {f"{PLACE}/{path.name}": path.read_text() for path in sorted(EXAMPLES.glob("*.yml"))}


@dataclass
class Step:
    """environment: what the step's process was given. outputs: what it set."""

    name: str
    status: int
    environment: dict[str, str]
    outputs: dict[str, str]
    log: str


@dataclass
class JobRun:
    """One job that ran. summary: what its page shows."""

    workflow: str
    name: str
    permissions: dict[str, str]
    steps: list[Step] = field(default_factory=list)
    summary: str = ""

    @property
    def succeeded(self) -> bool:
        return all(step.status == 0 for step in self.steps)

    @property
    def outputs(self) -> dict[str, str]:
        return {name: text for step in self.steps for name, text in step.outputs.items()}

    @property
    def log(self) -> str:
        return "\n".join(step.log for step in self.steps)


class Runner:
    """GitHub's machines for one repository. variables: further ones of every step. between: called between a run's
    jobs, as somebody who broke out of the first could act. as_process: run the command as a process of its own.
    most_waiting: how many jobs of a group may wait, where its file lets more than one."""

    def __init__(self, github: FakeGitHub, repository: str, scratch: Path) -> None:
        self.github = github
        self.repository = repository
        self.scratch = scratch
        self.variables: dict[str, str] = {"BOUNCER_SECONDS_BETWEEN_WRITES": "0"}
        self.jobs: list[JobRun] = []
        self.between: Callable[[WorkflowRun], None] | None = None
        self.as_process = False
        self.most_waiting = 100
        self._waiting: dict[str, list[Callable[[], None]]] | None = None  # by group, while a job of each is at work
        self._fed = len(github.deliveries)
        self._last: dict[str, Callable[[], None]] = {}

    def again(self, job: str) -> JobRun:
        """Run a job once more in its own run, as somebody who presses Re-run does: the newest of that name."""
        self._last[job]()
        return self.jobs[-1]

    def forget(self) -> None:
        """The events since the last time start nothing, as where a trigger never ends."""
        self.github.wait_for_webhooks()
        self._fed = len(self.github.deliveries)

    def settle(self) -> list[JobRun]:
        """Run all that the events since the last time start; the jobs, in the order in which they ran."""
        self.github.wait_for_webhooks()
        before = len(self.jobs)
        deliveries = self.github.deliveries[self._fed :]
        self._fed += len(deliveries)
        for each in deliveries:
            if (
                each.payload.get("sender", {}).get("login") != f"{self.github.app.slug}[bot]"
            ):  # its own token starts nothing
                self.event(each.event, each.payload)
        return self.jobs[before:]

    def crowd(self) -> list[JobRun]:
        """As `settle`, but all came while a job of each group was at work already: those that GitHub let wait."""
        self._waiting = {}
        before = len(self.jobs)
        try:
            self.settle()
            waiting, self._waiting = self._waiting, None
        finally:
            self._waiting = None
        for each in (each for group in waiting.values() for each in group):
            each()
        return self.jobs[before:]

    def _wait(self, concurrency: Mapping[str, Any], context: Mapping[str, Any], start: Callable[[], None]) -> bool:
        """Whether it waits for its turn, or was cancelled, as GitHub documents it: by default, `single`, a newer one
        takes the place of the one that waits; with `max` those beyond the hundredth are cancelled."""
        if self._waiting is None or not concurrency:
            return False
        waiting = self._waiting.setdefault(filled(concurrency["group"], context).lower(), [])
        if concurrency.get("queue", "single") == "single":
            waiting[:] = [start]
        elif len(waiting) < self.most_waiting:
            assert not concurrency.get("cancel-in-progress"), "GitHub does not take both"
            waiting.append(start)
        return True

    def event(self, name: str, payload: Mapping[str, Any]) -> list[JobRun]:
        """Run all that this event starts."""
        before = len(self.jobs)
        sha = self._ref(name, payload)
        for path, text in self._files(sha).items():
            workflow = yaml.load(text, LOADER)
            wants = workflow.get(True, {})  # YAML's own idea of `on`
            wanted = wants.get(name) if isinstance(wants, dict) else None
            if wanted is None or payload.get("action") not in (wanted.get("types") or [payload.get("action")]):
                continue
            if name == "workflow_run" and payload["workflow_run"]["name"] not in wanted["workflows"]:
                continue
            context = {"github": {"event": payload, "event_name": name}}
            start = partial(self._run, path, workflow, name, payload)
            if not self._wait(workflow.get("concurrency", {}), context, start):
                start()
            if name == "pull_request":
                self.event("workflow_run", woken(self.github, self.repository, payload, workflow["name"]))
        return self.jobs[before:]

    def _ref(self, name: str, payload: Mapping[str, Any]) -> str:
        repo = self.github.repo(self.repository)
        head = payload["pull_request"]["head"]["sha"] if name == "pull_request" else ""
        return head or repo.branches[repo.default_branch]

    def _files(self, sha: str) -> dict[str, str]:
        files = self.github.repo(self.repository).commits[sha].files
        return {path: content.decode() for path, content in files.items() if path.startswith(f"{PLACE}/")}

    def _run(self, path: str, workflow: Mapping[str, Any], name: str, payload: Mapping[str, Any]) -> None:
        repo = self.github.repo(self.repository)
        run = WorkflowRun(self.github.next_id(), repo, path, {}, self.github.now())
        self.github.machines.runs[run.id] = run
        ended: dict[str, bool] = {}
        for key, job in workflow["jobs"].items():
            needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
            context = {"github": {"event": payload, "event_name": name}}
            condition = str(job.get("if", "success()"))
            if not holds(condition, context, failed=not all(ended.get(each) for each in needs)):
                continue
            if needs and self.between is not None:
                self.between(run)
            self._last[key] = partial(self._job, run, path, key, job, name, payload)
            if self._wait(job.get("concurrency", {}), context, self._last[key]):
                continue
            self._last[key]()
            ended[key] = self.jobs[-1].succeeded
        run.status, run.conclusion = "completed", "success" if all(ended.values()) else "failure"

    def _job(
        self, run: WorkflowRun, path: str, key: str, job: Mapping[str, Any], name: str, payload: Mapping[str, Any]
    ) -> None:
        done = JobRun(path, key, dict(job.get("permissions") or {}))
        self.jobs.append(done)
        home = self.scratch / f"{run.id}-{key}-{len(self.jobs)}"
        (home / "tmp").mkdir(parents=True)
        (home / "event.json").write_text(json.dumps(payload))
        given = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "RUNNER_TEMP": str(home / "tmp"),
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(home / "event.json"),
            "GITHUB_REPOSITORY": self.repository,
            "GITHUB_API_URL": self.github.url,
            "GITHUB_SERVER_URL": self.github.web_url,
            "GITHUB_RUN_ID": str(run.id),
            "GITHUB_STEP_SUMMARY": str(home / "summary"),
            **self.variables,
        }
        context = {
            "github": {"token": self._token(done.permissions), "action_path": str(ROOT), "event": payload},
            "runner": {"temp": str(home / "tmp")},
        }
        for step in job["steps"]:
            self._step(run, done, step, given, context)
        done.summary = (home / "summary").read_text() if (home / "summary").exists() else ""

    def _step(
        self, run: WorkflowRun, done: JobRun, step: Mapping[str, Any], given: dict[str, str], context: dict[str, Any]
    ) -> None:
        uses = step.get("uses", "")
        if BOUNCER.fullmatch(uses):
            action = yaml.load((ROOT / "action.yml").read_text(), LOADER)
            asked = {name: filled(value, context) for name, value in step.get("with", {}).items()}
            defaults = {name: filled(each.get("default", ""), context) for name, each in action["inputs"].items()}
            inner = {**context, "inputs": {**defaults, **asked}}
            for each in action["runs"]["steps"]:
                if each.get("id") not in INSTALLS and holds(str(each.get("if", "success()")), inner):
                    self._step(run, done, each, given, inner)
        elif uses.startswith("actions/upload-artifact@"):
            self._upload(run, {name: filled(value, context) for name, value in step["with"].items()})
        elif not uses:
            assert "${{" not in step["run"], "an expression in a script is one that a stranger may fill"
            self._bash(done, step, given, context)

    def _bash(
        self, done: JobRun, step: Mapping[str, Any], given: Mapping[str, str], context: Mapping[str, Any]
    ) -> None:
        output = Path(given["RUNNER_TEMP"]) / f"output-{len(done.steps)}"
        output.touch()
        own = {name: filled(value, context) for name, value in step.get("env", {}).items()}
        environment = {**given, **own, "GITHUB_OUTPUT": str(output)}
        is_ours = step.get("id") == "bouncer" and not self.as_process
        status, log = _ours(environment) if is_ours else _shell(step["run"], environment)
        assert environment.get("GITHUB_TOKEN", "no token") not in log
        done.steps.append(Step(step.get("id", ""), status, environment, outputs_in(output.read_text()), log))

    def _upload(self, run: WorkflowRun, wanted: Mapping[str, str]) -> None:
        path = Path(wanted["path"])
        if path.exists():
            content = zipped({path.name: path.read_bytes()})
            run.artifacts.append(Artifact(self.github.next_id(), wanted["name"], content, run.id))

    def _token(self, permissions: Mapping[str, str]) -> str:
        installation = self.github.installation_of(self.github.repo(self.repository))
        assert installation is not None
        name, token = self.github.access.issue_token(installation.id)
        own = {area.replace("-", "_"): level for area, level in permissions.items()}
        self.github.tokens[name] = Token(token.installation, token.expires_at + timedelta(hours=5), own)
        return name


def _shell(script: str, environment: Mapping[str, str]) -> tuple[int, str]:
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    ran = subprocess.run(command, env=environment, cwd=environment["HOME"], capture_output=True, text=True, timeout=300)
    return ran.returncode, ran.stdout + ran.stderr


def _ours(environment: Mapping[str, str]) -> tuple[int, str]:
    """What the script of action.yml does (a test runs that), in this process."""
    do = environment["DO"]
    words = ["action", do, *(["--out", f"{environment['RUNNER_TEMP']}/bouncer-trial"] if do == "trial" else [])]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(logs, "set_up", lambda settings: None)  # pytest has its own
        patched.setattr(local_server, "migrate", filled_with_tables)
        ran = CliRunner().invoke(main, words, env=dict(environment), prog_name="bouncer", catch_exceptions=False)
    return ran.exit_code, ran.output


def woken(github: FakeGitHub, repository: str, payload: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What GitHub tells once the run of a `pull_request` workflow is over."""
    pull, sender = payload["pull_request"], payload["sender"]
    head = pull["head"]
    now = github.now().isoformat().replace("+00:00", "Z")
    run = {
        "id": github.next_id(),
        "name": name,
        "event": "pull_request",
        "conclusion": "success",
        "head_sha": head["sha"],
        "head_branch": head["ref"],
        "head_repository": head["repo"],
        "actor": sender,
        "created_at": now,
        "pull_requests": [],
    }
    return {"action": "completed", "workflow_run": run, "repository": payload["repository"], "sender": sender}


def zipped(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def outputs_in(text: str) -> dict[str, str]:
    """As GitHub reads the file: `NAME<<MARK`, lines, `MARK`."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, _, mark = line.partition("<<")
        value: list[str] = []
        for each in lines:
            if each == mark:
                break
            value.append(each)
        found[name] = "\n".join(value)
    return found


def filled(text: Any, context: Mapping[str, Any]) -> str:
    """With the expressions' values in their places."""
    return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda found: as_text(value_of(found[1], context)), str(text))


def holds(condition: str, context: Mapping[str, Any], *, failed: bool = False) -> bool:
    """Whether a job or a step with this `if` runs."""
    if failed and not re.search(r"(?:always|cancelled|failure)\(\)", condition):
        return False
    return may_hold(condition, context)
