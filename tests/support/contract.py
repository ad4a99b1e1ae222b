"""GitHub's own description of its API, holding the fake GitHub and Bouncer's client to it.

REST calls are checked against npm `@octokit/openapi`, webhooks against npm `@octokit/openapi-webhooks`. Both are
OpenAPI 3.0: `nullable` is translated for JSON Schema. GraphQL is checked by `tests/support/graphql_contract.py`. Every
test that uses the `fake_github` fixture is checked.

What is known to differ stands in `DEVIATIONS`, `MISDESCRIBED` and `EVERYWHERE`, and nowhere else.
"""

import functools
import json
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from fake_github.traffic import Exchange
from fake_github.webhooks import SentDelivery
from tests.support.graphql_contract import graphql_problems, published
from tests.support.npm import CACHE, npm_package

REST = ("@octokit/openapi", "23.0.2")
WEBHOOKS = ("@octokit/openapi-webhooks", "12.1.0")
DOCUMENT = "generated/api.github.com.json"

# The operations Bouncer uses; their part of the description is a hundredth of the whole.
USED = (
    "/app",
    "/app-manifests/{code}/conversions",
    "/app/hook/config",
    "/app/hook/deliveries",
    "/app/hook/deliveries/{delivery_id}/attempts",
    "/app/installations",
    "/app/installations/{installation_id}/access_tokens",
    "/applications/{client_id}/token",
    "/apps/{app_slug}",
    "/installation/repositories",
    "/orgs/{org}/teams/{team_slug}/memberships/{username}",
    "/repos/{owner}/{repo}",
    "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}",
    "/repos/{owner}/{repo}/actions/runs/{run_id}",
    "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts",
    "/repos/{owner}/{repo}/actions/runs/{run_id}/cancel",
    "/repos/{owner}/{repo}/actions/secrets",
    "/repos/{owner}/{repo}/actions/variables",
    "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches",
    "/repos/{owner}/{repo}/branches",
    "/repos/{owner}/{repo}/git/blobs",
    "/repos/{owner}/{repo}/git/commits",
    "/repos/{owner}/{repo}/git/matching-refs/{ref}",
    "/repos/{owner}/{repo}/git/refs",
    "/repos/{owner}/{repo}/git/refs/{ref}",
    "/repos/{owner}/{repo}/git/trees",
    "/repos/{owner}/{repo}/check-runs",
    "/repos/{owner}/{repo}/check-runs/{check_run_id}",
    "/repos/{owner}/{repo}/collaborators/{username}/permission",
    "/repos/{owner}/{repo}/commits/{ref}/check-runs",
    "/repos/{owner}/{repo}/compare/{basehead}",
    "/repos/{owner}/{repo}/contents/{path}",
    "/repos/{owner}/{repo}/issues",
    "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
    "/repos/{owner}/{repo}/issues/{issue_number}",
    "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    "/repos/{owner}/{repo}/issues/{issue_number}/labels",
    "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}",
    "/repos/{owner}/{repo}/issues/{issue_number}/timeline",
    "/repos/{owner}/{repo}/labels",
    "/repos/{owner}/{repo}/labels/{name}",
    "/repos/{owner}/{repo}/pulls",
    "/repos/{owner}/{repo}/pulls/{pull_number}",
    "/repos/{owner}/{repo}/pulls/{pull_number}/comments",
    "/repos/{owner}/{repo}/pulls/comments/{comment_id}",
    "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies",
    "/repos/{owner}/{repo}/pulls/{pull_number}/commits",
    "/repos/{owner}/{repo}/pulls/{pull_number}/files",
    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews",
    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
    "/repos/{owner}/{repo}/rulesets",
    "/search/issues",
    "/user",
    "/user/installations",
    "/user/installations/{installation_id}/repositories",
)

ACTIONS = {
    "issues": ("opened", "edited", "closed", "reopened", "deleted", "transferred", "labeled", "unlabeled"),
    "issue-comment": ("created", "edited", "deleted"),
    "pull-request": (
        *("opened", "synchronize", "edited", "closed", "reopened", "labeled", "unlabeled"),
        *("converted-to-draft", "ready-for-review"),
    ),
    "pull-request-review": ("submitted", "edited"),
    "pull-request-review-comment": ("created", "edited", "deleted"),
    "pull-request-review-thread": ("resolved", "unresolved"),
    "check-run": ("created", "completed", "rerequested", "requested-action"),
    "check-suite": ("requested", "completed", "rerequested"),
    "merge-group": ("checks-requested", "destroyed"),
    "repository": ("privatized", "publicized"),
    "installation": ("created", "deleted", "suspend", "unsuspend"),
    "installation-repositories": ("added", "removed"),
}
EMITTED = ("ping", "push", *(f"{event}-{action}" for event, actions in ACTIONS.items() for action in actions))

