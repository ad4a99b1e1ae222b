"""What a test command line means: pytest with its selection, whose every test is told apart, or a plain exit status."""

import posixpath
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from _pytest.config import get_config

from bot.changes.wrappers import inner_command
from bot.verification.environments.ci.reader import Installs, PlanReader, Tests
from bot.verification.environments.ci.scripts import ASSIGNMENT, ScriptPlace
from bot.verification.environments.manifests import Manifests, cd
from bot.verification.testing.tools import BESIDE, PROGRAM, join_commands, perhaps_with_reporter, with_reporter
from bot.verification.values import Environment, Program, Suite

_DEEPEST = 3  # scripts that call each other
_CHAIN, _PATTERNS = frozenset("|;<>()$`&"), frozenset("*?[#~!{}")
_NOTHING = Manifests(Program(None, {}))


def parse(line: str, manifests: Manifests = _NOTHING, *, bare: bool = False) -> tuple[Suite, tuple[str, ...]]:
    """The suite that a command line runs, and the packages without which it does not. In its environment stand the
    variables that are to be set, pytest's further options among them as `PYTEST_ADDOPTS`.

    `pytest …`, `python -m pytest …`, `uv run pytest …`, perhaps after `NAME=value`, are pytest, which also runs what
    is written for unittest and Django; whatever else is a command. manifests: of the base. bare: nothing can be
    installed for it.

    A command whose runner can tell of each test is made to; see `with_reports`.
    """
    found = _of_pytest(line, manifests, _PYTHON if bare else _PYTHON | _BY_INSTALLERS)
    if found is None or (bare and found[1]):
        return Suite(command=("/bin/sh", "-c", with_reports(line, manifests.scripts))), ()
    return found


def in_folder(suite: Suite, folder: str, variables: Mapping[str, str]) -> Suite:
    """The same in a folder, with these variables as well. What it selects is from the root all the same; a command goes
    there itself."""
    own = suite.environment.variables
    both = {**{name: value for name, value in variables.items() if name != "PATH"}, **own}
    if (options := variables.get("PYTEST_ADDOPTS")) and "PYTEST_ADDOPTS" in own:
        both["PYTEST_ADDOPTS"] = f"{options} {own['PYTEST_ADDOPTS']}"
    command, select = suite.command, suite.select
    if folder and command:
        command = (*command[:-1], cd(folder) + command[-1])
    elif folder:
        select = tuple(posixpath.normpath(posixpath.join(folder, each)) for each in select or (".",))
    return replace(suite, select=select, command=command, folder=folder, environment=Environment(variables=both))


_PYTHON = frozenset(("pytest", "py.test", "python", "python3", "coverage"))
_BY_INSTALLERS = frozenset(("uv", "poetry", "pdm", "pipenv"))  # what they run, setup has installed


def _of_pytest(line: str, manifests: Manifests, programs: frozenset[str]) -> tuple[Suite, tuple[str, ...]] | None:
    """What one of these programs has pytest run, where a shell has nothing else to read or to run."""
    parts, reader = line.split("&&"), PlanReader(manifests)
    plain = all("".join(_begins(part, _CHAIN | _PATTERNS)[1][:1]) in programs for part in parts)
    read = [each for part in parts if plain and (each := list(reader.read(part, ScriptPlace())))]
    test = read[0].pop() if len(read) == 1 else None
    if not isinstance(test, Tests) or not test.line.startswith("pytest") or test.place.folder or test.place.depth:
        return None
    needs = [name for each in read[0] if isinstance(each, Installs) and each.needs for name in each.needs.named]
    (options, select), variables = _split(shlex.split(test.line)[1:]), dict(test.place.variables)
    if options:
        variables["PYTEST_ADDOPTS"] = shlex.join(options)
    asked = {"pytest", "py.test"} & set(line.split())
    suite = Suite(select=tuple(select), environment=Environment(variables=variables))
    return suite, (*(() if asked else ("pytest",)), *needs)


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """pytest's options with their values, and what it is to run."""
    options: list[str] = []
    select: list[str] = []
    waiting = False
    for word in words:
        option = word.startswith("-")
        (options if option or waiting else select).append(word)
        long = word.startswith("--") and "=" not in word
        waiting = option and (long or len(word) == 2) and word not in _flags()
    return options, select


@cache
def _flags() -> frozenset[str]:
    """pytest's own options that take no word; of its plugins' nobody knows here, and most take one."""
    known = get_config()._parser.optparser._actions
    return frozenset(name for action in known if action.nargs == 0 for name in action.option_strings)


