"""GitHub's expressions (`${{ … }}`), as far as names settle them: a name, its opposite, a name beside a literal. What
else one says, and what only a run knows, is `UNKNOWN`: a character that no text has."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

UNKNOWN: Final = "\0"
_LONGEST = 2000  # characters of one expression
_MARKED = re.compile(r"\$\{\{((?:[^$]|\$(?!\{\{))*?)\}\}")  # none within another, so that all are read once
_NAME = r"[A-Za-z_][\w-]*(?:\.[\w-]+)*(?:\(\))?"
_LITERAL = r"'[^']*'|-?\d+(?:\.\d+)?|(?i:true|false|null)"
_READ = re.compile(rf"(!?)\s*({_NAME})\s*(?:(==|!=)\s*({_LITERAL}))?")
_LITERALS: dict[str, object] = {"true": True, "false": False, "null": None, "failure()": False, "cancelled()": False}
Contexts = Mapping[str, object]  # `matrix`, `env`, …: what is not among them nobody knows


def value_of(text: str, known: Contexts) -> Any:
    """What an expression, without its marks, gives."""
    text = text.strip()
    found = _READ.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return UNKNOWN
    opposite, name, sign, literal = found.groups()
    first, *rest = name.split(".")
    value = _LITERALS.get(name.lower(), known.get(first, UNKNOWN))
    for key in rest:
        value = value if value == UNKNOWN else value.get(key) if isinstance(value, dict) else None
    if value != UNKNOWN and sign:
        right = "" if literal.lower() == "null" else literal.strip("'").lower()
        value = (as_text(value).lower() == right) is (sign == "==")
    return not value if opposite and value != UNKNOWN else value


def resolve(value: object, known: Contexts) -> Any:
    """The value with what its expressions give. An `if` stays as it is."""
    if isinstance(value, list):
        return [resolve(each, known) for each in value]
    if isinstance(value, dict):
        return {key: each if key == "if" else resolve(each, known) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    parts = [value_of(part, known) if at % 2 else part for at, part in enumerate(_MARKED.split(value))]
    whole = len(parts) == 3 and not (parts[0] + parts[2]).strip()
    return parts[1] if whole else "".join(map(as_text, parts))


def may_hold(condition: object, known: Contexts) -> bool:
    """Whether an `if:` lets its step run, as far as anybody knows."""
    text = _MARKED.sub(r"\1", as_text(condition))
    values = [] if "||" in text else [value_of(part, known) for part in text.split("&&")]
    return all(map(bool, values))


def as_text(value: object) -> str:
    """A value as GitHub writes it into a text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, list | dict) else str(value)
