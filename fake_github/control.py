"""The people's actions over HTTP, for a fake GitHub that runs as a process of its own: `POST /_fake/<action>`.

The JSON body holds the action's arguments by name, e.g. `POST /_fake/open_issue {"repo_name": "acme/widgets",
"title": "…", "body": "…", "by": "reporter"}`; the answer is `{"result": …}`. `GET /_fake/state` shows everything.
Loopback only, and no credentials: never expose this.
"""

from typing import TYPE_CHECKING

from flask import Blueprint, abort, jsonify, request
from flask.typing import ResponseReturnValue

from fake_github.actions import Actions
from fake_github.checks import CheckActions
from fake_github.pulls import PullActions

if TYPE_CHECKING:
    from fake_github.server import FakeGitHub

FAULTS = ("fail", "drop", "halve", "slow_down", "limit_rate", "lose_webhooks", "expire_tokens", "forget_calls")
ACTIONS = tuple(
    name for room in (Actions, PullActions, CheckActions) for name in vars(room) if not name.startswith("_")
)


def control_blueprint(fake: "FakeGitHub") -> Blueprint:
    control = Blueprint("control", __name__, url_prefix="/_fake")
    allowed = {*ACTIONS, *FAULTS}

    @control.before_request
    def loopback_only() -> None:
        if request.remote_addr not in ("127.0.0.1", "::1"):
            abort(403)

    @control.post("/<action>")
    def act(action: str) -> ResponseReturnValue:
        if action not in allowed:
            return jsonify(error=f"no action {action}; there are {', '.join(sorted(allowed))}"), 404
        arguments = request.get_json(silent=True)
        if not isinstance(arguments, dict):
            return jsonify(error="send the arguments as a JSON object"), 400
        try:
            result = getattr(fake, action)(**arguments)
        except (TypeError, LookupError, ValueError) as error:
            return jsonify(error=f"{type(error).__name__}: {error}"), 400
        return jsonify(result=result)

    @control.put("/webhook_url")
    def set_webhook_url() -> ResponseReturnValue:
        fake.app.webhook_url = (request.get_json(silent=True) or {}).get("url")
        return jsonify(result=fake.app.webhook_url)

    @control.get("/state")
    def state() -> ResponseReturnValue:
        with fake.lock:
            repositories = {
                repo.full_name: {
                    "issues": [fake.issue(repo.full_name, number) for number in repo.issues],
                    "checks": fake.checks(repo.full_name),
                }
                for repo in fake.repos.values()
            }
        calls = {f"{method} {route}": count for (method, route), count in sorted(fake.calls().items())}
        deliveries = [fake.shapes.delivery(item) for item in fake.deliveries]
        return jsonify(repositories=repositories, calls=calls, deliveries=deliveries)

    return control
