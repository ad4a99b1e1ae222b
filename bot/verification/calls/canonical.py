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
import functools
import hashlib
import pathlib
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

TEXT = 20_000  # characters of one value; what is longer is cut and ends in its digest
SHOWN = 500  # of them, of one that is cut
ITEMS = 500  # taken from an iterator, which may never end
DEPTH = 60
PARTS = 1000  # of a value that is in use
PART = 200  # characters that count as one
LARGE = 10**4000  # beyond which Python writes no decimal digits
UNWRITTEN = "(...)"  # behind the name of what holds something that is not written
HEAP = 1 << 9  # of types: made by a program, or by an extension as one


class InUse(Exception):
    """A value cannot be written without being used up, or asked, or for long."""


def canonical(value: Any) -> str:
    """A Python expression for a value; for an object of no plain type its type's name called with its attributes."""
    return cut(_text(value, 0, ()), TEXT)


def state(value: Any) -> str:
    """Of an object of the program's the attributes that others may use, and else what it is; of objects in either these
    alone, too, where there are any: what a program keeps for itself is no behaviour."""
    if not is_object(value):
        return cut(_text(value, 0, (), shown=True), TEXT)
    own = ((name, each) for name, each in sorted(_attributes(value).items()) if not name.startswith("_"))
    parts = (f"{name}={cut(_text(each, 0, (), shown=True), TEXT)}" for name, each in own)
    return f"{_name(type(value))}({', '.join(parts)})"


def is_object(value: Any) -> bool:
    """Whether a value is an instance of a class, and no collection."""
    plain = (type, types.ModuleType, list, tuple, dict, set, frozenset, collections.deque, str, bytes, int, float)
    return not issubclass(type(value), plain) and type(value).__module__ != "builtins"


def canonical_of_live(value: Any, most: int) -> str:
    """The same of a value that a program goes on with. Raises InUse where that would be felt. most: characters."""
    return cut(_text(value, 0, (), [PARTS]), most)


def cut(text: str, most: int) -> str:
    """Of a text that is longer its beginning and its digest."""
    if len(text) <= most:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    return f"Cut({str.__repr__(text[:SHOWN])}, {len(text)}, '{digest}')"


def _text(value: Any, depth: int, above: tuple[int, ...], left: list[int] | None = None, *, shown: bool = False) -> str:
    """left: how many more parts may be written of a value that is in use. shown: of objects what others may use, where
    there is any."""
    kind = type(value)
    if left:
        left[0] -= 1 + _size(value, kind)
        if left[0] <= 0 or hasattr(kind, "__next__") or kind in _AWAITED:
            raise InUse
    if _is_numpy(kind):
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
        return [_text(item, depth + 1, above, left, shown=shown) for item in of]

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
    if left and _asks(kind):
        raise InUse
    if kind is types.BuiltinFunctionType and type(value.__self__) is types.ModuleType:
        return f"{_name(kind)}({vars(value.__self__).get('__name__')!r}, {value.__name__!r})"
    attributes = _attributes(value)
    if not attributes and _is_closed(kind):
        return f"{_name(kind)}{UNWRITTEN}"
    named = [(key, item) for key, item in sorted(attributes.items()) if key.isidentifier()]
    public = [each for each in named if not each[0].startswith("_")] if shown else []
    inner = [f"{key}={_text(item, depth + 1, above, left, shown=shown)}" for key, item in public or named]
    return f"{_name(kind)}({', '.join(inner)})"


def _attributes(value: Any) -> dict[str, Any]:
    kind = type(value)
    if kind in (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodType, type):
        return {}
    if kind is functools.partial:  # beside them it tells where things lie in memory
        return {"func": value.func, "args": value.args, "keywords": value.keywords, **vars(value)}
    own = type(getattr(value, "__dict__", None)) is dict and _is_made(kind)
    return {**_slots(value), **(vars(value) if own else {})}


def _size(value: Any, kind: type) -> int:
    """In parts, of what is written in one go."""
    for plain in (str, bytes, bytearray):
        if issubclass(kind, plain):
            return plain.__len__(value) // PART
    return int(value.size) if _is_numpy(kind) else 0


def _is_made(kind: type) -> bool:
    """Whether a program or an extension made the type: what a class says of its module is its own word."""
    return bool(type.__dict__["__flags__"].__get__(kind) & HEAP)


def _is_closed(kind: type) -> bool:
    """Whether what an object of the type is made of lies in no attribute."""
    made = [vars(each) for each in type.mro(kind) if _is_made(each)]
    return not any("__dict__" in each or "__slots__" in each for each in made)


def _is_numpy(kind: type) -> bool:
    numpy = sys.modules.get("numpy")
    return hasattr(kind, "tolist") and getattr(numpy, type.__dict__["__name__"].__get__(kind), None) is kind


def _asks(kind: type) -> bool:
    """Whether code of the program's says what attributes an object has."""
    own = (vars(each) for each in type.mro(kind) if _is_made(each))
    return any("__getattr__" in each or "__getattribute__" in each for each in own)


def _slots(value: Any) -> dict[str, Any]:
    """The attributes that an object keeps in places of their own."""
    found = {}
    for kind in type.mro(type(value))[:-1]:
        for name, place in vars(kind).items():
            if type(place) is types.MemberDescriptorType and _is_made(kind):
                with contextlib.suppress(AttributeError):
                    found[name] = place.__get__(value)
    return found


def _name(kind: type) -> str:
    """The type's name, unless the program chose it to look like something else."""
    name = type.__dict__["__name__"].__get__(kind)
    plain = name.isidentifier() and (not _is_made(kind) or not hasattr(builtins, name))
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
_AWAITED = (types.CoroutineType, types.GeneratorType, types.AsyncGeneratorType)
_ITERATED: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
