"""The runner repository of `bot.sandbox.actions` at GitHub, under a token that opens it and nothing else."""

import base64
from collections.abc import Mapping
from typing import Any

from bot.github.channel import Channel, Pace, StaticToken
from bot.github.downloads import download
from bot.github.errors import Forbidden, NotFound, Rejected
from bot.github.transport import Transport
from bot.sandbox.actions import ActionsExecutor, RunnerView
from bot.sandbox.container import own_image
from bot.settings import Settings

PATIENCE = 60.0  # seconds a call may wait for GitHub's rate limit


class RunnerClient:
    """Every method raises `GitHubError`. Thread-safe."""

    def __init__(self, api_url: str, full_name: str, token: str, seconds_between_writes: float) -> None:
        self._channel = Channel(Transport(api_url), StaticToken(token), Pace(seconds_between_writes, PATIENCE))
        self._base = f"/repos/{full_name}"

    def _get(self, path: str, **parameters: str | int) -> Any:
        return self._channel.call("GET", path, parameters=parameters).data

    def look(self, workflow: str) -> RunnerView:
        repository = self._get(self._base)
        try:
            shape = self._get(f"{self._base}/contents/{workflow}")
            content = base64.b64decode(shape["content"])
        except (NotFound, TypeError, KeyError, ValueError):
            content = None
        exposed, unseen = [], []
        for kind in ("secrets", "variables"):
            try:
                if self._get(f"{self._base}/actions/{kind}")["total_count"]:
                    exposed.append(kind)
            except (Forbidden, NotFound):
                unseen.append(kind)
        return RunnerView(not repository["private"], content, tuple(exposed), tuple(unseen))

    def publish(self, branch: str, path: str, content: bytes) -> None:
        def made(kind: str, body: Mapping[str, Any]) -> str:
            where = f"{self._base}/git/{kind}"
            return str(self._channel.call("POST", where, body=body, repeatable=True).data["sha"])

        blob = made("blobs", {"content": base64.b64encode(content).decode(), "encoding": "base64"})
        tree = made("trees", {"tree": [{"path": path, "mode": "100644", "type": "blob", "sha": blob}]})
        commit = made("commits", {"message": "A job of Bouncer's", "tree": tree, "parents": []})
        self._channel.call("POST", f"{self._base}/git/refs", body={"ref": f"refs/heads/{branch}", "sha": commit})

    def withdraw(self, branch: str) -> None:
        """A branch that is not there is fine."""
        try:
            self._channel.call("DELETE", f"{self._base}/git/refs/heads/{branch}")
        except Rejected as error:
            if error.status != 422:
                raise

    def start(self, workflow: str, inputs: Mapping[str, str]) -> int:
        """Not repeated when it may have been done: the second run would only cost."""
        branch = self._get(self._base)["default_branch"]
        body = {"ref": branch, "inputs": dict(inputs), "return_run_details": True}
        answer = self._channel.call("POST", f"{self._base}/actions/workflows/{workflow}/dispatches", body=body)
        if not isinstance(answer.data, dict):
            raise Rejected("this GitHub does not say which run it started; it is too old", answer.status)
        return int(answer.data["workflow_run_id"])

    def is_over(self, run: int) -> bool:
        return bool(self._get(f"{self._base}/actions/runs/{run}")["status"] == "completed")

    def cancel(self, run: int) -> None:
        """One that has ended is fine."""
        try:
            self._channel.call("POST", f"{self._base}/actions/runs/{run}/cancel", repeatable=True)
        except Rejected as error:
            if error.status != 409:
                raise

    def artifact(self, run: int, name: str, most: int) -> bytes | None:
        listed = self._get(f"{self._base}/actions/runs/{run}/artifacts", name=name, per_page=100)["artifacts"]
        found = [item for item in listed if item["name"] == name and item["workflow_run"]["id"] == run]
        if not found or found[0]["expired"]:
            return None
        if len(found) > 1:
            raise Rejected("the run has two artifacts of the same name")
        return download(self._channel.location(f"{self._base}/actions/artifacts/{found[0]['id']}/zip"), most)


def from_settings(settings: Settings) -> ActionsExecutor:
    """The executor with the runner repository and the image that they name. Asks GitHub nothing."""
    runner = None
    if settings.actions_repository and settings.actions_token is not None:
        token, pause = settings.actions_token.get_secret_value(), settings.seconds_between_writes
        runner = RunnerClient(settings.github_api_url, settings.actions_repository, token, pause)
    return ActionsExecutor(runner, settings.sandbox_image or own_image())
