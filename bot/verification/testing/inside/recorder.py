"""Writes calls of a program down as Python, so that they can be made again: its functions' arguments as they come in,
and what the calls give.

Nothing of the program's is asked for that: values of plain types are written, others pickled as far as they are no more
than their attributes. What cannot be copied that way is not recorded.
"""

# mypy: ignore-errors

import base64
import inspect
import io
import os
import shlex
import sys
import time
import types
from pickle import Pickler

from bot.verification.calls.canonical import canonical_of_live
from bot.verification.testing.inside.lives import CACHED, Lives, file_text

MOST_OF_FUNCTION = 20
MOST_OF_TEST = 20
MOST_NOT_COPIED = 100  # calls of one function, after which no more of it are tried
MOST = 2000
LONGEST = 4000  # characters of one call
GIVEN = 1000  # characters of what one gives; the host cuts as well
MOST_PARTS = 300  # of one value
SECONDS = 2.0  # for all calls of a session, and as much for what they give
PLAIN = (type(None), bool, int, float, str, bytes)
MANY = (list, tuple, dict, set, frozenset)
OWN_STEPS = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
KNOWN = ("collections", "datetime", "decimal", "enum", "fractions", "pathlib", "uuid", "_pydatetime", "_pydecimal")


class NotCopied(Exception):
    """What a value is, is more than can be written down."""


class Recorder:
    """`note` for the frame of a function that begins, and `end` for one that ends; `told`: what was noted since it was
    asked last; anew: what was noted before may be noted again. callers: the files whose calls are all noted, with what
    became of their objects; empty for some of anybody's. files: the program's. open: calls that go on."""

    def __init__(self, callers=(), files=()):
        self.most = (MOST, MOST) if callers else (MOST_OF_FUNCTION, MOST_OF_TEST)
        self.of_function, self.known, self.new = {}, set(), []
        self.lives = Lives(callers, files, lambda value: "unpickled(%r)" % pickle(value)) if callers else None
        self.failed = {}  # function -> calls that could not be copied
        self.left, self.left_to_end, self.busy = SECONDS, SECONDS, False
        self.open = {}  # number of the frame -> what was noted of its call

    def note(self, frame):
        """Whether its end is to be told."""
        code = frame.f_code
        function = code.co_filename, code.co_firstlineno
        if self.busy or self.left < 0 or len(self.new) >= self.most[1] or len(self.known) >= MOST:
            return False
        if self.failed.get(function, 0) >= MOST_NOT_COPIED:
            return False
        if self.of_function.get(function, 0) >= self.most[0] or not code.co_flags & inspect.CO_OPTIMIZED:
            return False
        self.busy, began = True, time.perf_counter()
        try:
            if self.lives and not self.lives.is_by_test(frame):
                return False
            noted = step = None
            call, step = write_with_objects(self.lives, frame, code) if self.lives else (write_call(frame, code), None)
            if call not in self.known and sum(map(len, call)) <= LONGEST:
                self.known.add(call)
                self.of_function[function] = self.of_function.get(function, 0) + 1
                noted = [code.co_filename, *call, "", ""]
                self.new.append(noted)
            if (noted or step) and self.left_to_end > 0 and is_called_so(frame, code, self.lives):
                self.open[id(frame)] = noted, step
                return True
            if step:
                self.lives.keep(step)
        except Exception:  # of whatever sort: the value is a stranger's
            self.failed[function] = self.failed.get(function, 0) + 1
        finally:
            self.busy = False
            self.left -= time.perf_counter() - began
        return False

    def note_script(self, frame):
        """Of `subprocess.run` that begins."""
        if self.busy or self.left < 0 or len(self.new) >= self.most[1]:
            return
        self.busy, began = True, time.perf_counter()
        try:
            path, call = write_script(frame.f_locals, self.lives.files)
            if self.lives.is_by_test(frame) and call not in self.known and len(call) <= LONGEST:
                self.known.add(call)
                self.new.append([path, "", call, "", ""])
        except Exception:  # it runs something else, or what it is given cannot be written
            pass
        finally:
            self.busy = False
            self.left -= time.perf_counter() - began

    def end(self, frame, ending, value):
        """value: what it returned, or the type that it raised."""
        noted, step = self.open.pop(id(frame), (None, None))
        if self.busy or not (noted or step):
            return
        self.busy, began = True, time.perf_counter()
        try:
            if step and ending == "returned":
                self.lives.keep(step, value)
            if noted and not (step and step[2] is not None and ending == "returned"):  # a constructor gives more
                noted[3:] = ending, canonical_of_live(value, GIVEN) if ending == "returned" else value.__name__
        except Exception:
            pass  # it cannot be written, and is not known
        finally:
            self.busy = False
            self.left_to_end -= time.perf_counter() - began

    def told(self, anew=False):
        told, self.new = self.new, []
        self.open.clear()
        if anew:
            self.of_function, self.known = {}, set()
        return told


