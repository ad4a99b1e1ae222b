"""Calls of tests as Python, with the objects in them as they came to be: what tests made, did with them, and asked.

An object has a name from the call that makes it on; a call is written behind all earlier ones that had to do with its
objects: `(o1 := shop.Ferry(least=5), o1.board(18), o1.fare(3))[-1]`. One that is no more than its fields is written
with them. Nothing of the program's is asked for that.
"""

# mypy: ignore-errors

import ast
import enum
import functools
import inspect
import opcode
import os
import pathlib
import re
import sys
import types
import weakref

MOST_STEPS = 30  # of one story
MOST_KEPT = 1000  # objects, among the first of which those without weak references are kept alive
MOST_BETWEEN = 40  # frames of libraries between a test and what it calls
MOST_OF_FILE = 1000  # bytes
MOST_HELD = 20  # of a list that a function of a test names
TREES = {}  # of files of tests
BESIDE = "/tmp/"
PATH = type(pathlib.Path())
SIMPLE = (type(None), bool, int, float, str, bytes)
NOT_CALLED = ("__new__", "__del__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__set_name__")
CACHED = type(functools.lru_cache()(len))
RESUME = opcode.opmap.get("RESUME")
LEFT_OUT = "_HAS_DEFAULT_FACTORY_CLASS"  # stands for what the caller of a dataclass does not give


class NotWritten(Exception):
    """It cannot be told how this call came about."""


class LongStory(NotWritten):
    """Too much was done with its objects before."""


class Life:
    """name: of the object. steps: the numbers of those that it took part in."""

    def __init__(self, name, value):
        self.name, self.steps = name, []
        self.of = weakref.ref(value) if type(value).__weakrefoffset__ else lambda: value


