"""The positive control where a command runs the tests: can it still fail on this head?

Which test enters what is not told there. So what is broken are changed functions, those that the base's tests name
before others, and one unchanged function that they name; the whole command runs for each. What it does not notice on
the base either accuses nobody.
"""

import random
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from bot.changes.bodies import ENDINGS
from bot.sandbox.protocol import Executor
from bot.verification.breaking import BreakForm, begin_with, body_of, broken, functions_in, other_values
from bot.verification.control import (
    LEAST,
    MOST_CHANGED,
    NO_TIME,
    NOT_BREAKABLE,
    NOT_NOTICED,
    TimedRuns,
    Watched,
    some_function,
    weigh,
)
from bot.verification.loading import SCRIPTS
from bot.verification.patch_evidence import Control, Proof
from bot.verification.programs import content
from bot.verification.syntax import Function
from bot.verification.values import Program

BREAKABLE = (".py", *ENDINGS)
_MOST_READ = 1_000_000  # bytes of tests that are looked through for names
WORD = re.compile(rb"[A-Za-z_]\w*")
_CHANCE = random.SystemRandom()
_SAYS = ("unexpected value", "invalid argument", "not supported", "out of range", "no such entry")
_RAISES = {".go": 'panic("{}");', ".rs": 'panic!("{}");'}
_THROWS = 'throw new Error("{}");'
# Added to a file, so that it breaks off as it is loaded. Rust's files are not.
_STOPS = {
    **dict.fromkeys(SCRIPTS, b"\n;throw new Error('no entry')\n"),
    ".py": b"\nraise RuntimeError('no entry')\n",
    ".go": b'\nfunc init() { panic("no entry") }\n',
}


def prove_by_command(
    executor: Executor,
    base: Watched,
    head: Watched,
    changed: Mapping[str, Iterable[int]],
    *,
    tests: Iterable[str],
    others: Iterable[str],
    own: Watched | None = None,
    seconds: float,
) -> Control:
    """Whether the command can still fail on this head. Never raises.

    base, head, changed: as for `control.prove`; the runs need no trace. tests: the base's test files. others: files of
    its product, one of whose functions is broken where the tests name it. own: the command on the head as it was
    pushed, for what the base's tests do not notice. seconds: for all of it.
    """
    end = time.monotonic() + seconds
    if seconds < LEAST or head.run.seconds > seconds:
        return Control(Proof.UNTRIED, why=NO_TIME)
    words = words_of_tests(base.program, tests)
    touched = [each for path, lines in sorted(changed.items()) for each in _touched(head.program, path, set(lines))]
    touched.sort(key=lambda each: bare(each) not in words)
    touched = touched[:MOST_CHANGED]
    if not touched:
        return Control(Proof.NOTHING, why=NOT_BREAKABLE)
    left_alone = (path for path in others if path.endswith(BREAKABLE) and path not in changed)
    asked = [*touched, *some_function(head.program, left_alone, lambda each: bare(each) in words)]
    tries = _Tries(executor, end)
    control = weigh(asked, touched, lambda each: _seen(tries, base, head, each, bare(each) in words))
    if control.proof is not Proof.UNPROVED:
        return control
    mine = next((each for each in touched if own and tries.notice(own, each)), None)
    if mine:
        return replace(control, proof=Proof.PROVED, broken=(*control.broken, mine.called))
    return replace(control, proof=Proof.UNTRIED, why=NO_TIME) if tries.late else replace(control, why=NOT_NOTICED)


