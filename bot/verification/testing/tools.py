"""The test tools of other languages whose every test is seen, one table: a new one is a row here and a reader in
`runners.py`. The docs' table and the line of `bouncer doctor` are made of it."""

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.verification.testing import runners
from bot.verification.values import TestResult


@dataclass(frozen=True, slots=True)
class TestTool:
    """report: stands in `{report:NAME}`, the file that its reporter writes. program: what runs it, as it is called.

    told: the words of a command of this tool -> that command with its reporter's options; empty for any other command.
    read: the tests in its report. builds: it compiles the program first, which takes more processes and memory.
    """

    name: str
    language: str
    program: str
    report: str
    told: Callable[[list[str]], str]
    read: Callable[[str], Iterator[TestResult]]
    builds: bool = False


def _vitest(words: list[str]) -> str:
    match words:
        case ["vitest", *rest]:
            once = [] if "run" in rest[:1] or "--run" in rest else ["--run"]
            return shlex.join(["vitest", *rest, *once, "--reporter=json"]) + " --outputFile={report:jest}"
    return ""


def _jest(words: list[str]) -> str:
    match words:
        case ["jest", *rest]:
            return shlex.join(["jest", *rest, "--ci", "--json"]) + " --outputFile={report:jest}"
    return ""


def _mocha(words: list[str]) -> str:
    match words:
        case ["mocha", *rest]:
            return shlex.join(["mocha", *rest, "--reporter", "json"]) + " --reporter-option output={report:mocha}"
    return ""


def _node(words: list[str]) -> str:
    match words:
        case ["node", *rest] if "--test" in rest and not any("test-reporter" in word for word in rest):
            reporter = shlex.quote(f"--test-reporter={runners.REPORTER}")
            return f"node {reporter} --test-reporter-destination={{report:node}} {shlex.join(rest)}"
    return ""


def _go(words: list[str]) -> str:
    match words:
        case ["go", "test", *rest]:
            return f"go test -json {shlex.join(rest)} > {{report:go}} 2>&1"
    return ""


def _cargo(words: list[str]) -> str:
    match words:
        case ["cargo", "test", *rest]:
            told = [word for word in rest if word not in ("-q", "--quiet")]
            return shlex.join(["cargo", "test", "--no-fail-fast", *told]) + " > {report:cargo} 2>&1"
    return ""


_SCRIPT = "JavaScript, TypeScript"
TEST_TOOLS = (
    TestTool("vitest", _SCRIPT, "node", "jest", _vitest, runners.of_jest),  # its JSON reporter writes what jest's does
    TestTool("jest", _SCRIPT, "node", "jest", _jest, runners.of_jest),
    TestTool("mocha", _SCRIPT, "node", "mocha", _mocha, runners.of_mocha),
    TestTool("node:test (Node 20 or later)", _SCRIPT, "node", "node", _node, runners.of_node),
    TestTool("go test", "Go", "go", "go", _go, runners.of_go, builds=True),
    TestTool("cargo test", "Rust", "cargo", "cargo", _cargo, runners.of_cargo, builds=True),
)
READERS = {tool.report: tool.read for tool in TEST_TOOLS}
BUILDING = frozenset(tool.report for tool in TEST_TOOLS if tool.builds)


def with_reporter(words: list[str]) -> str:
    """The command with the options that let it tell of each test; empty where no tool is known for it."""
    return next(filter(None, (tool.told(words) for tool in TEST_TOOLS)), "")
