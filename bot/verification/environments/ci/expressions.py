"""GitHub's expressions (`${{ … }}`), as far as names settle them: a name, its opposite, a name beside a literal. What
else one says, and what only a run knows, is `UNKNOWN`."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

UNKNOWN: Final = object()
_MARKED = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_NAME = r"[A-Za-z_][\w-]*(?:\.[\w-]+)*(?:\(\))?"
_READ = re.compile(rf"\s*(!?)\s*({_NAME})\s*(?:(==|!=)\s*('[^']*'|[\w.]+)\s*)?")
_LITERALS: dict[str, object] = {"true": True, "false": False, "null": None, "failure()": False, "cancelled()": False}
Contexts = Mapping[str, object]  # `matrix`, `env`, …: what is not among them nobody knows


def value_of(text: str, known: Contexts) -> Any:
    """What an expression, without its marks, gives."""
    found = _READ.fullmatch(text)
    if found is None:
        return UNKNOWN
    opposite, name, sign, literal = found.groups()
    first, *rest = name.split(".")
    value = _LITERALS.get(name.lower(), known.get(first, UNKNOWN))
    for key in rest:
        value = value if value is UNKNOWN else value.get(key) if isinstance(value, dict) else None
    if value is not UNKNOWN and sign:
        value = (as_text(value).lower() == literal.strip("'").lower()) is (sign == "==")
    return not value if opposite and value is not UNKNOWN else value


def _parts(text: str, known: Contexts) -> list[Any]:
    """What a text is made of: plain text, the value of an expression, plain text, and so on."""
    return [value_of(part, known) if at % 2 else part for at, part in enumerate(_MARKED.split(text))]


def resolve(value: object, known: Contexts) -> Any:
    """The value with its expressions resolved; UNKNOWN where one of a text is not known."""
    if isinstance(value, list):
        return [item for item in (resolve(each, known) for each in value) if item is not UNKNOWN]
    if isinstance(value, dict):
        return {key: resolve(each, known) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    before, *parts = _parts(value, known)
    if len(parts) == 2 and not (before + parts[1]).strip():
        return parts[0]
    return UNKNOWN if any(each is UNKNOWN for each in parts) else before + "".join(map(as_text, parts))


def text_of(value: object, known: Contexts) -> str:
    """A text in which what nobody knows is left out; empty where a secret is asked for."""
    text = as_text(value)
    secret = any("secrets" in each for each in _MARKED.findall(text))
    return "" if secret else "".join(map(as_text, _parts(text, known)))


def may_hold(condition: object, known: Contexts) -> bool:
    """Whether an `if:` lets its step run, as far as anybody knows."""
    text = _MARKED.sub(r"\1", as_text(condition))
    values = [] if "||" in text else [value_of(part, known) for part in text.split("&&")]
    return all(value is UNKNOWN or bool(value) for value in values)


def as_text(value: object) -> str:
    """A value as GitHub writes it into a text."""
    if value is None or value is UNKNOWN:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, list | dict) else str(value)
