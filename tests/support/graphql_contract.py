"""GitHub's published GraphQL schema (npm `@octokit/graphql-schema`), holding queries and the fake's answers to it.

The schema has 1,600 types, of which a query concerns a handful; only what its words name is built.
"""

import functools
import json
import re
from pathlib import Path
from typing import Any

from graphql import DocumentNode, GraphQLSchema, build_client_schema, execute_sync, parse, validate

from fake_github.traffic import Exchange
from tests.support.npm import npm_package

PACKAGE = ("@octokit/graphql-schema", "15.26.1")
DOCUMENT = "schema.json"

Json = dict[str, Any]


def published() -> Path:
    """Where the schema lies; downloaded once. Skips (in CI: fails) when it cannot be had."""
    return npm_package(*PACKAGE, only=DOCUMENT) / DOCUMENT


def graphql_problems(exchange: Exchange) -> list[str]:
    """What GitHub's schema does not know of this query, or how the answer is not one to it."""
    if exchange.request is None or exchange.status != 200:
        return []
    query, variables = exchange.request["query"], exchange.request.get("variables")
    schema, document, wrong = _read(query)
    if wrong:
        return [f"query: {message}" for message in wrong]
    answer = exchange.response
    found = [f"unknown key {key} in the answer" for key in answer if key not in ("data", "errors", "extensions")]
    found += ["an error without a message" for error in answer.get("errors", ()) if not error.get("message")]
    if "errors" in answer and "data" not in answer:
        return found  # the query was not carried out
    # Asked of the answer itself, the query gives it back: nothing is missing, superfluous or of another type.
    again = execute_sync(schema, document, root_value=answer["data"], variable_values=variables)
    found += [f"answer: {error.message}" for error in again.errors or ()]
    return found if again.errors or again.data == answer["data"] else [*found, "answer: holds what was not asked for"]


@functools.cache
def _read(query: str) -> tuple[GraphQLSchema, DocumentNode, list[str]]:
    """Its schema, what it asks for, and what is wrong with it; there are few, and each is asked often."""
    schema, document = schema_for(query), parse(query)
    return schema, document, [error.message for error in validate(schema, document)]


@functools.cache
def schema_for(query: str) -> GraphQLSchema:
    """The part of GitHub's schema that has the fields this query names."""
    types = _types()
    words = set(re.findall(r"\w+", query))
    kept: dict[str, Json] = {}
    waiting = ["Query", "Boolean", "String"]  # the last two are part of the language
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept[name] = _trimmed(types[name], words)
            waiting += _named(kept[name])
    return build_client_schema(
        {"__schema": {"queryType": {"name": "Query"}, "types": list(kept.values()), "directives": []}}
    )


@functools.cache
def _types() -> dict[str, Json]:
    return {item["name"]: item for item in json.loads(published().read_bytes())["__schema"]["types"]}


def _trimmed(kind: Json, words: set[str]) -> Json:
    if kind["kind"] == "UNION":
        members = [each for each in kind["possibleTypes"] if each["name"] in words] or kind["possibleTypes"][:1]
        return {**kind, "possibleTypes": members}
    if kind["kind"] not in ("OBJECT", "INTERFACE"):
        return kind
    fields = [field for field in kind["fields"] if field["name"] in words] or kind["fields"][:1]  # none is not allowed
    return {**kind, "kind": "OBJECT", "interfaces": [], "fields": fields}


def _named(node: Any) -> list[str]:
    """The types that fields and arguments refer to."""
    if isinstance(node, list):
        return [name for item in node for name in _named(item)]
    if not isinstance(node, dict):
        return []
    own = [node["name"]] if "ofType" in node and node["name"] else []
    inside = ("fields", "inputFields", "args", "type", "ofType", "possibleTypes")
    return own + _named([node[key] for key in inside if node.get(key)])
