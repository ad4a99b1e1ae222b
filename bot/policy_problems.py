"""Pydantic's complaints about a policy, in plain words with the mend. What is quoted stands in code spans."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from bot.markdown.tree import fenced_lines
from bot.plain_text import join_words
from bot.strict_yaml import Path, code_span

LABEL_PATTERN = r"^\S([^\x00-\x1f\x7f]*\S)?$"
LOGIN_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$"
EMAIL_PATTERN = r"^[^\s<>@\x00-\x1f\x7f]+@[^\s<>@\x00-\x1f\x7f]+$"
SIGN_PATTERN = r"^[^\s\x00-\x1f\x7f…][^\x00-\x1f\x7f…]{3,}…?$"
COMMAND_PATTERN = r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$"
BRANCH_PATTERN = r"^[^\x00-\x20\x7f~^:?*\[\\]+$"
TEAM_PATTERN = r"^[a-z0-9][a-z0-9_-]*$"
FOLDER_PATTERN = r"^(\.|[A-Za-z0-9_@][A-Za-z0-9_.@-]*(/[A-Za-z0-9_@][A-Za-z0-9_.@-]*)*)$"
IMAGE_PATTERN = r"^[a-z0-9][a-z0-9._/:-]*(@sha256:[0-9a-f]{64})?$"
BRANCH_GLOB_PATTERN = r"^[^\x00-\x20\x7f~^:?\[\\/!][^\x00-\x20\x7f~^:?\[\\]*$"
LINE_PATTERN = r"^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$"
PATH_GLOB_PATTERN = r"^[^\s\x00-\x1f\x7f/!.\\]([^\x00-\x1f\x7f\\]*)$|^\.[^\x00-\x1f\x7f/\\]([^\x00-\x1f\x7f\\]*)$"
QUESTION_PATTERN = r"^(?:[^<\x00-\x1f\x7f]|<+[^<A-Za-z/!?\x00-\x1f\x7f])+<*$"
# Nothing that begins HTML: an open element or comment could hide what stands below it.
MARKDOWN_PATTERN = r"^(?:[^<\x00-\x08\x0b-\x1f\x7f]|<+[^<A-Za-z/!?\x00-\x08\x0b-\x1f\x7f])*<*$"

_PATTERNS = {
    LABEL_PATTERN: "a label is one line without spaces at its ends",
    LOGIN_PATTERN: "write a login as GitHub shows it, without @, such as `octocat` or `renovate[bot]`",
    EMAIL_PATTERN: "write a mail address without name and `<>`, such as `coder@acme.example`",
    SIGN_PATTERN: "write how one line begins, at least four characters of it, with `…` at the end for what differs",
    COMMAND_PATTERN: "write one command line; several go into a list of `setup` or a script of the repository",
    BRANCH_PATTERN: "write how the branch's name begins, such as `bot/`, without patterns",
    TEAM_PATTERN: "write the team's slug as in its address, such as `core` of `github.com/orgs/acme/teams/core`",
    BRANCH_GLOB_PATTERN: "write a branch's name, in which `*` is anything up to the next `/` and `**` anything",
    LINE_PATTERN: "write one line without spaces at its ends",
    PATH_GLOB_PATTERN: "write a path from the repository's root such as `docs/**`, without `/`, `./` or `!` before it",
    MARKDOWN_PATTERN: "write Markdown without HTML or addresses in `<>`",
    QUESTION_PATTERN: "write one line of Markdown without HTML or addresses in `<>`",
    FOLDER_PATTERN: "write a folder from the repository's root, such as `services/api`",
    IMAGE_PATTERN: "write an image as `docker pull` takes it, such as `python:3.12-slim`",
}
_WANTED = {
    "bool_type": "`true` or `false`",
    "int_type": "a whole number",
    "string_type": "text",
    "tuple_type": "a list",
    "model_type": "a mapping of keys",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "string_too_short": "at least {min_length} character long",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
    "string_too_long": "at most {max_length} characters long",
}
_BOOLEANS = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}


def explain(detail: ErrorDetails, model: type[BaseModel]) -> str:
    """What is wrong and what to write instead."""
    path, kind, given, context = detail["loc"], detail["type"], detail["input"], detail.get("ctx", {})
    name = key_path(path)
    if kind == "extra_forbidden":
        return _unknown_key(path, model)
    if kind in ("enum", "literal_error"):
        found = re.findall(r"'([^']*)'|(\d+|False|True)", context["expected"])
        choices = [quote or bare.lower() for quote, bare in found]
        return f"{name} must be {_listed(choices, 'or')}, not {_shown(given)}{_did_you_mean(str(given), choices)}"
    if kind == "string_pattern_mismatch":
        return f"{name} must not be {_shown(given)}; {_PATTERNS[context['pattern']]}"
    if kind == "missing":
        return f"{name} is missing; each entry needs it"
    if kind in _WANTED:
        return f"{name} must be {_WANTED[kind].format(**context)}, not {_shown(given)}{_mend(kind, given)}"
    return f"{name} {detail['msg']}"


def opens_code(text: str) -> bool:
    """Whether a block of code is open at the end of this Markdown."""
    return fenced_lines(f"{text}\n.".replace("\r\n", "\n"))[-1]


def key_path(path: Path) -> str:
    """A place in the file as people write it: `issues.exempt.authors[0]`, in a code span."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return code_span(text.removeprefix("."))


def _unknown_key(path: Path, model: type[BaseModel]) -> str:
    known = list(_section(model, path[:-1]).model_fields)
    inside = f" in {key_path(path[:-1])}" if path[:-1] else ""
    key = str(path[-1])
    mend = _did_you_mean(key, known) or f"; known keys are {_listed(known, 'and')}"
    return f"unknown key {code_span(key)}{inside}{mend}"


def _section(model: type[BaseModel], path: Path) -> type[BaseModel]:
    for key in path:
        if isinstance(key, int):  # one of a list
            continue
        annotation = model.model_fields[key].annotation
        annotation = next(iter(get_args(annotation)), annotation)
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            raise TypeError(f"{path} is not a section")
        model = annotation
    return model


def _mend(kind: str, given: object) -> str:
    if kind == "bool_type" and str(given).lower() in _BOOLEANS:
        return f"; write `{_BOOLEANS[str(given).lower()]}`"
    if kind == "int_type" and isinstance(given, str) and given.strip().isdecimal():
        return "; write it without quotes"
    if kind == "string_type" and isinstance(given, bool | int | float):
        return "; write it in quotes"
    if kind == "tuple_type" and isinstance(given, str):
        return "; write one entry a line, each after `- `"
    if given is None:
        return "; give it a value or remove the key"
    return ""


def _shown(given: object) -> str:
    match given:
        case None:
            return "empty"
        case bool():
            return "`true`" if given else "`false`"
        case dict():
            return "a mapping of keys"
        case list():
            return "a list" if given else "an empty list"
        case "":
            return "empty text"
        case str():
            return f"the text {code_span(given)}"
        case _:
            return code_span(given)


def _did_you_mean(given: str, known: Sequence[str]) -> str:
    if given in known:
        return "; write it without quotes"
    close = get_close_matches(given.lower().replace("-", "_"), known, n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else ""


def _listed(words: Sequence[str], last: str) -> str:
    return join_words([f"`{word}`" for word in words], last)
