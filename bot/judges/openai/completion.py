"""A chat completion as a value: what an endpoint answered, or why there is no answer."""

from typing import Any

from pydantic import BaseModel, ValidationError


class NoAnswer(Exception):
    """The endpoint did not answer. `reason` is a plain sentence without secrets or text from strangers."""

    def __init__(self, reason: str, *, retry: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry = retry


class CutOff(Exception):
    """The answer reached the token cap before it was complete."""


class _Function(BaseModel):
    name: str = ""
    arguments: str = ""


class ToolRequest(BaseModel):
    """One call of a tool that a model asks for. arguments: JSON text, as the model wrote it."""

    id: str = ""
    function: _Function = _Function()


class _Message(BaseModel):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
    tool_calls: list[ToolRequest] | None = None

    def text(self) -> str:
        if self.tool_calls:
            return self.tool_calls[0].function.arguments
        if isinstance(self.content, list):
            return "".join(str(part.get("text") or "") for part in self.content)
        return self.content or ""


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Tokens(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(BaseModel):
    """Only what is read: compatible endpoints leave out much of what the original sends."""

    choices: list[_Choice]
    usage: _Tokens | None = None


def parse(raw: bytes) -> Completion | None:
    try:
        completion = Completion.model_validate_json(raw)
    except ValidationError:
        return None
    return completion if completion.choices else None


def text_of(completion: Completion) -> str:
    """Raises NoAnswer for a refusal, CutOff for an answer that reached the cap."""
    choice = completion.choices[0]
    if choice.finish_reason == "content_filter":
        raise NoAnswer("the model's content filter stopped the answer", retry=False)
    if choice.message.refusal:
        raise NoAnswer("the model refused to answer", retry=False)
    if choice.finish_reason == "length":
        raise CutOff
    return choice.message.text()
