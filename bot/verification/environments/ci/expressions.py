"""GitHub's expressions (`${{ … }}`), as far as literals settle them. What only a run knows is `UNKNOWN`."""

import ast
import json
import operator
import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, Final

UNKNOWN: Final = object()
LONGEST = 2000  # characters of one expression
_MARKED = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\d+(?:\.\d+)?|[A-Za-z_][\w-]*|==|!=|<=|>=|&&|\|\||[!<>()\[\].,*])")
_IN_PYTHON = {"&&": "and", "||": "or", "!": "~"}  # `!` binds as tightly as that, `not` does not
_ORDERS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
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
    written, names, at = [], list[str](), 0
    while found := _TOKEN.match(text, at):
        token, at = found[1], found.end()
        if token[0].isalpha() or token[0] == "_":  # in Python, a name has no dash
            names.append(token)
            token = f"_{len(names) - 1}"
        written.append(repr(token[1:-1].replace("''", "'")) if token[0] == "'" else _IN_PYTHON.get(token, token))
    if text[at:].strip() or len(text) > LONGEST:
        return UNKNOWN
    try:
        return _Reader(names, known).value(ast.parse(" ".join(written), mode="eval").body)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, SyntaxError, MemoryError):
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
    """Gives the value of an expression in Python's grammar. names: those that stand in it by their number."""

    def __init__(self, names: list[str], known: Contexts) -> None:
        self._names, self._known = names, known

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name():
                name = self._name(node.id)
                return _LITERALS.get(name.lower(), self._known.get(name, UNKNOWN))
            case ast.BoolOp(op=ast.Or()):
                return reduce(_either, map(self.value, node.values))
            case ast.BoolOp():
                return reduce(_both, map(self.value, node.values))
            case ast.UnaryOp(op=ast.Invert()):
                value = self.value(node.operand)
                return value if value is UNKNOWN else not value
            case ast.Compare(ops=[sign], comparators=[right]):
                return _compared(type(sign), self.value(node.left), self.value(right))
            case ast.Call(func=ast.Name(id=name)):
                given, function = [self.value(each) for each in node.args], _FUNCTIONS.get(self._name(name).lower())
                return UNKNOWN if function is None or UNKNOWN in given else function(*given)
            case ast.Attribute():
                return _within(self.value(node.value), self._name(node.attr))
            case ast.Subscript():
                return _within(self.value(node.value), self.value(node.slice))
        raise ValueError

    def _name(self, numbered: str) -> str:
        return self._names[int(numbered[1:])]


def _either(left: Any, right: Any) -> Any:
    if left is UNKNOWN:
        return right or UNKNOWN
    return left or right


def _both(left: Any, right: Any) -> Any:
    if left is UNKNOWN:
        return UNKNOWN if right else right
    return left and right


def _compared(sign: type[ast.cmpop], left: Any, right: Any) -> Any:
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if sign in (ast.Eq, ast.NotEq):
        return (_low(left) == _low(right)) is (sign is ast.Eq)
    return _ORDERS[sign](float(left), float(right))


def _within(value: Any, key: object) -> Any:
    if value is UNKNOWN:
        return value
    inside = isinstance(value, dict) and as_text(key) in value
    return value[as_text(key)] if inside else value[int(as_text(key))] if isinstance(value, list) else None
