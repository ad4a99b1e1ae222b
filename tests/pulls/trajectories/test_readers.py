"""The same small session, read from every format."""

import json
from typing import Any

import pytest

from bot.pulls.trajectories.evidence import read_trajectory
from bot.pulls.trajectories.records import read_calls
from bot.pulls.trajectories.values import SessionStep, StepKind
from tests.support.cases import cases

from . import records

SESSION = [StepKind.SEARCH, StepKind.READ, StepKind.EDIT, StepKind.TEST, StepKind.OTHER]
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"


def text(value: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": value}]


OLD_TRAJ = records.traj(
    ("search_dir x src\n", "Found 1 matches"),
    ("open a.py 10\n", "[File: /repo/a.py (20 lines total)]"),
    ("edit 10:10\nx = 2\nend_of_edit\n", "[File: /repo/a.py (20 lines total)]"),
    ("python -m pytest\n", "1 passed"),
    ("submit\n", "diff --git a/a.py b/a.py"),
)
NEW_TRAJ = records.traj(
    ("grep -rn x src", "src/a.py"),
    ("str_replace_editor view /repo/a.py --view_range 10 10", "x = 1"),
    ("str_replace_editor str_replace /repo/a.py --old_str 'x = 1' --new_str 'x = 2'", "has been edited"),
    ("cd /repo && pytest", "1 passed"),
    ("submit", ""),
    replay_config="{}",
)
OPENHANDS = records.openhands(
    ("run", {"command": "grep -rn x src"}, {"content": "a.py", "extras": {"metadata": {"exit_code": 0}}}),
    ("read", {"path": "/repo/a.py", "view_range": [10, 10]}, {"content": "x = 1", "extras": {}}),
    (
        "edit",
        {"path": "/repo/a.py", "command": "str_replace", "old_str": "x = 1", "new_str": "x = 2"},
        {"content": "has been edited", "extras": {}},
    ),
    ("run", {"command": "pytest"}, {"content": "1 passed", "extras": {"metadata": {"exit_code": 0}}}),
    ("finish", {"outputs": {}}, {"content": ""}),
)
OPENHANDS_SDK = records.openhands_sdk(
    ("terminal", {"kind": "TerminalAction", "command": "grep -rn x src"}, {"content": text("a.py"), "exit_code": 0}),
    ("file_editor", {"command": "view", "path": "/repo/a.py", "view_range": [10, 10]}, {"content": text("x = 1")}),
    (
        "file_editor",
        {"command": "str_replace", "path": "/repo/a.py", "old_str": "x = 1", "new_str": "x = 2"},
        {"content": text("has been edited"), "is_error": False},
    ),
    ("terminal", {"command": "pytest"}, {"content": text("1 passed"), "exit_code": 0}),
    ("finish", {"message": "Done"}, {"message": "Done"}),
)
CLAUDE = records.claude(
    records.grep(),
    records.read("/repo/a.py", offset=10, limit=1),
    records.edit("/repo/a.py"),
    records.bash("pytest", "1 passed"),
    ("ExitPlanMode", {"plan": "pytest"}, ""),
)
CODEX = records.codex(
    ("rg x src", "a.py"),
    ("sed -n '10,10p' a.py", "x = 1"),
    (f"apply_patch <<'EOF'\n{PATCH}EOF", "Success. Updated the following files:\nM a.py\n"),
    ("pytest", "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n1 passed"),
)

EVERY = [
    ("old.traj", OLD_TRAJ),
    ("new.traj", NEW_TRAJ),
    ("list.json", json.dumps(OPENHANDS).encode()),
    ("lines.jsonl", records.json_lines(OPENHANDS)),
    ("download.json", json.dumps({"trajectory": OPENHANDS}).encode()),
    ("pairs.json", json.dumps([OPENHANDS[:2], OPENHANDS[2:]]).encode()),
    ("sdk.json", json.dumps(OPENHANDS_SDK).encode()),
    ("pretty.json", "\n".join(json.dumps(event, indent=2) for event in OPENHANDS_SDK).encode()),
    ("session.jsonl", CLAUDE),
    ("rollout-2026.jsonl", CODEX),
]


@pytest.mark.parametrize(("name", "data"), EVERY, ids=[name for name, _ in EVERY])
def test_every_format_gives_the_same_steps(name: str, data: bytes) -> None:
    found = read_trajectory(data)
    assert not found.problem
    expected = SESSION[:4] if name == "rollout-2026.jsonl" else SESSION
    assert [step.kind for step in found.steps] == expected
    assert [step.call for step in found.steps] == list(range(len(expected)))
    _, read, edit, *_ = found.steps
    assert read.path == "/repo/a.py" and "10" in read.part
    assert edit.path == "/repo/a.py"
    assert not any(step.failed for step in found.steps)
    assert read_calls(data)[0][3].output.endswith("1 passed")


@pytest.mark.parametrize(("name", "data"), EVERY, ids=[name for name, _ in EVERY])
def test_what_an_agent_thinks_is_never_read(name: str, data: bytes) -> None:
    """Every example thinks "pytest"; without the call that runs it there is no test."""
    silent = data.replace(b"python -m pytest", b"ls").replace(b"&& pytest", b"&& ls")
    silent = silent.replace(b'"command": "pytest"', b'"command": "ls"').replace(
        b'\\"cmd\\": \\"pytest', b'\\"cmd\\": \\"ls'
    )
    assert b"pytest" in silent
    kinds = [step.kind for step in read_trajectory(silent).steps]
    assert StepKind.TEST not in kinds and kinds[:3] == SESSION[:3]


# SWE-agent


def only(data: bytes) -> SessionStep:
    (step,) = read_trajectory(data).steps
    return step


@cases
def test_the_commands_of_sweagent(action: str, kind: StepKind, path: str) -> None:
    step = only(records.traj((action, "")))
    assert (step.kind, step.path) == (kind, path)


def test_an_older_record_keeps_its_state_as_text() -> None:
    step = only(records.traj(("open b.py", ""), state=json.dumps({"working_dir": "/old"})))  # type: ignore[arg-type]
    assert step.path == "/old/b.py"
    assert step.part, "a viewer shows a part of what it opens"


def test_a_command_runs_where_the_one_before_left_it() -> None:
    def step(action: str, directory: str) -> dict[str, Any]:
        return {"action": action, "observation": "", "state": {"working_dir": directory}}

    data = json.dumps({"trajectory": [step("cd api", "/repo/api"), step("cat a.py", "/elsewhere")]}).encode()
    assert read_trajectory(data).steps[1].path == "/repo/api/a.py"


@cases
def test_an_edit_that_was_refused(output: str, failed: bool) -> None:
    assert only(records.traj(("edit 'x' 'y'", output))).failed is failed


# OpenHands


def test_what_a_person_runs_is_not_what_the_agent_does() -> None:
    theirs, own = [
        {"source": source, "id": number, "action": "run", "args": {"command": f"cat {source}.py"}}
        for number, source in enumerate(("user", "agent"))
    ]
    assert only(json.dumps([theirs, own]).encode()).path == "agent.py"


def test_an_error_of_the_openhands_sdk() -> None:
    action, _ = records.openhands_sdk(("terminal", {"command": "pytest"}, {}))[1:]
    error = {"kind": "AgentErrorEvent", "source": "agent", "action_id": "a0", "error": "Timed out"}
    step = only(json.dumps([action, error]).encode())
    assert step.failed


def test_python_cells_of_openhands_are_programs() -> None:
    data = json.dumps(records.openhands(("run_ipython", {"code": "import a\na.run()"}, {"content": "1"}))).encode()
    assert only(data).kind is StepKind.OTHER


def test_a_view_of_a_directory_reads_no_file() -> None:
    answer = {"content": "Here's the files and directories up to 2 levels deep in /repo"}
    step = only(json.dumps(records.openhands(("read", {"path": "/repo"}, answer))).encode())
    assert (step.kind, step.path) == (StepKind.OTHER, "")


# Claude Code


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (records.read("/repo/a.py"), SessionStep(StepKind.READ, "Read", "/repo/a.py")),
        (records.read("/repo/a.py", offset=5), SessionStep(StepKind.READ, "Read", "/repo/a.py", part="offset 5")),
        (records.read("/repo/a.py", limit=5), SessionStep(StepKind.READ, "Read", "/repo/a.py", part="limit 5")),
        (records.edit("a.py"), SessionStep(StepKind.EDIT, "Edit", "/repo/a.py")),
        (records.write("/repo/a.py"), SessionStep(StepKind.EDIT, "Write", "/repo/a.py")),
        (("Glob", {"pattern": "*.py"}, ""), SessionStep(StepKind.SEARCH, "Glob")),
        (("LS", {"path": "/repo"}, ""), SessionStep(StepKind.OTHER, "LS")),
        (("Task", {"prompt": "Run pytest"}, ""), SessionStep(StepKind.OTHER, "Task")),
        (
            ("NotebookEdit", {"notebook_path": "/repo/a.ipynb", "new_source": "x"}, ""),
            SessionStep(StepKind.EDIT, "NotebookEdit", "/repo/a.ipynb"),
        ),
        (
            ("MultiEdit", {"file_path": "/repo/a.py", "edits": [{"old_string": "a", "new_string": "b"}] * 2}, ""),
            SessionStep(StepKind.EDIT, "MultiEdit", "/repo/a.py"),
        ),
    ],
)
def test_the_tools_of_claude_code(action: records.Action, expected: SessionStep) -> None:
    step = only(records.claude(action))
    for field in ("kind", "command", "path", "part"):
        assert getattr(step, field) == getattr(expected, field)