class Lives:
    """callers: the files of tests. files: those of the program. copied: writes what else there is."""

    def __init__(self, callers, files, copied):
        self.callers, self.files, self.copied = callers, files, copied
        self.known, self.steps = {}, []  # number of an object -> its life; [text, lives in it]
        self.of_code = {}  # code of a function that a call gave -> the lives of such
        self.number, self.copying = 0, False

    def is_by_test(self, frame):
        """Whether a test makes the call, itself or by a library or a wrapper."""
        for _ in range(MOST_BETWEEN):
            frame = frame.f_back
            if frame is None:
                return False
            code = frame.f_code
            if code.co_filename in self.callers:
                return True
            if code.co_filename in self.files and "<locals>" not in getattr(code, "co_qualname", "<locals>"):
                return False
        return False

    def write(self, frame, code):
        """The call behind its story, or with copies of its objects where that is too long; and the step that it is, for
        `keep` once it has ended well."""
        self.copying = False
        try:
            return self.write_so(frame, code)
        except LongStory:
            self.copying = True
            return self.write_so(frame, code)

    def write_so(self, frame, code):
        if life := self.function_called(frame, code):
            return self.write_call_of_given(life, frame, code)
        name, module, used = getattr(code, "co_qualname", code.co_name), frame.f_globals["__name__"], []
        around, _, bare = name.rpartition(".")
        if bare in NOT_CALLED or not begins(frame, code):
            raise NotWritten
        if not all(each.isidentifier() for each in (*name.split("."), *module.split("."))):
            raise NotWritten  # what stands in a function, or has no name
        makes = bare in ("__init__", "__post_init__")
        if bare == "__post_init__":
            frame, code, bare = frame.f_back, frame.f_back.f_code, "__init__"  # which no file has
        receiver = frame.f_locals[code.co_varnames[0]] if around and code.co_argcount else None
        kind = receiver if isinstance(receiver, type) else type(receiver)
        of_kind = any(each.__qualname__ == around and each.__module__ == module for each in type.mro(kind))
        found = inspect.getattr_static(kind, bare, None) if of_kind else function_at(frame.f_globals, name)
        if type(found) is staticmethod or not of_kind:
            receiver, text = None, "%s.%s" % (module, name)
        elif makes and self.life(receiver) is None:
            text = self.name_of(kind)
        else:
            text = "%s.%s" % (self.name_of(kind) if kind is receiver else self.text(receiver, used), bare)
        given = [key + self.text(each, used) for key, each in arguments(frame, code, found)[receiver is not None :]]
        if type(found).__name__ in ("property", "cached_property"):
            told = "setattr(%s, %r, %s)" % (text.rpartition(".")[0], bare, given[0]) if given else text
        else:
            told = "%s(%s)" % (text, ", ".join(given))
        return self.behind_story(told, used), (told, used, receiver if makes else None)

    def write_call_of_given(self, life, frame, code):
        """Of a function that a call gave."""
        used, function = [life], life.of()
        given = arguments(frame, code, function_in(function))
        if type(function) is functools.partial:
            held = {key + "=" for key in function.keywords}
            given = [each for each in given[len(function.args) :] if each[0] not in held]
        told = "%s(%s)" % (life.name, ", ".join([key + self.text(each, used) for key, each in given]))
        return self.behind_story(told, used), (told, used, None)

    def function_called(self, frame, code):
        """The one that a call gave and that this is a call of; nothing where it cannot be told."""
        lives = [life for life in self.of_code.get(code, ()) if is_frame_of(frame, code, life.of())]
        return lives[0] if len(lives) == 1 else None

    def behind_story(self, told, used):
        found, waiting = set(), list(used)
        while waiting:
            for at in set(waiting.pop().steps) - found:
                found.add(at)
                waiting += self.steps[at][1]
        if len(found) >= MOST_STEPS:
            raise LongStory
        steps, names = [*(self.steps[at][0] for at in sorted(found)), told], {}
        text = "(%s)[-1]" % ", ".join(steps) if found else told
        return re.sub("\x01(\\d+)\x01", lambda name: "o%d" % names.setdefault(name[1], len(names) + 1), text)

    def keep(self, step, gave=None):
        """A step that has ended well. gave: what it returned."""
        told, used, new = step
        value = gave if new is None else new
        function = function_in(value)
        gives = function and function.__code__.co_filename in self.files and not is_named(value)
        if (gives or self.is_own(type(value))) and self.can_know(value) and self.life(value) is None:
            life = self.begin(value)
            if gives:
                self.of_code.setdefault(function.__code__, []).append(life)
            told, used = "%s := %s" % (life.name, told), [*used, life]
        self.add(told, used)

    def can_know(self, value):
        """Whether it can be told from others: by a weak reference, or, of a few without a place for one, by keeping
        it."""
        return type(value).__weakrefoffset__ or (type(value) not in SIMPLE and self.number < MOST_KEPT)

    def add(self, told, used):
        for life in used:
            life.steps.append(len(self.steps))
        if used:
            self.steps.append((told, used))

    def begin(self, value):
        self.number += 1
        life = self.known[id(value)] = Life("\x01%d\x01" % self.number, value)
        return life

    def life(self, value):
        life = self.known.get(id(value))
        return life if life and life.of() is value else None

    def is_own(self, kind):
        """Whether it is a class of the program's."""
        return self.file_of(kind) in self.files

    @staticmethod
    def file_of(kind):
        return getattr(sys.modules.get(kind.__module__), "__file__", None)

    def name_of(self, kind):
        """How a class of the program's is called by its name."""
        found = sys.modules.get(kind.__module__) if self.is_own(kind) else None
        for name in kind.__qualname__.split("."):
            found = vars(found).get(name) if isinstance(found, (type, types.ModuleType)) else None
        if found is not kind:
            raise NotWritten
        return "%s.%s" % (kind.__module__, kind.__qualname__)

    def text(self, value, used):
        kind = type(value)
        if kind in (str, PATH):
            if given := file_text(value):
                return "make_%s(%s)" % ("file" if kind is str else "path", given)
        if kind in SIMPLE:
            return repr(value) if kind is not float or value - value == 0 else "float('%r')" % value
        if kind in (list, tuple, set) and (value or kind is not set):
            inner = ", ".join([self.text(each, used) for each in value])
            return {list: "[%s]", tuple: "(%s,)" if len(value) == 1 else "(%s)", set: "{%s}"}[kind] % inner
        if kind is dict:
            pairs = [(self.text(key, used), self.text(each, used)) for key, each in value.items()]
            return "{%s}" % ", ".join(["%s: %s" % pair for pair in pairs])
        if kind is types.FunctionType and value.__code__.co_filename in self.callers:
            return "make_function(%r)" % self.body_that_gives(value)
        if not self.is_own(kind):
            if self.file_of(kind) in self.callers:
                raise NotWritten
            return self.copied(value)
        life = self.life(value)
        if life is None and (made := self.constructor_of(value, kind, used)):
            return made
        if self.copying:
            return self.copied(value)
        if life is None:
            if getattr(value, "__dict__", True) or kind.__init__ is not object.__init__:
                return self.copied(value)
            life = self.begin(value)
            self.add("%s := %s()" % (life.name, self.name_of(kind)), [life])
        used.append(life)
        return life.name

    def body_that_gives(self, function):
        """Statements that make a function of a test's again, with plain values and modules that it names; what else it
        names is not written."""
        code, lines = function.__code__, []
        held = dict(zip(code.co_freevars, [cell.cell_contents for cell in function.__closure__ or ()]))  # noqa: B905
        outside = function.__globals__
        held.update((name, outside[name]) for each in codes_in(code) for name in each.co_names if name in outside)
        for name, value in held.items():
            plain = type(value) in SIMPLE or (type(value) in (list, dict, set, tuple) and len(value) <= MOST_HELD)
            if type(value) is not types.ModuleType and not plain:
                raise NotWritten
            lines.append(
                "import %s as %s" % (value.__name__, name) if not plain else name + " = " + self.text(value, [])
            )
        node = node_of(code)
        if isinstance(node, ast.Lambda):
            return "\n".join([*lines, "return " + ast.unparse(node)])
        node.decorator_list = []
        return "\n".join([*lines, ast.unparse(node), "return " + node.name])

    def constructor_of(self, value, kind, used):
        """An object that is no more than its fields, as a call; empty for another."""
        if isinstance(kind, enum.EnumMeta):
            return "%s.%s" % (self.name_of(kind), value._name_)
        if isinstance(value, tuple) and type(vars(kind).get("_fields")) is tuple:
            names, values = kind._fields, tuple.__iter__(value)
        else:
            fields = vars(kind).get("__dataclass_fields__")
            names = [name for name, each in fields.items() if each._field_type.name == "_FIELD"] if fields else []
            plain = all(fields[name].init for name in names) and not hasattr(kind, "__post_init__")
            if not names or not plain or (hasattr(value, "__dict__") and vars(value).keys() != set(names)):
                return ""
            values = [object.__getattribute__(value, name) for name in names]
        told = ["%s=%s" % (name, self.text(each, used)) for name, each in zip(names, values)]  # noqa: B905 (3.9)
        return "%s(%s)" % (self.name_of(kind), ", ".join(told))


