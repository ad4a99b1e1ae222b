"""The published JSON Schema is the one the model has, describes every key and agrees with `load`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from bot.policy import Policy
from bot.policy_file import PolicyError, load, schema

PUBLISHED = Path(__file__).parents[2] / "docs" / "bouncer.schema.json"


def test_the_published_schema_is_in_step() -> None:
    assert json.loads(PUBLISHED.read_text()) == schema(), "run: make docs"


def keys(node: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, section in [("Policy", node), *node["$defs"].items()]:
        for key, value in section.get("properties", {}).items():
            referred = node["$defs"].get(value.get("$ref", "").removeprefix("#/$defs/"), {})
            yield f"{name}.{key}", {**referred, **value}


@pytest.mark.parametrize(
    ("name", "node"), list(keys(schema())), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_key_is_described_and_has_a_default(name: str, node: dict[str, Any]) -> None:
    assert node.get("description"), name
    assert "default" in node, name


@pytest.mark.parametrize(
    "text",
    [
        "mode: enforce",
        "mode: loud",
        "isues: {}",
        "issues: {enabled: 'yes'}",
        "issues: {max_questions: 3}",
        "issues: {max_questions: 4}",
        "issues: {labels: {agent_ready: null}}",
        "issues: {labels: {needs_clarification: ' x'}}",
        "issues: {labels: {needs_clarification: null}}",
        "issues: {exempt: {authors: ['renovate[bot]'], roles: [none]}}",
        "issues: {exempt: {authors: ['@renovate']}}",
        "issues: {exempt: {roles: [king]}}",
        "issues: {exempt: {roles: []}}",
        "issues: {mode: observe, only: {kinds: [bug], labels: [a b]}}",
        "issues: {only: {kinds: [task]}}",
        "issues: {comment: {above: 'a < b <3 <<', below: 'x'}}",
        "issues: {comment: {above: '<details>'}}",
        "issues: {comment: {above: '</p>'}}",
        "issues: {comment: {below: 'a <!-- b'}}",
        "issues: {comment: {below: ''}}",
        "issues: {required_sections: [Steps to reproduce, Version]}",
        "issues: {required_sections: [' Version']}",
        "issues: {required_sections: [a, b, c, d, e, f, g, h, i, j, k]}",
        "pulls: {mode: loud}",
        "issues: {already_fixed: {close_after_days: 0}}",
        "issues: {brief: always}",
        "pulls: {scope: all, review: explain, override: {teams: [core]}}",
        "pulls: {agents: {branches: ['codex/']}}",
        "pulls: {agents: {branches: ['codex/*']}}",
        "pulls: {agents: {branches: ['a\\\\b']}}",
        "pulls: {agents: {logins: ['@coder']}}",
        "pulls: {override: {teams: [acme/core]}}",
        "pulls: {only: {base_branches: ['release/**', '*']}}",
        "pulls: {only: {base_branches: ['a b']}}",
        "pulls: {only: {base_branches: ['!main']}}",
        "pulls: {skip: {titles: ['[docs]*'], paths: ['docs/**', '.github', '**/*.md', 'a b']}}",
        "pulls: {skip: {titles: ['a ']}}",
        "pulls: {skip: {paths: ['/docs']}}",
        "pulls: {skip: {paths: ['!docs']}}",
        "pulls: {skip: {paths: ['./docs']}}",
        "pulls: {skip: {paths: ['']}}",
        "pulls: {attempts: 0}",
        "verify: {setup: [], test: pytest}",
        "verify: {setup: ['']}",
        "verify: {image: 'a b'}",
        "version: 2",
        "budgets: {per_author: 0}",
        "budgets: {per_author: -1}",
    ],
)
def test_schema_and_reader_agree(text: str) -> None:
    valid = jsonschema_rs.validator_for(schema()).is_valid(yaml.safe_load(text))
    try:
        load(text)
    except PolicyError:
        assert not valid
    else:
        assert valid


def test_the_default_policy_is_valid() -> None:
    jsonschema_rs.validate(schema(), Policy().model_dump(mode="json"))
