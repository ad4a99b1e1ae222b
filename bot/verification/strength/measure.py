"""How much the tests would notice: the share of mutants of the changed lines that they kill.

Mutants are made and tried inside the sandbox only. Where the tests are plain functions or bare assertions, one sandbox
does it all; else the suite runs once for each mutant.

The share is no proof: mutants are small slips, some of them change nothing that can be seen, and a program that looks
at its own code can make every mutant die.
"""

import ast
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bot.sandbox.protocol import Executor, Job, Limits, MiB, Status
from bot.verification.breaking import Defect
from bot.verification.control import TimedRuns
from bot.verification.differential import harness
from bot.verification.programs import SOLUTION, around, content
from bot.verification.strength import driver, mutants
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.testing import sources
from bot.verification.testing.run import run_suite
from bot.verification.values import Environment, Program, Strength, Suite, TestRun

MOST = 60  # mutants of one program
MOST_MISSED = 10  # of them are named
_LARGEST = 1 * MiB  # of the source that is mutated
_SHOWN = 80  # characters of what a mutant replaces, and of what it puts there
_SLACK = 5.0  # seconds the sandbox may take beyond the time for the mutants
_INSIDE = ".strength"
TOOL = f"cosmic-ray {version('cosmic-ray')}"


def measure(
    executor: Executor,
    program: Program,
    changed: Mapping[str, Iterable[int]],
    suite: Suite,
    calls: Iterable[str] = (),
    *,
    seconds: float = 10.0,
    before: TestRun | None = None,
) -> Strength:
    """The share of mutants of the `changed` lines of `program` that the tests or the compared inputs kill.

    changed: path -> line numbers, see `changed_lines`.
    calls: expressions whose values were compared, each of which ends on the program; they count where the program is a
        single file.
    seconds: for making and trying mutants; starting the sandbox comes on top.
    before: the suite's run on the unmutated program, where one is at hand.
    A test that does not pass on the program itself kills nothing. Where the lines hold nothing to mutate, the functions
    around them count. Never raises.
    """
    end = time.monotonic() + seconds
    texts = _texts(program, changed)
    if not texts:
        return Strength(0, 0, True, TOOL)
    plain = program.tree is None and is_plain(suite)
    answer = _driven(executor, program, changed, texts, suite if plain else None, tuple(calls), seconds)
    if answer is None:
        return Strength(0, 0, False, TOOL)
    widened = answer["around"]
    if plain:
        return Strength(answer["tried"], answer["killed"], answer["complete"], TOOL, widened)
    found = MutantRun(texts, answer["edits"], widened)
    tried, missed = _by_suite(TimedRuns(executor, end, 0.0), program, suite, found, before)
    whole = answer["complete"] and tried == len(found.edits)
    return Strength(tried, tried - len(missed), whole, TOOL, widened, missed[:MOST_MISSED])


@dataclass(frozen=True, slots=True)
class MutantRun:
    """Mutants that nobody tried yet. edits: for `mutants.apply`, on the `texts` of their files. around: the lines hold
    none, so they are of the functions around them."""

    texts: Mapping[str, str]
    edits: list[dict[str, Any]]
    around: bool = False

    def line(self, edit: dict[str, Any]) -> int:
        """The line on which a mutant begins."""
        return self.texts[edit["path"]].count("\n", 0, edit["start"]) + 1

    def defect(self, edit: dict[str, Any]) -> Defect:
        """The mutant, as a reader finds it."""
        text, start = self.texts[edit["path"]], edit["start"]
        before, after = text[start : min(edit["end"], start + _SHOWN)], edit["text"][:_SHOWN]
        told = f"{edit['path']}:{self.line(edit)}: {before.strip()} → {after.strip() or 'nothing'}"
        return Defect(edit["path"], told, lambda _: mutants.apply(text, edit).encode())


def made(executor: Executor, program: Program, lines: Mapping[str, Iterable[int]], seconds: float) -> MutantRun | None:
    """Mutants of these lines; `None` where making them failed."""
    texts = _texts(program, lines)
    if not texts:
        return MutantRun({}, [])
    answer = _driven(executor, program, lines, texts, None, (), seconds)
    return MutantRun(texts, answer["edits"], answer["around"]) if answer else None


def is_plain(suite: Suite) -> bool:
    """Whether calling its test functions is all it takes to run the suite: no fixtures, classes, marks or plugins."""
    whole = suite.command is None and suite.environment == Environment() and set(suite.select) <= suite.files.keys()
    steered = any(map(sources.steers_the_runner, suite.files))
    return whole and not steered and all(_is_plain_file(suite.files[path]) for path in _test_files(suite))


