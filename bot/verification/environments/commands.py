"""What a test command line means: pytest with its selection, whose every test is told apart, or a plain exit status."""

import re
import shlex
from dataclasses import dataclass

# Options of pytest that take the next word.
_WITH_VALUE = frozenset(
    ("-k", "-m", "-c", "-o", "-p", "-W", "-r", "-n", "--rootdir", "--ignore", "--deselect", "--confcutdir")
)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_SHELL = frozenset("|&;<>()$`*?[#~!{}")


@dataclass(frozen=True, slots=True)
class TestCommand:
    """select: pytest's files or node ids. command: a shell's argv whose exit status decides, instead of pytest.

    variables: to be set for pytest, its further options among them as `PYTEST_ADDOPTS`.
    """

    __test__ = False

    select: tuple[str, ...] = ()
    command: tuple[str, ...] | None = None
    variables: tuple[tuple[str, str], ...] = ()


def parse(line: str) -> TestCommand:
    """`pytest …` and `python -m pytest …`, perhaps after `NAME=value`, are pytest; whatever else is a command."""
    command = TestCommand(command=("/bin/sh", "-c", line))
    try:
        words = shlex.split(line)
    except ValueError:
        return command
    variables: dict[str, str] = {}
    while words and (assignment := _ASSIGNMENT.fullmatch(words[0])):
        variables[assignment[1]] = assignment[2]
        words.pop(0)
    if words[:1] in (["pytest"], ["py.test"]):
        rest = words[1:]
    elif words[:3] in (["python", "-m", "pytest"], ["python3", "-m", "pytest"]):
        rest = words[3:]
    else:
        return command
    if any(_SHELL & set(word) for word in shlex.split(line, posix=False) if word[0] not in "'\""):
        return command
    options, select = _split(rest)
    if options:
        variables["PYTEST_ADDOPTS"] = shlex.join(options)
    return TestCommand(tuple(select), None, tuple(variables.items()))


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """pytest's options with their values, and what it is to run."""
    options: list[str] = []
    select: list[str] = []
    waiting = False
    for word in words:
        if waiting or word.startswith("-"):
            options.append(word)
            waiting = not waiting and word in _WITH_VALUE
        else:
            select.append(word)
    return options, select