# (method, route, status): why GitHub answers so although its description does not say it.
DEVIATIONS = {
    ("PATCH", "/repos/{owner}/{repo}/issues/comments/{comment_id}", 404): "the comment was deleted",
    ("POST", "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions", 404): "the comment was deleted",
    ("PATCH", "/repos/{owner}/{repo}/pulls/comments/{comment_id}", 404): "the comment was deleted",
    ("PATCH", "/repos/{owner}/{repo}/check-runs/{check_run_id}", 404): "the check run is not there",
    ("POST", "/repos/{owner}/{repo}/check-runs", 404): "the repository cannot be seen",
    ("POST", "/repos/{owner}/{repo}/check-runs", 422): "the commit is not there, or too many annotations",
    ("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs", 404): "the repository cannot be seen",
    ("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs", 422): "the commit is not there",
    ("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}", 404): "there is no such run",
    ("GET", "/installation/repositories", 404): "the installation was removed",
    ("POST", "/app/hook/deliveries/{delivery_id}/attempts", 404): "there is no such delivery",
}
# (route or webhook, last name of the place): where the description itself is wrong.
MISDESCRIBED = {
    ("/app/installations", "account"): "says allOf a user and an enterprise, of which an account is only ever one",
    ("check-suite-requested", "events"): "its list of events is older than merge_group",
    ("check-suite-rerequested", "events"): "its list of events is older than merge_group",
    ("pull-request-closed", "repo"): "has no null, which GitHub sends once the fork is deleted",
    ("/repos/{owner}/{repo}/pulls", "description"): "has no null, which GitHub sends for a label nobody described",
    ("/repos/{owner}/{repo}/pulls/{pull_number}", "repo"): "has no null, which GitHub sends once the fork is deleted",
}
# Documented once for the whole API: moved, credentials, permissions and rate limits.
EVERYWHERE = (301, 307, 401, 403, 429)

Schema = dict[str, Any]


class Contract:
    """Collects how exchanges and webhooks differ from GitHub's description."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def check_exchange(self, exchange: Exchange) -> None:
        """Calls that a fault spoilt are left out: they are not GitHub's API but its weather."""
        if not exchange.spoilt:
            self.problems += exchange_problems(exchange)

    def check_delivery(self, delivery: SentDelivery) -> None:
        self.problems += delivery_problems(delivery)


@functools.cache
def contract_available() -> bool:
    """Whether the npm packages can be had; asked once. In CI they must be."""
    try:
        _rest(), _webhooks(), published()
    except pytest.skip.Exception:
        return False
    return True


def exchange_problems(exchange: Exchange) -> list[str]:
    """What of this call GitHub's description does not know, in words."""
    where = f"{exchange.method} {exchange.route}"
    if exchange.route == "/graphql":
        return graphql_problems(exchange)
    operation = _rest()["paths"].get(exchange.route, {}).get(exchange.method.lower())
    if operation is None:
        return [f"{where} is none of the operations Bouncer uses"]
    known = {item["name"] for item in _parameters(operation) if item["in"] == "query"}
    found = [f"{where}: unknown query parameter {name}" for name in exchange.query if name not in known]
    if exchange.request is not None:
        found += _violations(f"{where}: request", ("request", exchange.method, exchange.route), exchange.request)
    status = str(exchange.status)
    if status in operation["responses"]:
        if exchange.response is not None:
            key = ("response", exchange.method, exchange.route, status)
            found += _violations(f"{where}: {status} response", key, exchange.response)
    elif exchange.status not in EVERYWHERE and (exchange.method, exchange.route, exchange.status) not in DEVIATIONS:
        found.append(f"{where}: status {status} is not documented")
    return found


def delivery_problems(delivery: SentDelivery) -> list[str]:
    name = webhook_name(delivery)
    if name not in _webhooks()["webhooks"]:
        return [f"{name} is none of the webhooks the fake emits"]
    return _violations(f"webhook {name}", ("webhook", name), delivery.payload)


def webhook_name(delivery: SentDelivery) -> str:
    """As the description names it, e.g. `issue-comment-created`."""
    return "-".join((delivery.event, delivery.action) if delivery.action else (delivery.event,)).replace("_", "-")