def _test_files(suite: Suite) -> tuple[str, ...]:
    return suite.select or sources.test_files(suite.files)


def _is_plain_file(source: bytes) -> bool:
    try:
        tree = parse(source)
    except UNREADABLE:
        return False
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name, args=arguments, decorator_list=marks) if name.startswith("test"):
                if marks or ast.unparse(arguments):
                    return False
            case ast.ClassDef() | ast.AsyncFunctionDef() | ast.FunctionDef(decorator_list=[_, *_]):
                return False
            case _:
                pass
    return not any(isinstance(node, ast.Name) and node.id == "pytestmark" for node in ast.walk(tree))


def _texts(program: Program, changed: Mapping[str, Iterable[int]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in changed:
        raw = content(program, path)
        try:
            text = (raw or b"").decode()
        except UnicodeDecodeError:
            continue
        if text and sum(map(len, found.values())) + len(text) <= _LARGEST:
            found[path] = text
    return found


def _driven(
    executor: Executor,
    program: Program,
    changed: Mapping[str, Iterable[int]],
    texts: dict[str, str],
    suite: Suite | None,
    calls: tuple[str, ...],
    seconds: float,
) -> dict[str, Any] | None:
    """What the driver answers: with a suite the mutants are tried at once, without one they are only made."""
    limits = Limits(wall=seconds + _SLACK, cpu=seconds + _SLACK, output=16 * MiB)
    laid = suite.files if suite else {}
    tests = {path: laid[path] for path in (_test_files(suite) if suite else ())}
    order = {
        "sources": texts,
        "changed": {path: sorted(changed[path]) for path in texts},
        "around": {path: sorted(around(text, frozenset(changed[path]))) for path, text in texts.items()},
        "most": MOST,
        "module": SOLUTION.removesuffix(".py"),
        "tests": {path: source.decode(errors="replace") for path, source in tests.items()},
        "scripts": [path for path, source in tests.items() if sources.is_script(source)],
        "calls": calls,
        "seconds": seconds,
        "memory": limits.memory // 2,
        "try": suite is not None,
    }
    own = {
        f"{_INSIDE}/{Path(str(module.__file__)).name}": Path(str(module.__file__)).read_bytes()
        for module in (driver, mutants, harness)
    }
    files = {**program.files, **laid, **own} if suite else own
    argv = (*executor.probe().python, "-I", f"{_INSIDE}/driver.py")
    stdin = json.dumps(order).encode()
    outcome = executor.run(Job(argv, files=files, stdin=stdin, environment={"PYTHONHASHSEED": "0"}, limits=limits))
    return _answer(outcome.stdout, texts) if outcome.status is Status.EXITED else None


def _answer(stdout: bytes, texts: Mapping[str, str]) -> dict[str, Any] | None:
    """The driver's line, which a program in its sandbox may have tampered with."""
    try:
        match json.loads(stdout):
            case {
                "edits": list(edits),
                "complete": bool(complete),
                "tried": int(tried),
                "killed": int(killed),
                "around": bool(widened),
            } if (
                type(tried) is type(killed) is int
                and 0 <= killed <= tried <= MOST
                and len(edits) <= MOST
                and all(_is_edit(edit, texts) for edit in edits)
            ):
                return {"edits": edits, "complete": complete, "tried": tried, "killed": killed, "around": widened}
    except (ValueError, RecursionError):
        pass
    return None


def _is_edit(edit: object, texts: Mapping[str, str]) -> bool:
    match edit:
        case {"path": str(path), "start": int(start), "end": int(end), "text": str()}:
            return path in texts and 0 <= start <= end
    return False


def _by_suite(
    runs: TimedRuns, program: Program, suite: Suite, found: MutantRun, before: TestRun | None
) -> tuple[int, tuple[str, ...]]:
    """How many mutants were tried in time, and those that the suite did not kill."""
    first = before or run_suite(runs.executor, program, suite, seconds=max(runs.end - time.monotonic(), 1.0))
    tried, missed, suite = 0, list[str](), replace(suite, until=frozenset(first.passing))
    for defect in map(found.defect, found.edits):
        run = runs.run(defect.into(program), suite)
        if run is None:
            break
        tried += 1
        missed += [defect.told] if first.passing.keys() <= run.passing.keys() else []
    return tried, tuple(missed)
