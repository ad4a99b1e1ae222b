"""The loop's `test` command: which tests are meant, and how a run is told."""

from bot.judges.agent.code_tools import UnreadableCode
from bot.verification.programs import content
from bot.verification.repair.source import inside
from bot.verification.values import Program, Suite, TestRun

MESSAGES = 5  # failing tests whose messages are shown
MAX_MESSAGE = 800  # characters
NAMES = 30


def chosen(names: tuple[str, ...], program: Program, suite: Suite) -> tuple[str, ...]:
    """The names, each a file of tests with or without what pytest calls a test in it. Raises `Unreadable`."""
    if names and suite.command is not None:
        raise UnreadableCode("the tests here are run by one command, all together; name none")
    for name in names:
        path = inside(name.partition("::")[0])
        known = path in suite.files or content(program, path) is not None
        if not name.isprintable() or name.startswith(("-", "@")) or not path.endswith(".py") or not known:
            raise UnreadableCode(
                "tests are named by a file of them, such as tests/test_a.py or tests/test_a.py::test_b"
            )
    return names


def told(run: TestRun) -> tuple[str, ...]:
    """The run in lines: how many failed, what the first of them said, the names of the others."""
    failing = run.failing
    passed = len(run.results) - len(failing)
    lines = [f"{len(failing)} failed, {passed} did not fail." if run.results else "No test ran."]
    if run.problem:
        lines.append(f"The run does not count: {run.problem}")
    for result in failing[:MESSAGES]:
        lines.append(f"{result.status.value.upper()} {result.name}")
        lines += [f"    {line}" for line in result.message[-MAX_MESSAGE:].splitlines()]
    lines += [f"{result.status.value.upper()} {result.name}" for result in failing[MESSAGES:NAMES]]
    if len(failing) > NAMES:
        lines.append(f"... and {len(failing) - NAMES} more")
    return tuple(lines)
