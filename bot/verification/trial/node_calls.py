"""Calls that tests make of a program of Node's: recorded while a command runs the tests, and made again, in the place
of a test and bare. What comes back is a stranger's word.

A call is written so that Python and JavaScript read it alike: `None` is null, and `Date(0)` a date. Every exported
function of a changed file is recorded, also one that an object or a class holds, and a method where the object's fields
can be written down; not TypeScript, which no plain process runs.
"""

import json
import secrets
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from keyword import iskeyword
from pathlib import PurePosixPath

from bot.changes.syntax import matches, text_of, tree, with_parts
from bot.child_process import run_in_child
from bot.verification.calls.observe import Surroundings
from bot.verification.files.index import FileIndex
from bot.verification.programs import changed_lines, content, source_files
from bot.verification.testing.run import run_suite
from bot.verification.trial.setup import TrialSetup
from bot.verification.values import Ending, Observed, Program, RecordedCall, Suite

ENDINGS = (".js", ".cjs", ".mjs")
TOOLS = ("node_env", "process.", "node:test", "jest", "mocha", "vitest")
_MOST = 5_000  # calls that are read
_LONGEST = 4_000  # characters of one
_MOST_TESTS = 200  # files in whose place calls are made
_BARE = ("env", "-u", "PYTHONDONTWRITEBYTECODE")  # without what is there for tests alone
_SCRIPT = " ".join((files(__package__) / "node_calls.js").read_text(encoding="utf-8").split("\n"))
_IN_TEST = """\
const itsCalls = () => %s;
typeof it === "function" ? it("calls", itsCalls) : typeof test === "function" ? test("calls", itsCalls) : itsCalls();
"""
_OUTERMOST = "(program {0} @statement) (program (export_statement declaration: {0}) @statement)"
_CONSTANT = "(lexical_declaration (variable_declarator name: (_) @name value: %s))"
_NAMED = (
    "(function_declaration name: (_) @name) @assigned",
    "(class_declaration name: (_) @name)",
    _CONSTANT % "(object)",
    _CONSTANT % "[(arrow_function) (function_expression)] @around",
)
_EXPORTS = f"""[
  (program (export_statement value: (_) @around) @statement)
  {" ".join(map(_OUTERMOST.format, _NAMED))}
]"""
_REQUIRED = '(call_expression function: (identifier) @by arguments: (arguments (string) @source) (#eq? @by "require"))'
_DECLARED = f"(variable_declarator value: [{_REQUIRED} (member_expression object: {_REQUIRED})])"
_IMPORTS = f"""(program [
  (import_statement source: (string) @source) (expression_statement {_REQUIRED})
  (lexical_declaration {_DECLARED}) (variable_declaration {_DECLARED})
] @statement)"""


