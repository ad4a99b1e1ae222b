"""GitHub Actions on the fake: git objects, dispatched workflows, their runs and artifacts; the REST operations on them.

Nothing here runs a workflow. A test takes a run from `Machines.runs` and does to it what GitHub's machine would.
"""

import base64
import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from flask import request

from fake_github.access import AccessRefused, invalid, not_found
from fake_github.actions import Actions
from fake_github.fields import Json, stamp
from fake_github.objects import blob_sha, make_commit
from fake_github.rest_call import Answer, RestCall, operation
from fake_github.world import ZERO_SHA, Repo

_GIT = "/repos/{owner}/{repo}/git"
_ACTIONS = "/repos/{owner}/{repo}/actions"


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


@operation("POST", f"{_GIT}/blobs", "contents:write")
def create_blob(call: RestCall) -> Answer:
    sent = request.get_json()
    text = sent["content"]
    content = base64.b64decode(text) if sent.get("encoding") == "base64" else text.encode()
    sha = blob_sha(content)
    call.world.machines.blobs[sha] = content
    return {"sha": sha, "url": f"{call.shapes.repo_url(call.repo)}/git/blobs/{sha}"}, 201


@operation("POST", f"{_GIT}/trees", "contents:write")
def create_tree(call: RestCall) -> Answer:
    sent, blobs = request.get_json(), call.world.machines.blobs
    if any(entry["sha"] not in blobs for entry in sent["tree"]):
        raise invalid("Tree", "sha", "invalid")
    files = {entry["path"]: blobs[entry["sha"]] for entry in sent["tree"]}
    sha = make_commit(files, ZERO_SHA, "", call.repo.owner, call.world.now())[0].tree
    call.world.machines.trees[sha] = files
    url = f"{call.shapes.repo_url(call.repo)}/git/trees/{sha}"
    return {"sha": sha, "url": url, "tree": list(sent["tree"]), "truncated": False}, 201


@operation("POST", f"{_GIT}/commits", "contents:write")
def create_commit(call: RestCall) -> Answer:
    sent, repo, owner = request.get_json(), call.repo, call.repo.owner
    if sent["tree"] not in call.world.machines.trees or sent.get("parents"):
        raise invalid("Commit", "tree", "invalid")
    files = call.world.machines.trees[sent["tree"]]
    commit, _ = make_commit(files, ZERO_SHA, sent["message"], owner, call.world.now())
    repo.commits[commit.sha] = commit
    return call.shapes.write("new commit", repo, commit=commit), 201


@operation("POST", f"{_GIT}/refs", "contents:write")
def create_ref(call: RestCall) -> Answer:
    sent, repo = request.get_json(), call.repo
    branch = sent["ref"].removeprefix("refs/heads/")
    if sent["sha"] not in repo.commits:
        raise AccessRefused(422, "Object does not exist")
    if branch in repo.branches:
        raise AccessRefused(422, "Reference already exists")
    repo.branches[branch] = sent["sha"]
    return call.shapes.write("ref", repo, name=sent["ref"], sha=sent["sha"]), 201


@operation("DELETE", f"{_GIT}/refs/{{ref}}", "contents:write")
def delete_ref(call: RestCall, ref: str) -> Answer:
    if call.repo.branches.pop(ref.removeprefix("heads/"), None) is None:
        raise AccessRefused(422, "Reference does not exist")
    return None, 204


# Workflows


@operation("POST", f"{_ACTIONS}/workflows/{{workflow_id}}/dispatches", "actions:write")
def dispatch(call: RestCall, workflow_id: str) -> Answer:
    sent, repo, path = request.get_json(), call.repo, f".github/workflows/{workflow_id}"
    commit = repo.resolve(sent["ref"])
    if commit is None or path not in commit.files:
        raise not_found()
    run = WorkflowRun(call.world.next_id(), repo, path, dict(sent.get("inputs", {})), call.world.now())
    call.world.machines.runs[run.id] = run
    if not sent.get("return_run_details"):
        return None, 204
    page = f"{call.world.web_url}/{repo.full_name}/actions/runs/{run.id}"
    run_url = f"{call.shapes.repo_url(repo)}/actions/runs/{run.id}"
    return {"workflow_run_id": run.id, "run_url": run_url, "html_url": page}, 200


@operation("GET", f"{_ACTIONS}/runs/{{run_id}}", "actions:read")
def get_run(call: RestCall) -> Answer:
    job = call.run.inputs.get("job", "")
    return call.shapes.write("workflow run", call.repo, run=call.run, job=job, head=_head(call)), 200


@operation("POST", f"{_ACTIONS}/runs/{{run_id}}/cancel", "actions:write")
def cancel_run(call: RestCall) -> Answer:
    if call.run.status == "completed":
        raise AccessRefused(409, "Cannot cancel a workflow run that is completed.")
    call.run.status, call.run.conclusion = "completed", "cancelled"
    return {}, 202


@operation("GET", f"{_ACTIONS}/runs/{{run_id}}/artifacts", "actions:read")
def list_artifacts(call: RestCall) -> Answer:
    name = request.args.get("name")
    shapes = [_artifact(call, item) for item in call.run.artifacts if name in (None, item.name)]
    return {"total_count": len(shapes), "artifacts": shapes}, 200


@operation("GET", f"{_ACTIONS}/artifacts/{{artifact_id}}/{{archive_format}}", "actions:read")
def download(call: RestCall, artifact_id: int, archive_format: str) -> Answer:
    redirect = AccessRefused(302, "Found")
    redirect.moved_to = f"{call.world.web_url}/_storage/{artifact_id}.{archive_format}?sig=signed"
    raise redirect


@operation("GET", f"{_ACTIONS}/secrets", "secrets:read")
def list_secrets(call: RestCall) -> Answer:
    return _named(call, "secrets", call.world.machines.secrets), 200


@operation("GET", f"{_ACTIONS}/variables", "actions_variables:read")
def list_variables(call: RestCall) -> Answer:
    return _named(call, "variables", call.world.machines.variables, value="1"), 200


def _named(call: RestCall, what: str, known: dict[str, list[str]], **more: str) -> Json:
    now, names = stamp(call.world.now()), known.get(call.repo.full_name, [])
    shapes = [{"name": name, **more, "created_at": now, "updated_at": now} for name in names]
    return {"total_count": len(shapes), what: shapes}


def _artifact(call: RestCall, item: Artifact) -> Json:
    return call.shapes.write(
        "artifact",
        call.repo,
        artifact=item,
        run=call.run,
        size=len(item.content),
        expires_at=call.run.at + timedelta(days=1),
        digest=hashlib.sha256(item.content).hexdigest(),
        head=_head(call),
    )


def _head(call: RestCall) -> str:
    return call.repo.branches[call.repo.default_branch]
