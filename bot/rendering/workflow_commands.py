"""A judged change as workflow commands: what a job of GitHub Actions prints to have something shown beside lines.

GitHub reads a command off any line that begins with `::`, so names and texts by strangers are escaped as it asks, and
each command is one line. See GitHub's "Workflow commands for GitHub Actions".
"""

from collections.abc import Iterator, Mapping

from bot.rendering.gate import GateView

_LEVELS = {"failure": "error", "action_required": "error", "warning": "warning"}


def workflow_commands(view: GateView) -> Iterator[str]:
    """The check first, then what stands beside lines."""
    yield _command(_LEVELS.get(view.conclusion or "", "notice"), {"title": "Bouncer"}, view.title)
    for each in view.annotations:
        place = {"file": each.path, "line": str(each.start_line), "endLine": str(each.end_line), "title": each.title}
        yield _command(_LEVELS.get(each.level, "notice"), place, each.message)


def _command(name: str, given: Mapping[str, str], text: str) -> str:
    shown = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in given.items() if value)
    return f"::{name} {shown}::{_escaped(text)}"


def _escaped(text: str, also: str = "") -> str:
    """also: what means something in a command's properties."""
    text = text.encode("utf-8", "replace").decode()
    return "".join(f"%{ord(each):02X}" if each in f"%\r\n{also}" else each for each in text)