class NodeCalls:
    """Calls of one change's files. seconds: for each run that records or makes them."""

    def __init__(self, trial: TrialSetup, judges: FileIndex, seconds: float) -> None:
        self.trial, self.judges, self.seconds = trial, judges, seconds
        changed = ((path, after) for path, (_, after) in judges.touched.items() if path.endswith(ENDINGS))
        self.sources = {path: after for path, after in changed if after is not None}
        self.names = {path: file_name(path) for path in self.sources}  # by which calls name files

    def record(self) -> tuple[RecordedCall, ...]:
        """The calls that the head's tests make, those of lines that the change brings first."""
        into, head = secrets.token_hex(8), self.trial.head
        found = {path: run_in_child(with_recorder, path, text, into) for path, text in self.sources.items()}
        put = {path: text for path, text in found.items() if isinstance(text, bytes)}
        if not put:
            return ()
        program = replace(head, files={**head.files, **put})
        told = self._left(program, self.trial.suite, into, self.seconds)
        lines = changed_lines(head, self.trial.base.program, ENDINGS)
        fresh = {f"/work/{path}:{line}" for path, numbers in lines.items() for line in numbers}
        calls = [self._call(line, fresh) for line in told.decode(errors="replace").split("\n")[:_MOST]]
        return tuple(call for _, call in sorted(filter(None, calls), key=lambda each: each[0]))

    def _call(self, line: str, fresh: set[str]) -> tuple[bool, RecordedCall] | None:
        """Whether no line of these makes it, and the call."""
        try:
            path, name, own, given, places = json.loads(line)
            names = [self.names[path], *filter(None, name.split("."))]
            inside = (place.removeprefix("/work/").rpartition(":")[0] for place in places)
            test = next(filter(self.judges.judges, inside), path)
            call = ".".join(names)
            call += f".call(made({'.'.join(names[:-2])}, {own}), {given})" if own else f"({given})"
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None
        plain = len(call) <= _LONGEST and all(each.isidentifier() and not iskeyword(each) for each in names)
        return (fresh.isdisjoint(places), RecordedCall(test, path, path, call)) if plain else None

    def look(self, program: Program, calls: list[str], seconds: float, where: Surroundings) -> tuple[Observed, ...]:
        """What a program does with calls, `TESTED` where a test stands; as far as it comes."""
        into, suite = secrets.token_hex(8), self.trial.suite
        given = (
            json.dumps([[name, f"/work/{path}"] for path, name in self.names.items()]),
            json.dumps(calls),
            json.dumps(where is Surroundings.ELSEWHERE),
        )
        make = f"({_SCRIPT})({json.dumps(f'/results/{into}')}).make({', '.join(given)})"
        if where is Surroundings.TESTED:
            put = {path: f"{above};{_IN_TEST % make}".encode() for path, above in self._tests.items()}
        else:
            main = f"{secrets.token_hex(4)}.cjs"
            put = {main: f"{make}.then(() => process.exit(0));".encode()}
            suite = replace(suite, command=(*_BARE, "node", f"/work/{main}"))
        suite = replace(suite, files={**suite.files, **put}, locked=frozenset(), watched=frozenset())
        told = self._left(program, suite, into, min(self.seconds, seconds))
        return tuple(map(read_observed, told.split(b"\n")[:-1]))[: len(calls)]

    def _left(self, program: Program, suite: Suite, name: str, seconds: float) -> bytes:
        return run_suite(self.trial.executor, program, suite, seconds=seconds).left.get(name, b"")

    @cached_property
    def _tests(self) -> dict[str, str]:
        """The head's files of tests, and what each imports from packages."""
        head = self.trial.head
        named = filter(self.judges.tests_by_custom, sorted({*source_files(head.tree), *head.files}))
        paths = [path for path in named if path.endswith(ENDINGS)][:_MOST_TESTS]
        found = {path: run_in_child(imports_of_packages, path, content(head, path) or b"") for path in paths}
        return {path: above if isinstance(above, str) else "" for path, above in found.items()}


def read_observed(line: bytes) -> Observed:
    """What became of a call, as it was told. Half of a letter, which nobody can store, is spelt out."""
    try:
        ending, value = json.loads(line)
        return Observed(Ending(ending), str(value).encode(errors="backslashreplace").decode())
    except (ValueError, TypeError, RecursionError):
        return Observed(Ending.DIED)


def file_name(path: str) -> str:
    """By which calls name a file."""
    whole = str(PurePosixPath(path).with_suffix(""))
    name = "".join(each if each.isascii() and each.isalnum() else "_" for each in whole)
    return f"_{name}" if name[:1].isdigit() or iskeyword(name) else name


def imports_of_packages(path: str, source: bytes) -> str:
    """The statements of a file of tests that import packages."""
    found = ((each["statement"][0], text_of(each["source"][0])) for each in matches(path, source, _IMPORTS))
    return "\n".join(dict.fromkeys(text_of(node) for node, name in found if name[1:2] not in ("", ".", "/")))


def with_recorder(path: str, source: bytes, into: str) -> bytes | None:
    """The file, with each function that it may export recording its calls; all lines keep their numbers."""
    root, own = tree(path, source), f"calls_{into}"
    if root is None:
        return None
    around, below = dict[tuple[int, int], str](), dict[str, None]()
    for found in matches(path, source, _EXPORTS):
        default = text_of(found["statement"][0]).startswith("export default")
        local = text_of(found["name"][0]) if "name" in found else ""
        name = "default" if default else local
        if node := found.get("around", [None])[0]:
            around[node.start_byte, node.end_byte] = name
        else:
            below[f"{f'{local} = ' if 'assigned' in found else ''}{own}({json.dumps(name)}, {local});"] = None
    if not any(node.type in ("import_statement", "export_statement") for node in root.children):
        around, below = {}, {f'if (typeof module === "object") module.exports = {own}("", module.exports);': None}
    put = dict[tuple[int, int], bytes]()
    for (first, last), name in around.items():
        before, behind = f"{own}({json.dumps(name)}, {{{json.dumps(name)}: ", f"}}[{json.dumps(name)}])"
        put[first, last] = before.encode() + source[first:last] + behind.encode()
    recorder = f"({own}.its = {own}.its || ({_SCRIPT})({json.dumps(f'/results/{into}')}))"
    made = f"function {own}(name, made) {{ return {recorder}.record({json.dumps(path)}, name, made); }}"
    return with_parts(source, put) + "\n".join(["", *below, made, ""]).encode()