def test_plans_and_to_do_lists_are_thoughts() -> None:
    data = records.claude(("TodoWrite", {"todos": [{"content": "pytest"}]}, ""), records.bash("ls"))
    assert [step.command for step in read_trajectory(data).steps] == ["ls"]


def test_waiting_for_an_earlier_call_is_no_step() -> None:
    data = records.claude(records.bash("ls"), ("BashOutput", {"bash_id": "1"}, "pytest"))
    assert len(read_trajectory(data).steps) == 1


def test_a_resumed_session_repeats_nothing() -> None:
    data = records.claude(records.read("/repo/a.py"))
    assert len(read_trajectory(data + b"\n" + data).steps) == 1


def test_results_in_blocks_and_failures() -> None:
    data = records.claude(("Bash", {"command": "pytest"}, text("1 failed")), failed=True)  # type: ignore[arg-type]
    step = only(data)
    assert (step.kind, step.failed) == (StepKind.TEST, True)


def test_the_stream_of_a_workflow_is_a_list() -> None:
    lines = [json.loads(line) for line in records.claude(records.bash("pytest")).split(b"\n")]
    assert only(json.dumps(lines).encode()).kind is StepKind.TEST


# Codex


@cases
def test_a_call_of_codex(lines: list[dict[str, Any]], kind: StepKind, command: str) -> None:
    step = only(records.json_lines(lines))
    assert (step.kind, step.command) == (kind, command)


