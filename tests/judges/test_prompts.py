"""Prompts are packaged, versioned and exactly what was reviewed."""

import hashlib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jinja2 import UndefinedError

from bot.judges import prompts
from bot.judges.fence import fence
from bot.verdicts import IssueKind, Item, SpecificationLabel

SNAPSHOTS = Path(__file__).parent / "snapshots"

# Changing a prompt's file changes its hash: give it a new version and add a line here. Lines are never edited, because
# judgements recorded under a version were made with exactly that text.
PUBLISHED = {
    "issue-specification/1": "6927fed46bc19f4a52e6df8ecb268af308be1a0fcd9a4b894d732c43305a045e",
}


def files() -> list[str]:
    return sorted(f.name.removesuffix(".md") for f in resources.files("prompts").iterdir() if f.name.endswith(".md"))


@pytest.mark.parametrize("name", files())
def test_the_version_changes_with_the_text(name: str) -> None:
    source = resources.files("prompts").joinpath(f"{name}.md").read_bytes()
    assert PUBLISHED.get(prompts.load(name).title) == hashlib.sha256(source).hexdigest()


@pytest.mark.parametrize("name", files())
def test_a_prompt_is_named_after_its_file(name: str) -> None:
    assert prompts.load(name).name == name


def test_the_whole_prompt_is_what_was_reviewed() -> None:
    fenced = fence({"report": "Crash\n\nIt {{ crashes }} on {% start %}."}, {"report": 1000}, lambda: "0123456789ab")
    messages = prompts.load("issue-specification").messages(mark=fenced.mark, **fenced.texts)
    shown = "\n".join(f"--- {message['role']}\n{message['content']}" for message in messages) + "\n"
    assert shown == (SNAPSHOTS / "issue-specification.txt").read_text(encoding="utf-8")


def test_a_value_nobody_gave_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        prompts.load("issue-specification").messages(report="x")


def test_a_prompt_without_front_matter_is_an_error() -> None:
    with pytest.raises(ValueError, match="front matter"):
        prompts.parse("text\n---\nname: x\n---\ntext")


def test_the_schema_agrees_with_our_words() -> None:
    fields = prompts.load("issue-specification").schema["properties"]
    assert list(fields) == ["reasoning", "kind", "items", "questions", "label"]
    assert fields["label"]["enum"] == list(SpecificationLabel)
    assert fields["kind"]["enum"] == list(IssueKind)
    assert list(fields["items"]["properties"]) == list(Item)
    assert fields["questions"]["items"]["properties"]["item"]["enum"] == list(Item)


@pytest.mark.parametrize("name", files())
def test_the_schema_is_one_that_strict_endpoints_take(name: str) -> None:
    """Every object closed and every property required, as strict structured output asks."""

    def check(node: Any) -> None:
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert list(node["required"]) == list(node["properties"])
            for value in node.values():
                check(value)

    check(prompts.load(name).schema)
