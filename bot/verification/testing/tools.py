"""The test tools beside pytest whose every test is seen, one table: a new one is a row here and a reader in
`runners.py`. The docs' table and the line of `bouncer doctor` are made of it."""

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.verification.testing import runners
from bot.verification.testing.inside.short import shorten_name
from bot.verification.testing.runners import of_text
from bot.verification.values import TestResult


@dataclass(frozen=True, slots=True)
class TestTool:
    """report: stands in `{report:NAME}` for its reporter's file, which may miss for `{report?:NAME}`. program: runs it.

    begins: the words by which a command of this tool is known. told: those behind them -> the command with its
    reporter's options; empty where it has one of its own.
    read: the tests in its report.
    """

    name: str
    language: str
    program: str
    report: str
    begins: tuple[str, ...]
    told: Callable[[list[str]], str]
    read: Callable[[str], Iterator[TestResult]]


def _told(before: str, behind: str) -> Callable[[list[str]], str]:
    """These words before and behind what stands there."""
    return lambda rest: " ".join(filter(None, [before, shlex.join(rest), behind]))


def _vitest(rest: list[str]) -> str:
    once = [] if "run" in rest[:1] or "--run" in rest else ["--run"]
    told = _told("vitest", "--coverage.enabled=false --reporter=json --outputFile={report:jest}")
    return told([*(word for word in rest if word != "--coverage"), *once])


_NODE_REPORTER = f"{shlex.quote(f'--test-reporter={runners.REPORTER}')} --test-reporter-destination="
_PERHAPS = f"{_NODE_REPORTER}{{report?:node}} "


def _node(rest: list[str]) -> str:
    if "--test" not in rest or any("test-reporter" in word for word in rest):
        return ""
    rest = [word for word in rest if "-test-coverage" not in word]
    return f"node {_NODE_REPORTER}{{report:node}} {shlex.join(rest)}"


def _cargo(rest: list[str]) -> str:
    told = _told("cargo test --no-fail-fast", "> {report:cargo} 2>&1")
    return told([word for word in rest if word not in ("-q", "--quiet")])


_jest = _told("jest", "--coverage=false --ci --json --outputFile={report:jest}")
_mocha = _told("mocha", "--reporter json --reporter-option output={report:mocha}")
_go = _told("go test -json", "> {report:go} 2>&1")
_SCRIPT = "JavaScript, TypeScript"
TEST_TOOLS = (
    # Its JSON reporter writes what jest's does.
    TestTool("vitest", _SCRIPT, "node", "jest", ("vitest",), _vitest, runners.of_jest),
    TestTool("jest", _SCRIPT, "node", "jest", ("jest",), _jest, runners.of_jest),
    TestTool("mocha", _SCRIPT, "node", "mocha", ("mocha",), _mocha, runners.of_mocha),
    TestTool("node:test (Node 20 or later)", _SCRIPT, "node", "node", ("node",), _node, runners.of_node),
    TestTool("go test", "Go", "go", "go", ("go", "test"), _go, runners.of_go),
    TestTool("cargo test", "Rust", "cargo", "cargo", ("cargo", "test"), _cargo, runners.of_cargo),
)
# In the place of a tool's: of a command that has no tests, of one that is a test, and of one that writes JUnit's XML.
BESIDE, PROGRAM, JUNIT = "beside", "program", "junit"
READERS = {tool.report: of_text(tool.read) for tool in TEST_TOOLS}
READERS |= {BESIDE: of_text(runners.of_beside), PROGRAM: of_text(runners.of_program), JUNIT: runners.of_junit}


def with_reporter(words: list[str]) -> str:
    """The command with the options that let it tell of each test; empty where no tool is known for it."""
    tool = tool_of(words)
    return tool.told(words[len(tool.begins) :]) if tool else ""


def perhaps_with_reporter(words: list[str]) -> str:
    """The same for a program of Node's, which may have tests of node:test in it; without any it goes as ever."""
    plain = words[:1] == ["node"] and not any("test-reporter" in word for word in words)
    return f"node {_PERHAPS}{shlex.join(words[1:])}" if plain and words[1:] else ""


# A function of the shell for a command that tells of no tests: it writes down how that ended and what it said.
_BESIDE = 'beside() { { echo "$2"; eval "$2"; own=$?; echo; echo $own; } > "$1" 2>&1; [ $own = 0 ] || red=1; }; '
_CALLS = {kind: f"beside {{report:{kind}}} " for kind in (BESIDE, PROGRAM)}
_GO_ON, _END = " || red=1; }", " && exit ${red-0}"


def join_commands(parts: Iterable[str], beside: Mapping[str, str], tests: Collection[str]) -> str:
    """The command line that runs these one after the other, whether or not those beside the tests end well, and tests
    before others; all must, for it to end well. beside: the kind of each."""
    on = [f"{{ {part}{_GO_ON}" if part in tests and len(tests) > 1 else part for part in parts]
    line = " && ".join(f"{_CALLS[beside[part]]}{shlex.quote(part)}" if part in beside else part for part in on)
    calls = any(call in line for call in _CALLS.values())
    return f"{_BESIDE if calls else ''}{line}{_END if calls or _GO_ON in line else ''}"


def command_name(command: tuple[str, ...] | None) -> str:
    """What a command is called where it counts as one test."""
    words = command or ()
    for own in (_PERHAPS, _BESIDE, *_CALLS.values(), _END):
        words = tuple(word.replace(own, "") for word in words)
    return shorten_name(shlex.join(words))


def tool_of(words: list[str]) -> TestTool | None:
    """The tool that a command calls; `None` where none is known for it."""
    return next((tool for tool in TEST_TOOLS if tuple(words[: len(tool.begins)]) == tool.begins), None)