@pytest.mark.parametrize("how", ["custom", "function", "vector", "script"])
def test_a_patch_is_an_edit_of_its_file(how: str) -> None:
    item = {
        "custom": {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH},
        "function": {"type": "function_call", "name": "apply_patch", "arguments": json.dumps({"input": PATCH})},
        "vector": {"type": "function_call", "arguments": json.dumps({"cmd": ["apply_patch", PATCH]}), "name": "shell"},
        "script": {"type": "custom_tool_call", "name": "exec", "input": f"tools.apply_patch({json.dumps(PATCH)});"},
    }[how]
    meta = {"type": "turn_context", "payload": {"cwd": "/repo"}}
    step = only(records.json_lines([meta, records.response_item(call_id="c", **item)]))
    assert (step.kind, step.path) == (StepKind.EDIT, "/repo/a.py")


def test_what_codex_prints_while_it_runs() -> None:
    command = {"type": "command_execution", "command": "bash -lc 'pytest -q'", "aggregated_output": "1 failed"}
    changes = {"type": "file_change", "changes": [{"path": "/repo/a.py", "kind": "update"}], "status": "completed"}
    lines = [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.started", "item": command},
        {"type": "item.completed", "item": {**command, "exit_code": 1}},
        {"type": "item.completed", "item": {"type": "reasoning", "text": "pytest"}},
        {"type": "item.completed", "item": changes},
    ]
    test, edit = read_trajectory(records.json_lines(lines)).steps
    assert (test.kind, test.command) == (StepKind.TEST, "pytest -q")
    assert (edit.kind, edit.path, edit.failed) == (StepKind.EDIT, "/repo/a.py", False)


# None of them


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", b"{}", b"[]", b"[1, 2]", b'{"a": 1}', b'{"trajectory": [1]}', b"\xff\xfe\x00", b'{"type": "user"}'],
)
def test_what_is_no_record(data: bytes) -> None:
    found = read_trajectory(data)
    assert not found.steps and found.problem
