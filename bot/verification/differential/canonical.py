"""Values as text, inside the sandbox: by structure and through the methods of the plain types only.

`type()` cannot lie, and an object's own `__eq__`, `__repr__`, `__iter__` or `__class__` is never asked. Iterators are
what they yield, numpy's arrays and scalars what they list. Standard library only.
"""

import builtins
import collections
import contextlib
import datetime
import decimal
import fractions
import hashlib
import pathlib
import types
from collections.abc import Callable, Iterable
from typing import Any

TEXT = 20_000  # characters of one value; what is longer is cut and ends in its digest
ITEMS = 500  # taken from an iterator, which may never end
DEPTH = 60
LARGE = 10**4000  # beyond which Python writes no decimal digits


def canonical(value: Any) -> str:
    """A Python expression for a value; for an object of no plain type its type's name called with its attributes."""
    text = _text(value, 0, ())
    if len(text) <= TEXT:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    return f"Cut({str.__repr__(text[:500])}, {len(text)}, '{digest}')"


def _text(value: Any, depth: int, above: tuple[int, ...]) -> str:
    kind = type(value)
    if kind.__module__ == "numpy" and hasattr(kind, "tolist"):
        value = value.tolist()
        kind = type(value)
    for plain, write in _SCALARS:
        if issubclass(kind, plain):
            return write(value)
    if kind in _PATHS and type(path := pathlib.PurePath.__str__(value)) is str:  # attributes keep what was asked before
        return f"{kind.__name__}({str.__repr__(path)})"
    if depth > DEPTH or id(value) in above:
        return "Deep()"
    above = (*above, id(value))

    def items(of: Iterable[Any]) -> list[str]:
        return [_text(item, depth + 1, above) for item in of]

    if issubclass(kind, list):
        return f"[{', '.join(items(list.__iter__(value)))}]"
    if issubclass(kind, tuple):
        inner = items(tuple.__iter__(value))
        return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"
    if issubclass(kind, set):
        return f"{{{', '.join(sorted(items(set.__iter__(value))))}}}" if set.__len__(value) else "set()"
    if issubclass(kind, frozenset):
        return f"frozenset({{{', '.join(sorted(items(frozenset.__iter__(value))))}}})"
    if issubclass(kind, dict):
        pairs = zip(items(dict.keys(value)), items(dict.values(value)))  # noqa: B905 (Python 3.9 has no `strict`)
        return f"{{{', '.join(sorted(f'{key}: {item}' for key, item in pairs))}}}"
    if issubclass(kind, collections.deque):
        return f"deque([{', '.join(items(collections.deque.__iter__(value)))}])"
    if kind in _ITERATED or hasattr(kind, "__next__"):
        return f"iter([{', '.join(items(_first(value)))}])"
    attributes = vars(value) if type(getattr(value, "__dict__", None)) is dict and kind.__module__ != "builtins" else {}
    attributes = {**_slots(value), **attributes}
    if kind in (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodType, type):
        attributes = {}
    inner = [f"{key}={_text(item, depth + 1, above)}" for key, item in sorted(attributes.items()) if key.isidentifier()]
    return f"{_name(kind)}({', '.join(inner)})"


def _slots(value: Any) -> dict[str, Any]:
    """The attributes that an object keeps in places of their own."""
    found = {}
    for kind in type.mro(type(value))[:-1]:
        for name, place in vars(kind).items():
            if type(place) is types.MemberDescriptorType and kind.__module__ != "builtins":
                with contextlib.suppress(AttributeError):
                    found[name] = place.__get__(value)
    return found


def _name(kind: type) -> str:
    """The type's name, unless the program chose it to look like something else."""
    name = type.__dict__["__name__"].__get__(kind)
    plain = name.isidentifier() and (kind.__module__ == "builtins" or not hasattr(builtins, name))
    return name if plain else "Unnamed"


def _first(iterable: Iterable[Any]) -> list[Any]:
    taken: list[Any] = []
    for item in iterable:
        if len(taken) == ITEMS:
            taken.append(...)
            break
        taken.append(item)
    return taken


def _integer(value: int) -> str:
    return int.__repr__(value) if -LARGE < value < LARGE else int.__format__(value, "#x")


def _float(value: float) -> str:
    text = float.__repr__(value)
    return f"float('{text}')" if text[-1] in "nf" else text


def _complex(value: complex) -> str:
    plain = complex.__add__(value, 0j)
    return f"complex({_float(plain.real)}, {_float(plain.imag)})"


_SHOWN = (str, bytes, bytearray, range, slice, decimal.Decimal, fractions.Fraction)
_TIMES = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta)
_SCALARS: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (type(None), lambda value: "None"),
    (type(...), lambda value: "..."),
    (bool, bool.__repr__),
    (int, _integer),
    (float, _float),
    (complex, _complex),
    *((kind, kind.__repr__) for kind in (*_SHOWN, *_TIMES)),
)
_PATHS = (pathlib.PosixPath, pathlib.PurePosixPath, pathlib.PureWindowsPath)
_ITERATED: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
