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
ONE_LINERS = Path(__file__).with_name("one_liners.txt")


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


@pytest.mark.parametrize("text", ONE_LINERS.read_text(encoding="utf-8").splitlines())
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