def _violations(what: str, key: tuple[str, ...], value: Any) -> list[str]:
    validator = _validator(key)
    if validator is None:
        return []
    return [
        f"{what}: at {'/'.join(map(str, error.instance_path)) or 'the top'}: {error.message[:200]}"
        for error in validator.iter_errors(value)
        if (key[1] if key[0] == "webhook" else key[2], _last_name(error.instance_path)) not in MISDESCRIBED
    ]


def _last_name(path: list[str | int]) -> str:
    return next((part for part in reversed(path) if isinstance(part, str)), "")


@functools.cache
def _validator(key: tuple[str, ...]) -> jsonschema_rs.Draft202012Validator | None:
    """The compiled schema of one request, response or webhook; `None` where there is no JSON body."""
    document = _webhooks() if key[0] == "webhook" else _rest()
    if key[0] == "webhook":
        holder = document["webhooks"][key[1]]["post"]["requestBody"]
    else:
        operation = document["paths"][key[2]][key[1].lower()]
        holder = operation.get("requestBody", {}) if key[0] == "request" else operation["responses"][key[3]]
    holder = _resolve(document, holder)
    schema = holder.get("content", {}).get("application/json", {}).get("schema")
    if schema is None:
        return None
    if key[0] == "request":
        schema = _closed(schema)
    whole = {"allOf": [schema], "components": _reachable(document, schema)}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def _parameters(operation: Schema) -> list[Schema]:
    return [_resolve(_rest(), item) for item in operation.get("parameters", [])]


@functools.cache
def _rest() -> Schema:
    return _trimmed(*REST, USED, "paths")


@functools.cache
def _webhooks() -> Schema:
    return _trimmed(*WEBHOOKS, EMITTED, "webhooks")


def _trimmed(package: str, version: str, wanted: tuple[str, ...], part: str) -> Schema:
    """The document with only the wanted entries and the components they need, translated; cached beside the package."""
    stamp = f"{zlib.crc32(repr(wanted).encode()):08x}"
    cached = CACHE / f"trimmed-{package.rpartition('/')[2]}-{version}-{stamp}.json"
    if not cached.exists():
        document = json.loads((npm_package(package, version, only=DOCUMENT) / DOCUMENT).read_bytes())
        entries = {name: item for name, item in document[part].items() if not wanted or name in wanted}
        trimmed = _translate({part: entries, "components": _reachable(document, entries)})
        with tempfile.NamedTemporaryFile("w", dir=CACHE, delete=False) as scratch:
            json.dump(trimmed, scratch)
        Path(scratch.name).replace(cached)  # whole or not at all: other processes may look
    parsed: Schema = json.loads(cached.read_bytes())
    return parsed


def _reachable(document: Schema, root: Any) -> dict[str, dict[str, Any]]:
    """The components that `root` refers to, directly or not."""
    found: dict[str, dict[str, Any]] = {"schemas": {}}
    waiting = list(_references(root))
    while waiting:
        kind, name = waiting.pop()
        if name not in found.setdefault(kind, {}):
            found[kind][name] = document["components"][kind][name]
            waiting += _references(found[kind][name])
    return found


def _references(node: Any) -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/components/"):
            _, _, kind, name = reference.split("/", 3)
            yield kind, name
        for child in node.values():
            yield from _references(child)
    elif isinstance(node, list):
        for child in node:
            yield from _references(child)


def _resolve(document: Schema, node: Schema) -> Schema:
    while "$ref" in node:
        _, _, kind, name = node["$ref"].split("/", 3)
        node = document["components"][kind][name]
    return node


_NOT_SCHEMA = ("example", "examples", "nullable", "discriminator", "default")


def _translate(node: Any) -> Any:
    """OpenAPI 3.0 -> JSON Schema 2020-12: `nullable` becomes a type; examples go, they may look like anything."""
    if isinstance(node, list):
        return [_translate(child) for child in node]
    if not isinstance(node, dict):
        return node
    new = {key: _translate(child) for key, child in node.items() if key not in _NOT_SCHEMA}
    if isinstance(node.get("properties"), dict):  # a property may be named like a keyword
        new["properties"] = {name: _translate(child) for name, child in node["properties"].items()}
    if node.get("nullable") is True:
        return {"anyOf": [new, {"type": "null"}]}
    return new


def _closed(schema: Schema) -> Schema:
    """A request may hold only what GitHub documents: it would ignore the rest without a word."""
    if isinstance(schema, list):
        return [_closed(child) for child in schema]
    if not isinstance(schema, dict):
        return schema
    new = {key: _closed(child) for key, child in schema.items()}
    if isinstance(schema.get("properties"), dict) and "allOf" not in schema and "anyOf" not in schema:
        new.setdefault("additionalProperties", False)
    return new
