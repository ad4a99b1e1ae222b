"""GitHub Actions on the fake: git objects, dispatched workflows, their runs and artifacts.

Nothing here runs a workflow. A test takes a run from `Machines.runs` and does to it what GitHub's machine would.
"""

from dataclasses import dataclass, field
from datetime import datetime

from flask import Blueprint, Response, request

from fake_github.actions import Actions
from fake_github.world import Repo


@dataclass(eq=False)
class Artifact:
    """content: the zip archive, whatever it holds."""

    id: int
    name: str
    content: bytes
    run: int
    expired: bool = False


@dataclass(eq=False)
class WorkflowRun:
    """status: `queued`, `in_progress` or `completed`."""

    id: int
    repo: Repo
    workflow: str
    inputs: dict[str, str]
    at: datetime
    status: str = "queued"
    conclusion: str | None = None
    artifacts: list[Artifact] = field(default_factory=list)


class Machines:
    """secrets, variables: names of them, by repository."""

    def __init__(self, world: Actions) -> None:
        self.world = world
        self.runs: dict[int, WorkflowRun] = {}
        self.blobs: dict[str, bytes] = {}
        self.trees: dict[str, dict[str, bytes]] = {}
        self.secrets: dict[str, list[str]] = {}
        self.variables: dict[str, list[str]] = {}

    def finish(self, run: WorkflowRun, conclusion: str, artifacts: dict[str, bytes]) -> None:
        """End a run, with what it uploaded."""
        with self.world.lock:
            for name, content in artifacts.items():
                run.artifacts.append(Artifact(self.world.next_id(), name, content, run.id))
            run.status, run.conclusion = "completed", conclusion


def storage_blueprint(machines: Machines) -> Blueprint:
    """Where artifacts are downloaded from: addresses that are signed, so that a token sent there is one given away."""
    storage = Blueprint("storage", __name__)

    @storage.get("/_storage/<int:artifact_id>.zip")
    def get(artifact_id: int) -> Response:
        if "Authorization" in request.headers:
            return Response("Only one auth mechanism allowed", 400)
        with machines.world.lock:
            every = (item for run in machines.runs.values() for item in run.artifacts)
            found = next((item for item in every if item.id == artifact_id), None)
        return Response(found.content if found else b"", 200 if found else 404, content_type="application/zip")

    return storage
