"""Requests and answers of the fake's REST operations: bodies, pages, errors."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from flask import Response, g, request

from fake_github.access import AccessRefused
from fake_github.shapes import Json

Item = TypeVar("Item")


def check_text(value: Any, resource: str, limit: int) -> str:
    if not isinstance(value, str) or len(value) > limit:
        problem = {"resource": resource, "field": "body", "code": "unprocessable"}
        raise AccessRefused(
            422,
            "Validation Failed",
            errors=[{**problem, "message": f"body is too long (maximum is {limit} characters)"}],
        )
    return value


def request_body() -> Json:
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise AccessRefused(400, "Problems parsing JSON")
    return body


def as_json(body: Any, status: int) -> Response:
    response = Response(
        "" if body is None else json.dumps(body), status, content_type="application/json; charset=utf-8"
    )
    links: dict[str, dict[str, str]] = g.get("links", {})
    if links:
        response.headers["Link"] = ", ".join(f'<{_again(**change)}>; rel="{name}"' for name, change in links.items())
    return response


def _again(**change: str) -> str:
    """The address of this call with other query parameters."""
    query = "&".join(f"{name}={value}" for name, value in {**request.args.to_dict(), **change}.items())
    return f"{request.base_url}?{query}"


def page(items: Sequence[Item]) -> list[Item]:
    """The page asked for; leaves the Link header's addresses for `_json`."""
    size = max(1, min(int(request.args.get("per_page", 30)), 100))
    page = max(1, int(request.args.get("page", 1)))
    last = max(1, -(-len(items) // size))
    links: dict[str, dict[str, str]] = {}
    if page > 1:
        links |= {"prev": {"page": str(page - 1)}, "first": {"page": "1"}}
    if page < last:
        links |= {"next": {"page": str(page + 1)}, "last": {"page": str(last)}}
    g.links = links
    return list(items[(page - 1) * size : page * size])
