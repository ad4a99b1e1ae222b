"""Small records of invented sessions, as each agent would write them."""

import json
from typing import Any

Action = tuple[str, dict[str, Any], str]  # a tool of Claude Code, its input, what came back


def json_lines(records: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


def traj(*steps: tuple[str, str], state: dict[str, str] | None = None, **other: Any) -> bytes:
    """SWE-agent: actions and observations, in one directory with one open file."""
    held = state or {"open_file": "/repo/a.py", "working_dir": "/repo"}
    trajectory = [
        {"action": action, "observation": output, "response": "pytest", "thought": "pytest", "state": held}
        for action, output in steps
    ]
    return json.dumps({"environment": "main", "trajectory": trajectory, "history": [], "info": {}, **other}).encode()


def claude(*actions: Action, cwd: str = "/repo", failed: bool = False) -> bytes:
    """Claude Code: one message with the call and one with the result, for each action."""
    records: list[dict[str, Any]] = [{"type": "summary", "summary": "Mend the parser", "leafUuid": "u0"}]
    for number, (tool, told, output) in enumerate(actions):
        identifier = f"toolu_{number}"
        call = {"type": "tool_use", "id": identifier, "name": tool, "input": told}
        result = {"type": "tool_result", "tool_use_id": identifier, "content": output, "is_error": failed}
        records.append(_claude("assistant", [{"type": "thinking", "thinking": "Run pytest!"}, call], cwd))
        records.append(_claude("user", [result], cwd))
    return json_lines(records)


def _claude(role: str, content: list[dict[str, Any]], cwd: str) -> dict[str, Any]:
    message = {"role": role, "content": content}
    return {"type": role, "sessionId": "s1", "cwd": cwd, "uuid": "u", "parentUuid": None, "message": message}


def bash(command: str, output: str = "") -> Action:
    return "Bash", {"command": command, "description": "Run the tests with pytest"}, output


def read(path: str, **part: int) -> Action:
    return "Read", {"file_path": path, **part}, "     1\tx = 1\n"


def edit(path: str, old: str = "x = 1", new: str = "x = 2") -> Action:
    return "Edit", {"file_path": path, "old_string": old, "new_string": new}, "The file has been updated."


def write(path: str, content: str = "x = 1\n") -> Action:
    return "Write", {"file_path": path, "content": content}, "File created successfully."


def grep(pattern: str = "x") -> Action:
    return "Grep", {"pattern": pattern, "path": "src"}, "Found 1 file"


def response_item(**payload: Any) -> dict[str, Any]:
    """A line of a Codex rollout."""
    return {"timestamp": "2026-01-05T10:00:00.000Z", "type": "response_item", "payload": payload}


def codex(*commands: tuple[str, str], cwd: str = "/repo") -> bytes:
    """Codex: shell commands with `exec_command`, and what they gave back."""
    records = [{"type": "session_meta", "timestamp": "t", "payload": {"id": "s1", "cwd": cwd}}]
    for number, (command, output) in enumerate(commands):
        identifier = f"call_{number}"
        arguments = json.dumps({"cmd": command, "workdir": cwd})
        records.append(response_item(type="reasoning", summary=[{"type": "summary_text", "text": "pytest"}]))
        records.append(
            response_item(type="function_call", name="exec_command", arguments=arguments, call_id=identifier)
        )
        records.append(response_item(type="function_call_output", call_id=identifier, output=output))
    return json_lines(records)


def openhands(*events: tuple[str, dict[str, Any], dict[str, Any]]) -> list[dict[str, Any]]:
    """OpenHands before the agent SDK: an action with its arguments, and the observation it caused."""
    found: list[dict[str, Any]] = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Run pytest"}, "message": ""}
    ]
    for number, (action, told, answer) in enumerate(events):
        found.append({"id": 2 * number + 1, "source": "agent", "action": action, "args": {**told, "thought": "pytest"}})
        found.append(
            {"id": 2 * number + 2, "source": "agent", "cause": 2 * number + 1, "observation": action, **answer}
        )
    return found


def openhands_sdk(*events: tuple[str, dict[str, Any], dict[str, Any]]) -> list[dict[str, Any]]:
    """OpenHands since the agent SDK: a tool with its action, and the observation that answers it."""
    found: list[dict[str, Any]] = [{"kind": "MessageEvent", "id": "m", "source": "user", "llm_message": {}}]
    for number, (tool, action, answer) in enumerate(events):
        identifier = f"a{number}"
        thought = [{"type": "text", "text": "pytest"}]
        found.append(
            {"kind": "ActionEvent", "id": identifier, "source": "agent", "tool_name": tool, "action": action}
            | {"thought": thought, "tool_call_id": f"c{number}", "reasoning_content": "pytest"}
        )
        found.append(
            {"kind": "ObservationEvent", "id": f"o{number}", "source": "environment", "action_id": identifier}
            | {"tool_name": tool, "observation": answer}
        )
    return found
