"""What is sent to an endpoint, in the form that it understands, and which form comes next where it complains."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from openai import APIStatusError

from bot.settings import Settings

TOOL = "answer"
KEY_WORDS = ("api key", "api_key")  # of a complaint about the key


class RequestForm(IntEnum):
    """How an answer's shape is asked for, from the firmest to what every model can do."""

    SCHEMA = 0
    TOOL = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class Dialect:
    """What this endpoint understands, as far as we know."""

    form: RequestForm = RequestForm.SCHEMA
    cap: str = "max_completion_tokens"
    proven: bool = False


def question_body(
    settings: Settings, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], dialect: Dialect
) -> dict[str, Any]:
    """A question whose answer has a shape."""
    body = plain_body(settings, messages, dialect)
    if dialect.form is RequestForm.SCHEMA:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": TOOL, "strict": True, "schema": schema},
        }
    elif dialect.form is RequestForm.TOOL:
        function = {"name": TOOL, "description": "Hand in the answer.", "parameters": schema, "strict": True}
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": TOOL}}
    else:
        shape = "Answer with JSON only, no other text, that satisfies this JSON schema:\n" + json.dumps(schema)
        body["messages"][0]["content"] += "\n\n" + shape
    return body


def plain_body(settings: Settings, messages: Sequence[Mapping[str, Any]], dialect: Dialect) -> dict[str, Any]:
    """A conversation alone."""
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": [dict(message) for message in messages],
        dialect.cap: settings.model_max_tokens,
    }
    if settings.model_effort:
        body["reasoning_effort"] = settings.model_effort
    if settings.model_temperature is not None:
        body["temperature"] = settings.model_temperature
    return body


def simpler(dialect: Dialect, error: APIStatusError) -> Dialect | None:
    """What to try after a refused request; `None` when asking differently would not help. Ends at the plainest form."""
    if error.status_code not in (400, 404, 422, 501) or (
        error.status_code == 404 and not mentions(error, "tool", "format")
    ):
        return None
    if other := other_cap(dialect, error):
        return other
    unsupported = mentions(
        error, "response_format", "json_schema", "schema", "structured", "tool", "function", "grammar"
    )
    if dialect.form is RequestForm.TEXT or (dialect.proven and not unsupported):
        return None
    if not unsupported and mentions(error, "context", "too long", "content", "temperature", "reasoning", *KEY_WORDS):
        return None
    return Dialect(RequestForm(dialect.form + 1), dialect.cap)


def other_cap(dialect: Dialect, error: APIStatusError) -> Dialect | None:
    """The same under the cap's older name, where the endpoint complains of the newer one."""
    if error.status_code not in (400, 404, 422, 501) or dialect.cap == "max_tokens":
        return None
    return Dialect(dialect.form, "max_tokens") if mentions(error, dialect.cap) else None


def mentions(error: APIStatusError, *words: str) -> bool:
    """Whether the endpoint's complaint names one of the words. Read, never shown."""
    complaint = f"{error.message} {error.body!r}"[:4000].lower()
    return any(word in complaint for word in words)
