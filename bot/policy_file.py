"""A policy as a file: read, refused with each problem and its mend, or described as JSON Schema.

A policy that is absent, one that could not be read and one that is invalid are three different things. Here lives only
the third: `load` raises `PolicyError`. Absent is the caller's `None` (then the owner's `.github` repository, then the
default policy); unreadable is the error that the reading itself raised.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from bot.policy import Policy
from bot.policy_problems import explain
from bot.strict_yaml import Path, Position, YamlError, read

PATH = ".github/bouncer.yml"
MAX_PROBLEMS = 50  # as many annotations as GitHub takes in one call


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a policy, and the mend.

    line, column: of the key or value at fault, from 1.
    message: safe to show as Markdown; what it quotes from the file stands in code spans.
    path: the file, e.g. `.github/bouncer.yml`.
    """

    line: int
    column: int
    message: str
    path: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class PolicySource:
    """The file that a policy was read from. path: with the repository before it where it is not the judged one's own.
    sha256: of its bytes. Both are empty for the default policy."""

    path: str = ""
    sha256: str = ""

    @classmethod
    def of(cls, text: str | bytes, path: str = PATH) -> "PolicySource":
        """Of a file that holds this."""
        return cls(path, hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest())


class PolicyError(Exception):
    """The policy is there and could be read, but is not valid. `problems` is never empty and ordered by place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))[:MAX_PROBLEMS]
        super().__init__("\n".join(map(str, self.problems)))


def load(text: str | bytes, where: str = PATH) -> Policy:
    """The policy a file holds; an empty file is the default policy. `where` names the file in problems.

    Raises `PolicyError` when the file is not UTF-8, not strict YAML (see `bot.strict_yaml`) or not a valid policy.
    """
    try:
        document = read(text)
    except YamlError as error:
        raise PolicyError([_problem(error.position, error.message, where)]) from None
    if document.data is None:
        return Policy()
    if not isinstance(document.data, dict):
        message = "a policy is a mapping of keys, such as `mode: advise`"
        raise PolicyError([_problem(document.values[()], message, where)])
    try:
        # Strict validation of JSON takes arrays for tuples and texts for enumerations, and guesses nothing else.
        return Policy.model_validate_json(json.dumps(document.data))
    except ValidationError as error:
        raise PolicyError(
            # An unknown key is pointed at itself, anything else at its value.
            _problem(
                _place(detail["loc"], document.keys if detail["type"] == "extra_forbidden" else document.values),
                explain(detail, Policy),
                where,
            )
            for detail in error.errors(include_url=False)
        ) from None


def schema() -> dict[str, Any]:
    """The JSON Schema of the file, published as docs/bouncer.schema.json."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Policy.model_json_schema(),
        "title": "Bouncer policy",
    }


def _problem(position: Position, message: str, where: str) -> Problem:
    return Problem(position.line, position.column, message, where)


def _place(path: Path, places: Mapping[Path, Position]) -> Position:
    while path not in places:
        path = path[:-1]
    return places[path]
