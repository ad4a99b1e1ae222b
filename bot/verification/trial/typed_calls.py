"""Calls that tests make of a program of Go or Rust: recorded while a command runs the tests, and made again in a test
of Bouncer's and in a plain program. What comes back is a stranger's word.

Functions are recorded whose arguments can be written down: of Go, whatever JSON says whole; of Rust, outside of types,
numbers, texts, truth values, lists and tuples. A call is written as Python has it; each language writes it for itself.
"""

import ast
import json
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from bot.child_process import run_in_child
from bot.verification.calls.observe import Surroundings
from bot.verification.files.index import FileIndex
from bot.verification.programs import content, is_plain
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.testing.run import run_suite
from bot.verification.trial import go_calls, rust_calls
from bot.verification.trial.go_calls import MOST, TypedFunction
from bot.verification.trial.node_calls import file_name
from bot.verification.trial.setup import TrialSetup
from bot.verification.values import Ending, Observed, Program, RecordedCall

OF_COMPILERS = ("go test", "cargo test")
_LONGEST = 2_000  # characters of one call
_MISSING = Observed(Ending.RAISED, "NameError")  # as Python says it of what is not there

Functions = dict[str, list[TypedFunction]]  # of each file; of those of one name the last is called


@dataclass(frozen=True, slots=True)
class _Language:
    """How calls of a language are recorded and made. functions: of a file, in a child. recorder: the file with so many
    functions telling of their calls, and what has to stand beside it. call: what one is given, as the language writes
    it; empty where it cannot. maker: see `Made`."""

    ending: str
    functions: Callable[[str, bytes], list[TypedFunction]]
    recorder: Callable[[str, bytes, Collection[TypedFunction], str], dict[str, bytes]]
    call: Callable[[TypedFunction, list[object]], str]
    maker: Callable[..., tuple[dict[str, bytes], str]]


_LANGUAGES = tuple(
    _Language(ending, of.functions, of.recorder, of.call, of.maker)
    for ending, of in ((".go", go_calls), (".rs", rust_calls))
)


class TypedCalls:
    """Calls of one change's files. seconds: for each run that records or makes them."""

    def __init__(self, trial: TrialSetup, judges: FileIndex, seconds: float) -> None:
        self.trial, self.judges, self.seconds = trial, judges, seconds
        self.language, self.names = _LANGUAGES[0], dict[str, str]()
        for language in _LANGUAGES:
            paths = [path for path, (_, after) in judges.touched.items() if after and path.endswith(language.ending)]
            if names := {file_name(path): path for path in paths if is_plain(path)}:
                self.language, self.names = language, names

    def record(self) -> tuple[RecordedCall, ...]:
        """The calls that the head's tests make."""
        into, head, put = f"c{secrets.token_hex(6)}", self.trial.head, dict[str, bytes]()
        known = self._functions(head)
        for path, its in known.items():
            put |= self.language.recorder(path, content(head, path) or b"", its, into)
        if not put:
            return ()
        program = replace(head, files={**head.files, **put})
        run = run_suite(self.trial.executor, program, self.trial.suite, seconds=self.seconds)
        lines = run.left.get(into, b"").decode(errors="replace").split("\n")[:MOST]
        calls = (self._recorded(line, known) for line in lines if len(line) < _LONGEST)
        return tuple(filter(None, calls))

    def _recorded(self, line: str, known: Functions) -> RecordedCall | None:
        try:
            path, name, told = line.split(" ", 2)
            given = _values(told)
            expression = f"{file_name(path)}.{name}({', '.join(map(repr, given))})"
        except (*UNREADABLE, TypeError):
            return None
        there = any(each.name == name for each in known.get(path, ())) and _read(expression)
        return RecordedCall(path, path, path, expression) if there else None

    def look(self, program: Program, calls: list[str], seconds: float, where: Surroundings) -> tuple[Observed, ...]:
        """What a program does with calls in a test, or in a plain program; as far as it comes. Nothing is known of them
        elsewhere."""
        if where not in (Surroundings.BARE, Surroundings.TESTED):
            return ()
        known, into, made = self._functions(program), f"c{secrets.token_hex(6)}", dict[str, list[Any]]()
        for number, call in enumerate(calls):
            file, name, given = _read(call) or ("", "", [])
            named = {each.name: each for each in known.get(self.names.get(file, ""), ())}
            function = named.get(name)
            text = self.language.call(function, given) if function and len(given) == len(function.names) else ""
            if function and text:
                made.setdefault(self.names[file], []).append((function, number, text))
        put, line = self.language.maker(program, made, into, tested=where is Surroundings.TESTED)
        if not line:
            return ()
        told = self.trial.run_line(program, put, line, min(self.seconds, seconds)).left.get(into, b"")
        seen = dict(filter(None, map(_numbered, told.split(b"\n")[:-1])))
        asked = {number for its in made.values() for _, number, _ in its}
        missed = Observed(Ending.TIMEOUT)
        return tuple(seen.get(at, missed) if at in asked else _MISSING for at in range(len(calls))) if seen else ()

    def _functions(self, program: Program) -> Functions:
        texts = {path: content(program, path) or b"" for path in self.names.values()}
        found = {path: run_in_child(self.language.functions, path, text) for path, text in texts.items()}
        return {path: its for path, its in found.items() if isinstance(its, list) and its}


def _values(text: str) -> list[object]:
    """Of a list, as JSON or Python writes it."""
    try:
        found = json.loads(text)
    except ValueError:
        found = ast.literal_eval(parse(text, mode="eval").body)
    return list(found)


def _read(expression: str) -> tuple[str, str, list[object]] | None:
    """The file, the function and what it is given; `None` where that cannot be written down."""
    try:
        match parse(expression, mode="eval").body:
            case ast.Call(func=ast.Attribute() as func, args=given, keywords=[]):
                file, _, name = ast.unparse(func).partition(".")
                return file, name, [ast.literal_eval(each) for each in given]
    except UNREADABLE:
        pass
    return None


def _numbered(line: bytes) -> tuple[int, Observed] | None:
    """What became of a call, by its number, as it was told: a text, or a list of all that it gives."""
    try:
        number, ending, told = json.loads(line)
        if type(number) is not int or not isinstance(told, str | list):
            return None
        its = told if isinstance(told, str) else repr(told[0] if len(told) == 1 else tuple(told))
        return number, Observed(Ending(ending), its.encode(errors="backslashreplace").decode())
    except (ValueError, TypeError, RecursionError):
        return None
