"""GitHub Actions on the fake: git objects, dispatched workflows, their runs and artifacts.

Nothing here runs a workflow. A test takes a run from `Machines.runs` and does to it what GitHub's machine would.
"""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from flask import Blueprint, Response, request

from bot.fake_github.access import AccessRefused, invalid, not_found
from bot.fake_github.actions import Actions
from bot.fake_github.objects import blob_sha, make_commit
from bot.fake_github.shapes import Json, node_id, stamp
from bot.fake_github.world import ZERO_SHA, Commit, Repo

Answer = tuple[Any, int]
Route = Callable[[str, str], Callable[[Callable[..., Answer]], Callable[..., Answer]]]
InRepo = Callable[..., Repo]


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

    def add_routes(self, route: Route, in_repo: InRepo) -> None:
        """The operations, spelt as in GitHub's OpenAPI description."""
        self._add_git(route, in_repo)
        self._add_runs(route, in_repo)

    def _add_git(self, route: Route, in_repo: InRepo) -> None:
        world = self.world

        @route("POST", "/repos/{owner}/{repo}/git/blobs")
        def create_blob(owner: str, repo: str) -> Answer:
            found, sent = in_repo(owner, repo, "contents", "write"), request.get_json()
            text = sent["content"]
            content = base64.b64decode(text) if sent.get("encoding") == "base64" else text.encode()
            sha = blob_sha(content)
            self.blobs[sha] = content
            return {"sha": sha, "url": f"{_url(self.world, found)}/git/blobs/{sha}"}, 201

        @route("POST", "/repos/{owner}/{repo}/git/trees")
        def create_tree(owner: str, repo: str) -> Answer:
            found, sent = in_repo(owner, repo, "contents", "write"), request.get_json()
            files = {}
            for entry in sent["tree"]:
                if entry["sha"] not in self.blobs:
                    raise invalid("Tree", "sha", "invalid")
                files[entry["path"]] = self.blobs[entry["sha"]]
            sha = make_commit(files, None, "", found.owner, world.now()).tree
            self.trees[sha] = files
            url = f"{_url(world, found)}/git/trees/{sha}"
            return {"sha": sha, "url": url, "tree": list(sent["tree"]), "truncated": False}, 201

        @route("POST", "/repos/{owner}/{repo}/git/commits")
        def create_commit(owner: str, repo: str) -> Answer:
            found, sent = in_repo(owner, repo, "contents", "write"), request.get_json()
            if sent["tree"] not in self.trees or sent.get("parents"):
                raise invalid("Commit", "tree", "invalid")
            files, now = self.trees[sent["tree"]], world.now()
            made = make_commit(files, None, sent["message"], found.owner, now)
            found.commits[made.sha] = Commit(made.sha, made.tree, ZERO_SHA, sent["message"], found.owner, now, files)
            who = {"name": found.owner.login, "email": found.owner.email, "date": stamp(now)}
            url = f"{_url(world, found)}/git"
            return {
                "sha": made.sha,
                "node_id": f"C_{made.sha[:12]}",
                "url": f"{url}/commits/{made.sha}",
                "html_url": f"{world.web_url}/{found.full_name}/commit/{made.sha}",
                "author": who,
                "committer": who,
                "message": sent["message"],
                "tree": {"sha": made.tree, "url": f"{url}/trees/{made.tree}"},
                "parents": [],
                "verification": {
                    "verified": False,
                    "reason": "unsigned",
                    "signature": None,
                    "payload": None,
                    "verified_at": None,
                },
            }, 201

        @route("POST", "/repos/{owner}/{repo}/git/refs")
        def create_ref(owner: str, repo: str) -> Answer:
            found, sent = in_repo(owner, repo, "contents", "write"), request.get_json()
            branch = sent["ref"].removeprefix("refs/heads/")
            if sent["sha"] not in found.commits:
                raise AccessRefused(422, "Object does not exist")
            if branch in found.branches:
                raise AccessRefused(422, "Reference already exists")
            found.branches[branch] = sent["sha"]
            return world.shapes.ref(found, sent["ref"], sent["sha"]), 201

        @route("DELETE", "/repos/{owner}/{repo}/git/refs/{ref}")
        def delete_ref(owner: str, repo: str, ref: str) -> Answer:
            found = in_repo(owner, repo, "contents", "write")
            if found.branches.pop(ref.removeprefix("heads/"), None) is None:
                raise AccessRefused(422, "Reference does not exist")
            return None, 204

    def _add_runs(self, route: Route, in_repo: InRepo) -> None:
        world = self.world

        def in_run(owner: str, repo: str, run_id: int, level: str = "read") -> WorkflowRun:
            found = in_repo(owner, repo, "actions", level)
            run = self.runs.get(run_id)
            if run is None or run.repo is not found:
                raise not_found()
            return run

        @route("POST", "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches")
        def dispatch(owner: str, repo: str, workflow_id: str) -> Answer:
            found, sent = in_repo(owner, repo, "actions", "write"), request.get_json()
            path = f".github/workflows/{workflow_id}"
            commit = found.resolve(sent["ref"])
            if commit is None or path not in commit.files:
                raise not_found()
            run = WorkflowRun(world.next_id(), found, path, dict(sent.get("inputs", {})), world.now())
            self.runs[run.id] = run
            if not sent.get("return_run_details"):
                return None, 204
            page = f"{world.web_url}/{found.full_name}/actions/runs/{run.id}"
            run_url = f"{_url(world, found)}/actions/runs/{run.id}"
            return {"workflow_run_id": run.id, "run_url": run_url, "html_url": page}, 200

        @route("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}")
        def get_run(owner: str, repo: str, run_id: int) -> Answer:
            return self._shape(in_run(owner, repo, run_id)), 200

        @route("POST", "/repos/{owner}/{repo}/actions/runs/{run_id}/cancel")
        def cancel_run(owner: str, repo: str, run_id: int) -> Answer:
            run = in_run(owner, repo, run_id, "write")
            if run.status == "completed":
                raise AccessRefused(409, "Cannot cancel a workflow run that is completed.")
            run.status, run.conclusion = "completed", "cancelled"
            return {}, 202

        @route("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts")
        def list_artifacts(owner: str, repo: str, run_id: int) -> Answer:
            run = in_run(owner, repo, run_id)
            name = request.args.get("name")
            shapes = [self._artifact(run, item) for item in run.artifacts if name in (None, item.name)]
            return {"total_count": len(shapes), "artifacts": shapes}, 200

        @route("GET", "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}")
        def download(owner: str, repo: str, artifact_id: int, archive_format: str) -> Answer:
            in_repo(owner, repo, "actions")
            redirect = AccessRefused(302, "Found")
            redirect.moved_to = f"{world.web_url}/_storage/{artifact_id}.{archive_format}?sig=signed"
            raise redirect

        @route("GET", "/repos/{owner}/{repo}/actions/secrets")
        def list_secrets(owner: str, repo: str) -> Answer:
            found = in_repo(owner, repo, "secrets")
            now = stamp(world.now())
            names = self.secrets.get(found.full_name, [])
            shapes = [{"name": name, "created_at": now, "updated_at": now} for name in names]
            return {"total_count": len(shapes), "secrets": shapes}, 200

        @route("GET", "/repos/{owner}/{repo}/actions/variables")
        def list_variables(owner: str, repo: str) -> Answer:
            found = in_repo(owner, repo, "actions_variables")
            now = stamp(world.now())
            names = self.variables.get(found.full_name, [])
            shapes = [{"name": name, "value": "1", "created_at": now, "updated_at": now} for name in names]
            return {"total_count": len(shapes), "variables": shapes}, 200

    def _shape(self, run: WorkflowRun) -> Json:
        world, repo = self.world, run.repo
        url = f"{_url(world, repo)}/actions/runs/{run.id}"
        repository = world.shapes.repository(repo)
        tails = ("jobs", "logs", "artifacts", "cancel", "rerun")
        return {
            "id": run.id,
            "node_id": node_id("WorkflowRun", run.id),
            "head_branch": repo.default_branch,
            "head_sha": repo.branches[repo.default_branch],
            "path": run.workflow,
            "run_number": 1,
            "display_title": f"Bouncer job {run.inputs.get('job', '')}",
            "event": "workflow_dispatch",
            "status": run.status,
            "conclusion": run.conclusion,
            "workflow_id": 1,
            "url": url,
            "html_url": f"{world.web_url}/{repo.full_name}/actions/runs/{run.id}",
            "created_at": stamp(run.at),
            "updated_at": stamp(run.at),
            "head_commit": None,
            "repository": repository,
            "head_repository": repository,
            "pull_requests": [],
            **{f"{tail}_url": f"{url}/{tail}" for tail in tails},
            "check_suite_url": f"{_url(world, repo)}/check-suites/{run.id}",
            "workflow_url": f"{_url(world, repo)}/actions/workflows/1",
        }

    def _artifact(self, run: WorkflowRun, item: Artifact) -> Json:
        repo, url = run.repo, f"{_url(self.world, run.repo)}/actions/artifacts/{item.id}"
        return {
            "id": item.id,
            "node_id": node_id("Artifact", item.id),
            "name": item.name,
            "size_in_bytes": len(item.content),
            "url": url,
            "archive_download_url": f"{url}/zip",
            "expired": item.expired,
            "created_at": stamp(run.at),
            "expires_at": stamp(run.at + timedelta(days=1)),
            "updated_at": stamp(run.at),
            "digest": f"sha256:{hashlib.sha256(item.content).hexdigest()}",
            "workflow_run": {
                "id": item.run,
                "repository_id": repo.id,
                "head_repository_id": repo.id,
                "head_branch": repo.default_branch,
                "head_sha": repo.branches[repo.default_branch],
            },
        }


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


def _url(world: Actions, repo: Repo) -> str:
    return f"{world.api_url}/repos/{repo.full_name}"
