"""What GitHub tells a job of a workflow: the event, the repository, the token, and where its summary and outputs go."""

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.errors import PlainError

LARGEST_EVENT = 32_000_000  # bytes; GitHub sends events of 25 MB at most


class JobError(PlainError):
    """The job cannot do its work. The message is plain and says the mend."""


@dataclass(frozen=True, slots=True)
class WorkflowJob:
    """repository: `owner/name`. run_id: of the workflow's run. summary, output: files that GitHub reads afterwards;
    `None` where it named none."""

    event: str
    payload: Mapping[str, Any]
    repository: str
    api_url: str
    web_url: str
    run_id: int
    token: str = field(repr=False)
    summary: Path | None = None
    output: Path | None = None

    def tell(self, summary: str, outputs: Mapping[str, str]) -> None:
        """Add to the job's summary, and set outputs for later steps. The delimiter is random, so that no text sets
        another output than its own."""
        if self.summary is not None:
            with self.summary.open("a", encoding="utf-8") as file:
                file.write(f"{summary.strip()}\n\n")
        if self.output is not None:
            with self.output.open("a", encoding="utf-8") as file:
                for name, text in outputs.items():
                    mark = f"bouncer_{secrets.token_hex(16)}"
                    file.write(f"{name}<<{mark}\n{text}\n{mark}\n")


def job_of(environment: Mapping[str, str] = os.environ) -> WorkflowJob:
    """From the variables that GitHub sets. Raises `JobError`."""
    given = {
        name: environment.get(f"GITHUB_{name}", "") for name in ("EVENT_NAME", "EVENT_PATH", "REPOSITORY", "TOKEN")
    }
    if missing := [f"GITHUB_{name}" for name, value in given.items() if not value]:
        raise JobError(f"{', '.join(missing)}: not set. This command runs in a workflow's job; the action sets them.")
    return WorkflowJob(
        event=given["EVENT_NAME"],
        payload=_payload(Path(given["EVENT_PATH"])),
        repository=given["REPOSITORY"],
        api_url=environment.get("GITHUB_API_URL") or "https://api.github.com",
        web_url=environment.get("GITHUB_SERVER_URL") or "https://github.com",
        run_id=_number(environment.get("GITHUB_RUN_ID", "")),
        token=given["TOKEN"],
        summary=_path(environment, "GITHUB_STEP_SUMMARY"),
        output=_path(environment, "GITHUB_OUTPUT"),
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _path(environment: Mapping[str, str], name: str) -> Path | None:
    return Path(environment[name]) if environment.get(name) else None


def _payload(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            payload = json.loads(file.read(LARGEST_EVENT))
    except OSError as error:
        raise JobError(f"{path}: {error.strerror}. GITHUB_EVENT_PATH must name the event's file.") from None
    except (ValueError, RecursionError):
        raise JobError(f"{path}: this is not JSON. GITHUB_EVENT_PATH must name the event's file.") from None
    if not isinstance(payload, dict):
        raise JobError(f"{path}: an event is a JSON object.")
    return payload
