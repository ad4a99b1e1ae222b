"""The REST operations Bouncer uses, stateful, with GitHub's status codes, pages, ETags and rate limit headers.

GraphQL's one operation lies beside them, as on GitHub Enterprise Server: `/api/v3/…` and `/api/graphql`.
"""

import hashlib
import json
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, g, request

from fake_github import (  # noqa: F401 - each registers its operations
    machines,
    rest_app,
    rest_checks,
    rest_issues,
    rest_pulls,
    rest_repositories,
)
from fake_github.access import DOCS, AccessRefused
from fake_github.rest_call import OPERATIONS, Operation, RestCall, as_json
from fake_github.traffic import Exchange, Fault, Traffic

if TYPE_CHECKING:
    from fake_github.server import FakeGitHub


def rest_blueprint(world: "FakeGitHub") -> Blueprint:
    """All operations. Routes are spelt as in GitHub's OpenAPI description, for counters and contracts."""
    rest = Blueprint("rest", __name__, url_prefix="/api")
    _add_what_surrounds(rest, world.traffic)

    @rest.errorhandler(AccessRefused)
    def refuse(error: AccessRefused) -> Response:
        response = as_json(error.body, error.status)
        response.headers.update(error.headers)
        if error.moved_to:  # reads are told 301, writes 307
            elsewhere = error.moved_to.startswith("http")
            response.headers["Location"] = error.moved_to if elsewhere else f"{world.url}{error.moved_to}"
        return response

    @rest.errorhandler(KeyError)
    def incomplete(error: KeyError) -> Response:
        return as_json(AccessRefused(422, f"Invalid request.\n\n{error} wasn't supplied.").body, 422)

    def handler(wanted: Operation) -> Callable[..., Response]:
        def handle(**named: Any) -> Response:
            with world.lock:
                body, status = RestCall(world).carry_out(wanted, dict(named))
            return body if isinstance(body, Response) else as_json(body, status)

        return handle

    for each in OPERATIONS:
        root = "" if each.path == "/graphql" else "/v3"
        name = f"{each.method} {each.path}".replace(".", "_")
        rest.add_url_rule(root + _rule(each.path), name, handler(each), methods=[each.method])
        if each.path.endswith("/contents/{path}") and each.method == "GET":  # an empty one is the top of the tree
            top = root + _rule(each.path.removesuffix("{path}"))
            rest.add_url_rule(top, f"{name} top", handler(each), methods=[each.method], defaults={"path": ""})
    return rest


def _add_what_surrounds(rest: Blueprint, traffic: Traffic) -> None:
    """What happens around every call: faults, delays, ETags, the rate limit's headers, and the record of it."""

    @rest.before_request
    def arrive() -> Response | None:
        g.route = _route()
        g.fault = traffic.take(request.method, g.route)
        if g.fault is None or g.fault.after_effect:
            return None
        traffic.pause(g.fault.delay)
        return _spoil(g.fault) if g.fault.spoils else None

    @rest.after_request
    def leave(response: Response) -> Response:
        fault: Fault | None = g.get("fault")
        took_effect = request.method != "GET" and response.status_code < 300 and g.route != "/graphql"
        response.headers.update(g.get("rate", {}))
        if request.method == "GET" and response.status_code == 200:
            _tag(response)
        if fault and fault.after_effect and fault.spoils:
            response = _spoil(fault)
        traffic.record(_exchange(response, took_effect, fault))
        if fault and fault.after_effect:
            traffic.pause(fault.delay)
        if fault and fault.half:
            return _halved(response, fault.half)
        if fault and fault.drop:
            request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return response


def _tag(response: Response) -> None:
    etag = f'W/"{hashlib.sha256(response.get_data()).hexdigest()}"'
    response.headers["ETag"] = etag
    if request.headers.get("If-None-Match") == etag:
        response.status_code = 304
        response.set_data(b"")


def _halved(response: Response, how: str) -> Response:
    whole = response.get_data()
    half = whole[: len(whole) // 2]
    if how == "text" and half:
        response.set_data(half)
        return response

    connection = request.environ["werkzeug.socket"]

    def ends() -> Iterator[bytes]:
        yield half
        with suppress(OSError):  # whoever asked may have hung up, or been killed
            connection.shutdown(socket.SHUT_RDWR)

    response.set_data(b"")
    response.response = ends()
    response.headers.pop("Content-Length", None)
    if how == "cut":
        response.headers["Content-Length"] = str(len(whole))
    return response


def _rule(path: str) -> str:
    """OpenAPI path -> Flask rule: numbers are numbers, `{path}` and a `{ref}` at the end may hold slashes."""

    def converter(match: re.Match[str]) -> str:
        name = match[1]
        whole = name in ("path", "name") or (name == "ref" and path.endswith(match[0]))
        number = name.endswith(("_id", "_number")) and name not in ("workflow_id", "client_id")
        kind = "int:" if number else "path:" if whole else ""
        return f"<{kind}{name}>"

    return re.sub(r"\{(\w+)\}", converter, path)


def _route() -> str:
    rule = request.url_rule.rule if request.url_rule else request.path
    route = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule).removeprefix("/api").removeprefix("/v3")
    return f"{route}{{path}}" if route.endswith("/contents/") else route


def _spoil(fault: Fault) -> Response:
    body = {"message": fault.message or "Server Error", "documentation_url": DOCS}
    response = as_json(body, fault.status or 502)
    response.headers.update(fault.headers)
    return response


def _exchange(response: Response, took_effect: bool, fault: Fault | None) -> Exchange:
    return Exchange(
        method=request.method,
        route=g.get("route") or _route(),
        path=request.path.removeprefix("/api").removeprefix("/v3"),
        parameters=dict(request.view_args or {}),
        query=request.args.to_dict(),
        request=request.get_json(silent=True),
        status=response.status_code,
        response=json.loads(response.get_data()) if response.is_json and response.get_data() else None,
        took_effect=took_effect,
        spoilt=fault is not None,
    )