def with_reports(line: str, scripts: Mapping[str, object]) -> str:
    """The line with the options that let its runners tell of each test; as it is where none is known.

    `npm test` is what the base's script says, so that a change's own script never runs. `{report:KIND}` stands for the
    file; see `testing.tools`. A plain program of Node's in a further part is a test as well.
    """
    parts = [*_parts(line, scripts, _unmeasured)]
    told = [_told(part, with_reporter) for part in parts]
    if parts and not any(told):  # the last one may have tests all the same
        told[-1] = _told(parts[-1], perhaps_with_reporter)
    if not any(told):
        return line if parts == [*_parts(line, scripts, str)] else " && ".join(parts) or "true"
    further = [part for each in line.split("&&")[1:] for part in _parts(each, scripts, _unmeasured)]
    programs = {part for part in further if perhaps_with_reporter(_begins(part)[1])}
    kinds = {part: PROGRAM if part in programs else BESIDE for part in parts}
    beside = {part: kind for part, kind in kinds.items() if _begins(part)[1]}  # what a shell has to read stays as it is
    commands = (new or old for new, old in zip(told, parts, strict=True))
    return join_commands(commands, beside, [*filter(None, told)])


_ONLY_MEASURING = (("report",), ("check-coverage",), ("merge",), ())


def _unmeasured(part: str) -> str:
    """A command without what measures coverage around it, whose thresholds judge nobody: what tests say does. Empty
    where it does nothing else."""
    variables, words = _program(part)
    before = _written(variables)
    if words[:1] in (["nyc"], ["c8"]):
        inner = inner_command(tuple(words))
        return "" if inner[:1] in _ONLY_MEASURING else f"{before}{shlex.join(inner)}"
    measures = words[2:] if words[1:3] == ["-m", "coverage"] else words
    if measures[:1] != ["coverage"]:
        return part
    at = next((at for at, word in enumerate(measures) if word == "-m" or word.endswith(".py")), len(measures))
    return f"{before}{shlex.join(['python', *measures[at:]])}" if measures[1:2] == ["run"] else ""


def _parts(
    line: str, scripts: Mapping[str, object], made: Callable[[str], str], before: str = "", depth: int = 0
) -> Iterator[str]:
    """The commands that a line runs one after the other, those of scripts in place of their names. made: what each is
    to be. before: assignments for all."""
    for part in (f"{before}{each.strip()}" for each in line.split("&&")):
        own = made(part)
        variables, words = _begins(own)
        name, more = _named(words)
        script = scripts.get(name)
        shell = variables and _CHAIN & set(str(script).replace("&&", ""))
        if isinstance(script, str) and depth < _DEEPEST and not shell:
            first = scripts.get(f"pre{name}")
            for each in (*([first] if isinstance(first, str) else []), f"{script} {more}".rstrip()):
                yield from _parts(each, scripts, made, _written(variables), depth + 1)
        elif own or not part:
            yield own


def _named(words: list[str]) -> tuple[str, str]:
    """The script of `package.json` that a command runs by its name, if any, and what it is given."""
    rest = words[1 + (words[1:2] in (["run"], ["run-script"])) :] if words[:1] in _BY_NAME else []
    if not rest or rest[0].startswith("-") or rest[1:2] not in ([], ["--"]):
        return "", ""
    return {"t": "test"}.get(rest[0], rest[0]), shlex.join(rest[2:])


_BY_NAME = (["npm"], ["pnpm"], ["yarn"])


def _told(part: str, reporter: Callable[[list[str]], str]) -> str:
    """One command with its reporter's options; empty where none is known."""
    variables, words = _program(part)
    options = reporter([word for word in words if not word.startswith("--reporter=")])
    return f"{_written(variables)}{options}" if options else ""


def _written(variables: Mapping[str, str]) -> str:
    """Assignments as they stand before a command."""
    return "".join(f"{name}={shlex.quote(value)} " for name, value in variables.items())


def _begins(part: str, forbidden: frozenset[str] = _CHAIN) -> tuple[dict[str, str], list[str]]:
    """The variables that a command gets, and its words, without what only starts it; none of what a shell must read."""
    try:
        plain = not any(forbidden & set(word) for word in shlex.split(part, posix=False) if word[0] not in "'\"")
        words = shlex.split(part) if plain and "\n" not in part else []
    except ValueError:
        words = []
    variables = dict[str, str]()
    while words and ((found := ASSIGNMENT.fullmatch(words[0])) or words[0] in ("npx", "--no-install", "cross-env")):
        variables |= {found[1]: found[2]} if found else {}
        words = words[1:]
    return variables, words


def _program(part: str) -> tuple[dict[str, str], list[str]]:
    """The same, without the package manager that runs a program of the project's packages."""
    variables, words = _begins(part)
    return variables, words[1 + (words[1:2] == ["exec"]) :] if words[:1] in _BY_NAME[1:] else words