def codes_in(code):
    yield code
    for each in code.co_consts:
        if type(each) is types.CodeType:
            yield from codes_in(each)


def node_of(code):
    """Of the source, what a function was made of."""
    tree = TREES.get(code.co_filename)
    if tree is None:
        with open(code.co_filename, encoding="utf-8") as file:
            tree = TREES[code.co_filename] = ast.parse(file.read())
    nodes = [each for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))]
    firsts = [min([each.lineno, *(by.lineno for by in getattr(each, "decorator_list", ()))]) for each in nodes]
    found = [
        each
        for each, first in zip(nodes, firsts)  # noqa: B905 (3.9)
        if first == code.co_firstlineno and getattr(each, "name", "<lambda>") == code.co_name
    ]
    if len(found) != 1:
        raise NotWritten
    return found[0]


def file_text(path):
    """Of a file beside the program's, such as a test makes, its name and text as they are written, of one that is still
    to be made its name alone; empty for others."""
    path = str(path)
    folder, name = os.path.split(path)
    if path.startswith(BESIDE) and name and os.path.isdir(folder) and not os.path.lexists(path):
        return repr(name)
    if not path.startswith(BESIDE) or not os.path.isfile(path) or os.path.getsize(path) > MOST_OF_FILE:
        return ""
    with open(path, encoding="utf-8", newline="") as file:
        return "%r, %r" % (os.path.basename(path), file.read())


def arguments(frame, code, function):
    """What a call that begins was given, each behind its name where it needs one; not what has its default."""
    values, names, count = frame.f_locals, code.co_varnames, code.co_argcount
    last = count + code.co_kwonlyargcount
    function = inspect.unwrap(getattr(function, "__func__", function)) if function else None
    plain = type(function) is types.FunctionType and function.__code__ is code
    least = dict(zip(names[:count][::-1], (function.__defaults__ or ())[::-1])) if plain else {}  # noqa: B905 (3.9)
    least.update((function.__kwdefaults__ or {}) if plain else {})
    more = bool(code.co_flags & inspect.CO_VARARGS)
    rest = values[names[last]] if more else ()
    given, words = [], []
    for at, name in enumerate(names[:last]):
        if (type(values[name]).__name__ == LEFT_OUT or (name in least and values[name] is least[name])) and not rest:
            continue
        named = at >= count or len(given) < at
        (words if named else given).append((name + "=" if named else "", values[name]))
    given += [("", each) for each in rest]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        words += [(key + "=", each) for key, each in values[names[last + more]].items()]
    return given + words


def function_in(value):
    """The function of Python's that something which can be called leads to; nothing for what is none."""
    if type(value) is functools.partial:
        return function_in(value.func)
    value = value.__wrapped__ if type(value) is CACHED else value
    return value if type(value) is types.FunctionType else None


def is_named(value):
    """Whether it is a function that anybody may call by its name."""
    return type(value) is types.FunctionType and "<locals>" not in value.__qualname__ and "<lambda>" != value.__name__


def is_frame_of(frame, code, value):
    """Whether this is a call of it: what it holds is what stands there."""
    function, values = function_in(value), frame.f_locals
    if function is None:
        return False
    held = list(zip(code.co_freevars, [cell.cell_contents for cell in function.__closure__ or ()]))  # noqa: B905 (3.9)
    if type(value) is functools.partial:
        held += [*zip(code.co_varnames, value.args), *value.keywords.items()]  # noqa: B905 (3.9)
    return all(name in values and values[name] is each for name, each in held)


def function_at(names, name):
    first, *rest = name.split(".")
    found = names.get(first)
    for each in rest:
        found = inspect.getattr_static(found, each, None)
    return found


def begins(frame, code):
    """Whether the function begins, and does not go on behind what it yielded."""
    at = frame.f_lasti
    return at < 0 or RESUME is None or sys.version_info >= (3, 12) or code.co_code[at : at + 2] == bytes((RESUME, 0))
