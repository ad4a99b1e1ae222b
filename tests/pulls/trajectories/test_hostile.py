"""Records that are written to hurt."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.pulls.trajectories.evidence import evidence, evidence_in_time, read_trajectory
from bot.pulls.trajectories.steps import MOST_STEPS, MOST_TEXT, steps_of
from bot.pulls.trajectories.values import Trajectory
from tests.support.properties import patient

from . import records
from .test_readers import EVERY

DEEP = "[" * 200_000


def judged(data: bytes) -> Trajectory:
    """Read, smelled at and judged; what is said of it can be stored and shown."""
    for item in evidence(data, "x.jsonl"):
        repr(item).encode()  # no half characters
        assert len(item.quote) <= 200
        assert len(item.found) <= 300
    return read_trajectory(data)


@pytest.mark.parametrize(
    "data",
    [
        DEEP.encode(),
        b'{"a":' * 100_000,
        b'{"trajectory": ' + DEEP.encode(),
        b'{"type": "assistant", "message": ' + DEEP.encode() + b"}\n" * 2,
        b'{"type": "assistant", "message": NaN}\n{"type": "assistant", "message": Infinity}',
        b'{"type": "assistant", "message": ' + b"9" * 10_000 + b"}\n{}",
        b'{"type": "assistant", "message": 1e999999}\n{}',
        b"\x00" * 1000,
        b'"' * 10_000,
        b"\\" * 100_000,
        b"\n" * 100_000,
        b"{}\n" * 10_000,
        b"\xed\xa0\x80" * 100,
    ],
)
def test_nothing_is_raised(data: bytes) -> None:
    assert not judged(data).steps


def test_deep_arguments_of_a_call() -> None:
    items = [records.response_item(type="function_call", name="shell", call_id="c", arguments=DEEP)]
    items.append(records.response_item(type="function_call_output", call_id="c", output='{"output":' + DEEP))
    assert len(judged(records.json_lines(items)).steps) == 1


def test_half_characters_never_come_out() -> None:
    half = "\ud800x\udfff"
    log, reads = records.bash(f"git log {half}", half), records.read(f"/repo/{half}.py")
    found = evidence(records.claude(log, reads, reads, (half, {half: half, "command": half}, half)), half)
    assert [item.quote for item in found if item.check == "check_git_history"] == ["git log ?x?"]
    repr(found).encode()


@pytest.mark.parametrize("wrong", [7, [[]], {"x": {}}])
def test_wrong_types_anywhere(wrong: Any) -> None:
    for _, data in EVERY:
        text = data.decode()
        if not text.startswith("["):
            lines = [json.loads(line) for line in text.split("\n")] if "\n{" in text and "{\n" not in text else []
        else:
            lines = json.loads(text)
        for record in lines:
            for path in _paths(record):
                judged(json.dumps([_replaced(record, path, wrong)]).encode())


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        found += _paths(inner, (*path, key))
    return found


def _replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _replaced(copy[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize(("name", "data"), EVERY, ids=[name for name, _ in EVERY])
def test_a_file_cut_anywhere_gives_a_beginning_of_its_steps(name: str, data: bytes) -> None:
    whole = read_trajectory(data).steps
    for end in range(0, len(data), max(1, len(data) // 20)):
        found = judged(data[:end])
        assert [step.kind for step in found.steps] == [step.kind for step in whole[: len(found.steps)]]
        assert found.problem or found.steps  # never silence


def test_steps_are_bounded_and_more_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.pulls.trajectories.evidence.MOST_STEPS", 3)
    assert not read_trajectory(records.claude(*[records.grep()] * 3)).problem
    found = read_trajectory(records.claude(*[records.grep()] * 4))
    assert len(found.steps) == 3 and found.problem


@pytest.mark.parametrize(
    "line",
    [
        '"' * MOST_TEXT,
        "'" * (MOST_TEXT - 1),
        "\\" * MOST_TEXT,
        "<<a " * 50_000,
        "<<a\n" * 8_000,
        "${" * 100_000,
        "$((1+" * 40_000,
        "[[ (" * 5_000,  # grows faster than its length until it is given up, as the one with "<<a\n" shows
        "case x in " * 20_000,
        "`" * MOST_TEXT,
        "a;" * 500_000,
        "$(" * 100_000,
        "a|" * 100_000,
        "env " * 50_000,
        "git " + "-c " * 16_000 + "zzz",
        "git " + "--git-dir " * 4_000 + "zzz",
        "A=1 " * 50_000,
        "a" * MOST_TEXT,
        "cat " + "a " * 100_000,
        "> " * 100_000,
        "bash -c '" * 20_000,
        "find -exec " * 20_000,
        "#" * MOST_TEXT,
        " " * MOST_TEXT,
        "x=$(cat <<'E'\n" + "y\n" * 90_000,
    ],
)
def test_command_lines_that_could_cost_much(line: str) -> None:
    """Each would take minutes if the work grew with the square of its length."""
    assert len(steps_of(line, "/repo")) <= MOST_STEPS


def test_a_record_that_takes_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert evidence_in_time(records.claude(records.grep()), "s.jsonl")
    monkeypatch.setattr("bot.pulls.trajectories.evidence.SECONDS", 1.0)
    hostile = records.claude(records.grep(), *[records.bash("<<a\n" * 10_000)] * 20)
    assert not evidence_in_time(hostile, "s.jsonl")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
FRAGMENTS = st.text(st.sampled_from("ab -./|&;<>()'\"\\\n$=~*#EOF"), max_size=80)


def _claude(name: str, told: Any, output: Any, _: Any) -> list[Any]:
    call = {"type": "tool_use", "id": "t", "name": name, "input": told}
    result = {"type": "tool_result", "tool_use_id": "t", "content": output}
    return [
        {"type": "assistant", "message": {"content": [call]}},
        {"type": "user", "message": {"content": [result]}},
    ]


def _codex(name: str, told: Any, output: Any, _: Any) -> list[Any]:
    return [
        records.response_item(type="function_call", name=name, arguments=json.dumps(told), call_id="c"),
        records.response_item(type="function_call_output", call_id="c", output=output),
    ]


def _openhands(name: str, told: Any, output: Any, other: Any) -> list[Any]:
    return [
        {"source": "agent", "id": 1, "action": name, "args": told},
        {"source": "agent", "cause": 1, "observation": "run", "content": output, "extras": other},
        {"kind": "ActionEvent", "id": "a", "tool_name": name, "action": told},
        {"kind": "ObservationEvent", "action_id": "a", "observation": other},
    ]


def _sweagent(name: str, told: Any, output: Any, other: Any) -> list[Any]:
    action = f"{name} {told if isinstance(told, str) else ''}"
    return [{"action": action, "observation": output if isinstance(output, str) else "", "state": other}]


NAMES = """Bash Read Edit MultiEdit Write Grep shell exec_command apply_patch file_editor run run_ipython edit open goto
create insert str_replace_editor submit think x"""
TOOLS = st.sampled_from(NAMES.split())
KEYS = ["command", "cmd", "path", "file_path", "view_range", "offset", "limit", "edits", "old_string", "new_string"]
ARGUMENTS = FRAGMENTS | JSON | st.dictionaries(st.sampled_from(KEYS), FRAGMENTS | JSON, max_size=5)


@pytest.mark.parametrize("written", [_claude, _codex, _openhands, _sweagent])
def test_any_call_of_any_agent_is_read(written: Callable[[str, Any, Any, Any], list[Any]]) -> None:
    @settings(patient, max_examples=25)
    @given(TOOLS, ARGUMENTS, FRAGMENTS | JSON, JSON)
    def holds(name: str, given: Any, output: Any, other: Any) -> None:
        found = judged(json.dumps(written(name, given, output, other)).encode())
        assert not found.problem

    holds()


@patient
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_read(data: bytes) -> None:
    judged(data)


@patient
@given(FRAGMENTS)
def test_any_command_line_is_understood_somehow(line: str) -> None:
    assert list(steps_of(line, "/repo"))