def is_called_so(frame, code, lives=None):
    """Whether who calls the function by its name, or as it was given, gets what its own code gives. Of a generator that
    is more."""
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE):
        return False
    if lives and lives.function_called(frame, code):
        return True
    first, *rest = getattr(code, "co_qualname", code.co_name).split(".")
    found = frame.f_globals.get(first)
    for name in rest:
        found = vars(found).get(name) if isinstance(found, type) else None
    if type(found) in (staticmethod, classmethod):
        found = found.__func__
    if type(found) is property:
        found = found.fget
    if type(found) is CACHED:  # which gives what that gave
        found = found.__wrapped__
    return type(found) is types.FunctionType and found.__code__ is code


def write_with_objects(lives, frame, code):
    """Module and expression, and the step of its objects' lives."""
    text, step = lives.write(frame, code)
    return (frame.f_globals["__name__"], text), step


def write_call(frame, code):
    """Module, and the call as an expression."""
    if code.co_flags & inspect.CO_ASYNC_GENERATOR:
        raise NotCopied
    name = getattr(code, "co_qualname", code.co_name)
    module = frame.f_globals["__name__"]
    if not all(each.isidentifier() for each in (*name.split("."), *module.split("."))):
        raise NotCopied  # what stands in a function, or has no name
    values, names = frame.f_locals, code.co_varnames
    last = code.co_argcount + code.co_kwonlyargcount
    given = [values[each] for each in names[: code.co_argcount]]
    words = {each: values[each] for each in names[code.co_argcount : last]}
    if code.co_flags & inspect.CO_VARARGS:
        given += values[names[last]]
        last += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        words.update(values[names[last]])
    around, _, bare = name.rpartition(".")
    found = inspect.getattr_static(type(given[0]), bare, None) if around and given else None
    if isinstance(found, property):
        return module, "getattr(%s, %r)" % (expression(given[0]), bare)
    if around and given and isinstance(given[0], type):  # a method of the class
        given = given[1:]
    arguments = [*map(expression, given), *(key + "=" + expression(value) for key, value in words.items())]
    return module, "%s.%s(%s)" % (module, name, ", ".join(arguments))


def write_script(given, files):
    """The script of the program's that is run, and how: the words that it names itself, and the others and its input
    as what may vary."""
    python, *words = map(os.fspath, [*given["popenargs"], given["kwargs"].get("args")][0])
    place = given["kwargs"].get("cwd") or "."
    if not os.path.basename(python).startswith("python"):
        raise NotCopied
    if words[0] == "-m":
        places = [os.path.join(each, *words[1].split(".")) for each in (place, *sys.path)]
        found = [each + end for each in places for end in (".py", "/__main__.py")]
    else:
        found = [os.path.join(place, words[0])]
    path = next(each for each in map(os.path.abspath, found) if each in files)
    first = 1 + (words[0] == "-m")
    with open(path, encoding="utf-8") as file:
        source = file.read()
    own = [word[:1] == "-" or word in source for word in words[first:]]
    shown = [shlex.quote(word) if stays else "{}" for word, stays in zip(words[first:], own)]  # noqa: B905 (3.9)
    varied = [as_argument(word) for word, stays in zip(words[first:], own) if not stays]  # noqa: B905 (3.9)
    told = given["input"] or ""
    told = told.decode() if isinstance(told, bytes) else told
    started = words[:first] if first == 2 else [shlex.quote(os.path.relpath(path))]
    more = ["stdin=%r" % told] if told else []
    return path, "run_script(%s)" % ", ".join([repr(" ".join(started + shown)), *varied, *more])


def as_argument(word):
    """A word of a command, as what it stands for: a number, a file, or the text itself."""
    for kind in (int, float):
        try:
            if str(kind(word)) == word and kind(word) - kind(word) == 0:
                return word
        except ValueError:
            pass
    given = file_text(word)
    return "make_file(%s)" % given if given else repr(word)


def expression(value):
    parts = [value]
    for part in parts:
        if type(part) in MANY:
            parts += [*part, *part.values()] if type(part) is dict else part
        elif type(part) not in PLAIN or (type(part) is float and part - part != 0):
            return "unpickled(%r)" % pickle(value)
        if len(parts) > MOST_PARTS:
            raise NotCopied
    return repr(value)


def pickle(value):
    into = ShortBytes()
    Copier(into, 4).dump(value)
    return base64.b64encode(into.getvalue()).decode()


class ShortBytes(io.BytesIO):
    def write(self, data):
        if self.tell() + len(data) > LONGEST:
            raise NotCopied
        return super().write(data)


class Copier(Pickler):
    """Only what is its class and its attributes: nobody's own way of being copied is asked."""

    parts = 0

    def reducer_override(self, value):
        kind = type(value)
        self.parts += 1
        if self.parts > MOST_PARTS:
            raise NotCopied
        if isinstance(value, type) or kind.__module__.partition(".")[0] in KNOWN:
            return NotImplemented
        own = [name for each in kind.__mro__[:-1] for name in OWN_STEPS if name in vars(each)]
        asks = hasattr(kind, "__getattr__") or kind.__getattribute__ is not object.__getattribute__
        if asks or (own and not issubclass(kind, BaseException)):
            raise NotCopied
        return NotImplemented