def look_at_what_changes(
    executor: Executor, own: Watched, turned: Collection[str], changed: Mapping[str, Iterable[int]], *, seconds: float
) -> bool | None:
    """Whether tests of the change's own that go from red to green look at what it changes: one of them turns red where
    a function that it touches is broken, or a file that it touches breaks off as it is loaded.

    turned: their names. own, changed: as for `prove_by_command`. `None` where there was nothing to try or no time.
    """
    tries, theirs = _Tries(executor, time.monotonic() + seconds), _of_those(own, turned)
    files = {path: content(own.program, path) or b"" for path in sorted(changed)}
    touched = [each for path in files for each in _touched(own.program, path, set(changed[path]))][:MOST_CHANGED]
    loaded = [
        (path, text + _STOPS[ending])
        for path, text in files.items()
        if (ending := PurePosixPath(path).suffix) in _STOPS
    ]
    if not touched and not loaded:
        return None
    if any(tries.notice(theirs, function) for function in touched):
        return True
    found = any(tries.breaks(theirs, path, text) for path, text in loaded[:MOST_CHANGED])
    return True if found else None if tries.late else False


def _seen(tries: "_Tries", base: Watched, head: Watched, function: Function, named: bool) -> bool | None:
    """Whether breaking it is noticed on the head; `None` where that says nothing of the head.

    named: by the base's tests, which look at what it gives: where they notice another value on the base, it is not
    enough that they end as nothing is given at all. What compares may have gone, and the call still be there.
    """
    before = next((one for one in functions_in(base.program, function.path) if one.name == function.name), None)
    there = _of_those(base, head.run.passing)
    if named and before:
        new, old = (_with_another_value(each.program, one) for each, one in ((head, function), (there, before)))
        if new and tries.breaks(head, function.path, new):
            return True
        if new and old and tries.breaks(there, function.path, old) and not tries.late:
            return False
    if tries.notice(head, function):
        return True
    looked = before is not None and tries.notice(there, before)
    return False if looked and not tries.late else None


def _of_those(watched: Watched, names: Collection[str]) -> Watched:
    """With these tests alone: one that the head fails anyway, such as an old version of its own, can tell nothing."""
    results = tuple(each for each in watched.run.results if each.name in names)
    return replace(watched, run=replace(watched.run, results=results))


class _Tries(TimedRuns):
    """Runs of a program with one function broken."""

    def notice(self, watched: Watched, function: Function) -> bool:
        """Whether something that passes no longer does."""
        source = content(watched.program, function.path) or b""
        return any(self.breaks(watched, function.path, text) for text in _broken(source, function))

    def breaks(self, watched: Watched, path: str, text: bytes) -> bool:
        """Whether something that passes no longer does with this text for the file."""
        program = replace(watched.program, files={**watched.program.files, path: text})
        run = self.run(program, watched.suite)
        passing = run.passing if run else watched.run.passing
        return bool(watched.run.passing.keys() - passing.keys())


def _broken(source: bytes, function: Function) -> Iterator[bytes]:
    """The file with that function broken, in one way after the other."""
    if function.path.endswith(".py"):
        yield from filter(None, (broken(source, function, form) for form in BreakForm))
        return
    if body := body_of(function, source):
        says = _RAISES.get(PurePosixPath(function.path).suffix, _THROWS).format(_CHANCE.choice(_SAYS))
        yield begin_with(says, body, source)


def _with_another_value(program: Program, function: Function) -> bytes | None:
    """Its file with the function giving something else at once; `None` for Python, and where no value is at hand that
    is sure to be built."""
    source = content(program, function.path) or b""
    body = body_of(function, source)
    if body is None or (function.path.endswith((".go", ".rs")) and not body.gives):
        return None
    return begin_with(other_values(function.path, body.gives)[-1], body, source)


def _touched(program: Program, path: str, lines: set[int]) -> list[Function]:
    """The named functions around the lines, inner ones before those around them."""
    found = [one for one in functions_in(program, path) if lines & set(range(one.first, one.last + 1))]
    return sorted(found, key=lambda one: one.last - one.first)


def bare(function: Function) -> bytes:
    """The last part of its name."""
    return function.name.rpartition(".")[2].encode()


def words_of_tests(base: Program, tests: Iterable[str]) -> set[bytes]:
    """The words of the tests."""
    left, words = _MOST_READ, set[bytes]()
    for path in sorted(tests):
        text = (content(base, path) or b"")[:left]
        words.update(WORD.findall(text))
        left -= len(text)
    return words
