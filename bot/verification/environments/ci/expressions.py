"""GitHub's expressions (`${{ … }}`), as far as literals settle them. What only a run knows is `UNKNOWN`."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

UNKNOWN: Final = object()
LONGEST = 2000  # characters of one expression
_MARKED = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\d+(?:\.\d+)?|[A-Za-z_][\w-]*|==|!=|<=|>=|&&|\|\||[!<>()\[\].,*])")
_LITERALS: dict[str, object] = {"true": True, "false": False, "null": None}
_FUNCTIONS: dict[str, Callable[..., object]] = {
    "always": lambda: True,
    "success": lambda: True,
    "failure": lambda: False,
    "cancelled": lambda: False,
    "contains": lambda whole, part: part in whole if isinstance(whole, list) else _low(part) in _low(whole),
    "startswith": lambda whole, part: _low(whole).startswith(_low(part)),
    "endswith": lambda whole, part: _low(whole).endswith(_low(part)),
    "format": lambda text, *given: re.sub(r"\{(\d)\}", lambda at: as_text(given[int(at[1])]), text),
    "join": lambda items, mark=",": mark.join(map(as_text, items)) if isinstance(items, list) else as_text(items),
    "tojson": json.dumps,
    "fromjson": json.loads,
}
Contexts = Mapping[str, object]  # `matrix`, `env`, …: what is not among them nobody knows


def value_of(text: str, known: Contexts) -> Any:
    """What an expression, without its marks, gives."""
    tokens, at = [], 0
    while found := _TOKEN.match(text, at):
        tokens.append(found[1])
        at = found.end()
    if text[at:].strip() or len(text) > LONGEST:
        return UNKNOWN
    try:
        reader = _Reader(tokens, known)
        value = reader.either()
        return UNKNOWN if reader.tokens else value
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return UNKNOWN


def resolve(value: object, known: Contexts) -> Any:
    """The value with its expressions resolved; UNKNOWN where one of a text is not known."""
    if isinstance(value, list):
        return [item for item in (resolve(each, known) for each in value) if item is not UNKNOWN]
    if isinstance(value, dict):
        return {key: resolve(each, known) for key, each in value.items()}
    if not isinstance(value, str) or "${{" not in value:
        return value
    if whole := re.fullmatch(r"\s*\$\{\{((?:(?!\}\}).)*)\}\}\s*", value, re.DOTALL):
        return value_of(whole[1], known)
    found = [value_of(each, known) for each in _MARKED.findall(value)]
    if any(each is UNKNOWN for each in found):
        return UNKNOWN
    values = iter(found)
    return _MARKED.sub(lambda _: as_text(next(values)), value)


def text_of(value: object, known: Contexts) -> str:
    """A text in which what nobody knows is left out; empty where a secret is asked for."""
    if re.search(r"\$\{\{[^}]*\bsecrets\b", text := as_text(value)):
        return ""
    found = (value_of(each, known) for each in _MARKED.findall(text))
    values = iter(["" if each is UNKNOWN else as_text(each) for each in found])
    return _MARKED.sub(lambda _: next(values), text)


def may_hold(condition: object, known: Contexts) -> bool:
    """Whether an `if:` lets its step run, as far as anybody knows."""
    if condition is None or isinstance(condition, bool):
        return condition is not False
    inner = _MARKED.sub(lambda found: f"({found[1]})", str(condition))
    value = value_of(inner, known)
    return value is UNKNOWN or bool(value)


def as_text(value: object) -> str:
    """A value as GitHub writes it into a text."""
    if value is None or value is UNKNOWN:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value) if isinstance(value, list | dict) else str(value)


def _low(value: object) -> str:
    return as_text(value).lower()


class _Reader:
    """Reads tokens from the left. `tokens` are those that are left, the next one last."""

    def __init__(self, tokens: list[str], known: Contexts) -> None:
        self.tokens, self._known = tokens[::-1], known

    def either(self) -> Any:
        left = self._both()
        while self._take("||"):
            right = self._both()
            left = left if left is not UNKNOWN and left else UNKNOWN if left is UNKNOWN and not right else right
        return left

    def _both(self) -> Any:
        left = self._compared()
        while self._take("&&"):
            right = self._compared()
            if left is UNKNOWN:
                left = right if right is not UNKNOWN and not right else UNKNOWN
            else:
                left = right if left else left
        return left

    def _compared(self) -> Any:
        left = self._one()
        for sign in ("==", "!=", "<=", ">=", "<", ">"):
            if self._take(sign):
                right = self._one()
                if left is UNKNOWN or right is UNKNOWN:
                    return UNKNOWN
                same = _low(left) == _low(right)
                if sign in ("==", "!="):
                    return same is (sign == "==")
                less = float(left) < float(right)
                return (same and "=" in sign) or (less if sign[0] == "<" else not less and not same)
        return left

    def _one(self) -> Any:
        if self._take("!"):
            value = self._one()
            return value if value is UNKNOWN else not value
        first = self.tokens.pop()
        if first in "(":
            value = self.either()
            self._need(")")
        elif first[0] == "'":
            return first[1:-1].replace("''", "'")
        elif first[0].isdigit():
            return float(first) if "." in first else int(first)
        elif first.lower() in _LITERALS:
            return _LITERALS[first.lower()]
        elif self._take("("):
            value = self._called(first.lower())
        else:
            value = self._known.get(first, UNKNOWN)
        return self._within(value)

    def _called(self, name: str) -> Any:
        given = []
        while not self._take(")"):
            given.append(self.either())
            self._take(",")
        if name not in _FUNCTIONS or UNKNOWN in given:
            return UNKNOWN
        return _FUNCTIONS[name](*given)

    def _within(self, value: Any) -> Any:
        while self.tokens and self.tokens[-1] in (".", "["):
            if self._take("."):
                key: object = self.tokens.pop()
            else:
                self._need("[")
                key = self.either()
                self._need("]")
            if value is not UNKNOWN:
                inside = isinstance(value, dict) and as_text(key) in value
                value = value[as_text(key)] if inside else value[int(as_text(key))] if isinstance(value, list) else None
        return value

    def _take(self, token: str) -> bool:
        if self.tokens and self.tokens[-1] == token:
            self.tokens.pop()
            return True
        return False

    def _need(self, token: str) -> None:
        if not self._take(token):
            raise ValueError(token)
