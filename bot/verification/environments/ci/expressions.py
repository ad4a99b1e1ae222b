"""GitHub's expressions (`${{ … }}`), as far as literals settle them. What only a run knows is `UNKNOWN`."""

import ast
import json
import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, Final

UNKNOWN: Final = object()
LONGEST = 2000  # characters of one expression
_MARKED = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\d+(?:\.\d+)?|[A-Za-z_][\w-]*|==|!=|<=|>=|&&|\|\||[!<>()\[\].,*])")
_IN_PYTHON = {"&&": "and", "||": "or", "!": "~"}  # `!` binds as tightly as that, `not` does not
_DASH = "ǃ"  # in a name, where Python's grammar has none; it is a letter, and stays as it is
_LITERALS: dict[str, object] = {"true": True, "false": False, "null": None}
_FUNCTIONS: dict[str, Callable[..., object]] = {
    "failure": lambda: False,
    "cancelled": lambda: False,
    "contains": lambda whole, part: part in whole if isinstance(whole, list) else _low(part) in _low(whole),
    "startswith": lambda whole, part: _low(whole).startswith(_low(part)),
    "format": lambda text, *given: re.sub(r"\{(\d)\}", lambda at: as_text(given[int(at[1])]), text),
    "fromjson": json.loads,
}
Contexts = Mapping[str, object]  # `matrix`, `env`, …: what is not among them nobody knows


def value_of(text: str, known: Contexts) -> Any:
    """What an expression, without its marks, gives."""
    written, at = [], 0
    while found := _TOKEN.match(text, at):
        token, at = found[1], found.end()
        if token[0].isalpha() or token[0] == "_":
            token = "_" + token.replace("-", _DASH)
        written.append(repr(token[1:-1].replace("''", "'")) if token[0] == "'" else _IN_PYTHON.get(token, token))
    if text[at:].strip() or len(text) > LONGEST:
        return UNKNOWN
    try:
        return _value(ast.parse(" ".join(written), mode="eval").body, known)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, SyntaxError, MemoryError):
        return UNKNOWN


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


def _value(node: ast.expr, known: Contexts) -> Any:
    """Of an expression in Python's grammar, with names as `value_of` writes them."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name():
            name = _name(node.id)
            return _LITERALS.get(name.lower(), known.get(name, UNKNOWN))
        case ast.BoolOp(values=values):
            return reduce(_either if isinstance(node.op, ast.Or) else _both, (_value(each, known) for each in values))
        case ast.UnaryOp(op=ast.Invert()):
            value = _value(node.operand, known)
            return value if value is UNKNOWN else not value
        case ast.Compare(ops=[sign], comparators=[right]):
            return _compared(type(sign), _value(node.left, known), _value(right, known))
        case ast.Call(func=ast.Name(id=name)):
            given, function = [_value(each, known) for each in node.args], _FUNCTIONS.get(_name(name).lower())
            return UNKNOWN if function is None or UNKNOWN in given else function(*given)
        case ast.Attribute():
            return _within(_value(node.value, known), _name(node.attr))
        case ast.Subscript():
            return _within(_value(node.value, known), _value(node.slice, known))
    raise ValueError


def _name(written: str) -> str:
    return written[1:].replace(_DASH, "-")


def _either(left: Any, right: Any) -> Any:
    if left is UNKNOWN:
        return right or UNKNOWN
    return left or right


def _both(left: Any, right: Any) -> Any:
    if left is UNKNOWN:
        return UNKNOWN if right else right
    return left and right


def _compared(sign: type[ast.cmpop], left: Any, right: Any) -> Any:
    if left is UNKNOWN or right is UNKNOWN or sign not in (ast.Eq, ast.NotEq):
        return UNKNOWN
    return (_low(left) == _low(right)) is (sign is ast.Eq)


def _within(value: Any, key: object) -> Any:
    if value is UNKNOWN:
        return value
    inside = isinstance(value, dict) and as_text(key) in value
    return value[as_text(key)] if inside else value[int(as_text(key))] if isinstance(value, list) else None
