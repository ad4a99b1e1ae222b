"""A model's answer becomes one command or none; and which trajectories are ended for going round in circles."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.judges.agent.commands import (
    MAX_ARGUMENT,
    MAX_PATH,
    MAX_QUERY,
    MAX_TESTS,
    MAX_TEXT,
    REPAIR,
    REVIEW,
    Cat,
    CodeSearch,
    Command,
    EditLines,
    Finish,
    RunTests,
    read_command,
)
from bot.judges.agent.loop import why_pruned
from bot.judges.answer import BadAnswer
from bot.judges.openai.prompts import load
from bot.judges.steps import AgentStep
from tests.support.cases import cases
from tests.support.properties import patient


def read(said: Any) -> Command:
    return read_command(REPAIR, said if isinstance(said, str) else json.dumps(said))


@cases
def test_a_command_is_read(said: Any, command: Command, shown: str) -> None:
    found = read(said)
    assert found == command
    assert str(found) == shown


@pytest.mark.parametrize(
    "said",
    [
        "",
        "cat a.py",
        "[]",
        "{}",
        {"command": "bash", "text": "rm -rf /"},
        {"command": "CAT", "path": "a.py"},
        {"command": ["cat"]},
        {"command": "cat", "path": 1},
        {"command": "cat", "path": "a" * (MAX_PATH + 1)},
        {"command": "cat", "path": "a.py", "first": -1},
        {"command": "cat", "path": "a.py", "first": "1"},
        {"command": "cat", "path": "a.py", "last": 10**9},
        {"command": "edit", "path": "a.py", "first": 1, "last": 1, "text": "x" * (MAX_TEXT + 1)},
        {"command": "test", "tests": "all"},
        {"command": "test", "tests": ["a.py"] * (MAX_TESTS + 1)},
        {"command": "test", "tests": ["a" * (MAX_PATH + 1)]},
        {"command": "finish"},
        {"command": "finish", "outcome": "yes"},
        '{"command": "test", "command": "finish"}',
        '{"command": "test"} {"command": "finish", "outcome": "success"}',
    ],
)
def test_anything_else_is_none(said: Any) -> None:
    with pytest.raises(BadAnswer):
        read(said)


def test_a_reviewer_has_fewer_commands() -> None:
    assert read_command(REVIEW, '{"command": "finish", "outcome": "no"}') == Finish("no")
    for said in ({"command": "edit"}, {"command": "test"}, {"command": "finish", "outcome": "success"}):
        with pytest.raises(BadAnswer):
            read_command(REVIEW, json.dumps(said))


@pytest.mark.parametrize("repertoire", [REPAIR, REVIEW])
def test_the_prompts_name_what_is_understood(repertoire: Any) -> None:
    fields = load(repertoire.prompt).schema["properties"]
    assert fields["command"]["enum"] == list(repertoire.commands)
    assert fields["outcome"]["enum"] == ["", *repertoire.outcomes]
    assert load(repertoire.prompt).schema["required"] == list(fields)
    system = load(repertoire.prompt).messages(
        mark="x", **dict.fromkeys(("issue", "change", "claims", "earlier", "history"), "")
    )
    assert all(f"- `{command}`" in system[0]["content"] for command in repertoire.commands)


WORDS = st.text(max_size=40) | st.integers() | st.none() | st.lists(st.text(max_size=5), max_size=3)
FIELDS = ("command", "path", "first", "last", "text", "tests", "outcome")


@patient
@given(
    st.fixed_dictionaries(
        {"command": st.sampled_from(REPAIR.commands) | WORDS},
        optional=dict.fromkeys(FIELDS[1:], WORDS),
    ),
    st.booleans(),
)
def test_whatever_is_said_becomes_a_bounded_command_or_none(said: dict[str, Any], ascii_only: bool) -> None:
    try:
        command = read(json.dumps(said, ensure_ascii=ascii_only))
    except BadAnswer:
        return
    shown = str(command)
    assert len(shown) <= MAX_ARGUMENT
    assert shown.isprintable() or not shown
    assert command.name in REPAIR.commands
    match command:
        case Cat(_, first, last):
            assert first >= 1
            assert last >= 0
        case CodeSearch(text, _):
            assert len(text) <= MAX_QUERY
        case EditLines(_, _, _, text):
            text.encode()  # no lone surrogates
        case RunTests(tests):
            assert len(tests) <= MAX_TESTS
        case Finish(outcome):
            assert outcome in REPAIR.outcomes


@patient
@given(st.text(max_size=200))
def test_any_text_without_an_object_is_no_command(text: str) -> None:
    with pytest.raises(BadAnswer):
        read(text.replace("{", ""))


def steps(*lines: str) -> list[AgentStep]:
    """`cat a.py`, `edit a.py 1-2`; with a `!` in front it failed."""
    found = []
    for number, line in enumerate(lines, 1):
        command, _, argument = line.removeprefix("!").partition(" ")
        found.append(AgentStep(number, command, argument, "", failed=line.startswith("!")))
    return found


@cases
def test_what_prunes(lines: list[str], why: str) -> None:
    assert why_pruned(steps(*lines)) == why
    if why:
        assert why_pruned(steps(*lines[:-1])) == ""
