"""Reports about a command: the files that they name, the command, what it says wrongly. Pure; never raises.

A file is a block that a name leads to, or that names itself in its first line. A report that shows one file and what a
tool says of it, line by line, need not show the command.
"""

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from pathlib import PureWindowsPath

from bot.already_fixed.project import Project
from bot.already_fixed.reading import classify, tracebacks
from bot.already_fixed.reading.blocks import ReportBlock
from bot.already_fixed.reading.drafts import BEYOND, MOST, DraftReading
from bot.already_fixed.reading.expected_value import in_backticks
from bot.already_fixed.reading.page import ReportPage
from bot.already_fixed.reading.wording import pattern
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction

MOST_FILES = 12
_NAME = (
    r"((?:[\w-]{1,60}/){0,6}(?:[\w.-]{1,60}\.(?:py|pyi|rst|txt|ini|cfg|toml|json|md|ya?ml|xml|html|csv|tex)"
    r"|\.[a-z]{2,20}rc|Makefile))"
)
_LED = re.compile(
    rf"(?:^|[\s`*'\"(]){_NAME}[`*'\")]{{0,3}}(?: (?:file|contains|with|is|has)){{0,2}}[`*\s]{{0,3}}:?[*\s]{{0,3}}$"
)
_CALL = re.compile(r"`[\w./-]{1,60} [^`\n]{1,200}`[\s:*]{0,5}$")
_HEADING = re.compile(rf"[`*'\" ]{{0,4}}{_NAME}[`*'\": ]{{0,4}}")
_ITSELF = re.compile(rf"(?:#+|//|\.\.|;)[-= ]{{0,6}}(?:in |file:? |filename:? )?[`'\"]?{_NAME}[`'\"]?[-=: ]{{0,6}}")
_PLACE = re.compile(r"(?:^|[\s(])((?:[\w.~-]{0,60}[/\\]){0,12}[\w.-]{1,60}\.(?:py|rst|pyi)):\d{1,6}\b")
_SAYS = re.compile(r"\.(?:py|pyi|rst|txt):\d{1,6}\b|\b(?:WARNING|ERROR|CRITICAL)\b|\b(?:error|warning): ", re.M)
_TOML = re.compile(r"\s*(?:#[^\n]{0,200}\n\s*){0,9}\[tool\.")
_ASKS = frozenset({"--version", "--help", "-V", "-h"})
_LONGEST, _LONGEST_LINE = 20_000, 500
_SILENT = pattern("silent")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """words: a plain command. at: the number of the piece that shows it, or in whose prose it stands.

    shown: whether the report names the command, and not only what it says. files: names and texts. blocks: the numbers
    of the pieces that files without a name come from.
    """

    words: tuple[str, ...]
    at: int
    shown: bool = True
    files: tuple[tuple[str, str], ...] = ()
    blocks: Collection[int] = ()


def report_files(parts: Sequence[ReportBlock]) -> dict[int, tuple[str, str]]:
    """By the number of the piece: the name and the text of each file that a report shows."""
    found: dict[int, tuple[str, str]] = {}
    for at, part in enumerate(parts):
        if not part.code or len(part.text) > _LONGEST or len(found) == MOST_FILES:
            continue
        first, _, rest = part.text.partition("\n")
        if itself := _ITSELF.fullmatch(first.strip()):
            name, text = itself[1], rest
        elif led := (not _CALL.search(part.lead) and _LED.search(part.lead[-120:])) or _HEADING.fullmatch(part.heading):
            name, text = led[1], part.text
        elif _TOML.match(part.text):
            name, text = "pyproject.toml", part.text
        else:
            continue
        if ".." not in name:
            found[at] = (name, f"{text.strip(chr(10))}\n")
    return found


def plain_words(line: str) -> tuple[str, ...]:
    """The words of a plain command: no pipes, redirections, variables, nor anything outside the directory."""
    if len(line) > _LONGEST_LINE or not set("|<>&;`$").isdisjoint(line):
        return ()
    try:
        words = tuple(shlex.split(line))
    except ValueError:
        return ()
    return words if words and not any(word.startswith(("/", "~")) or ".." in word for word in words[1:]) else ()


def of_project(words: Sequence[str], project: Project) -> bool:
    """Whether it is a console command of the project, or `python -m` one of its packages."""
    if not words or _ASKS.intersection(words) or re.match(r"v?\d{1,4}\.\d", "".join(words[1:2])):
        return False  # a version is asked for, or told
    if len(words) > 2 and words[0].rstrip("0123456789.") == "python" and words[1] == "-m":
        return words[2].partition(".")[0] in project.packages
    return words[0] in project.commands


def command_lines(parts: Sequence[ReportBlock], project: Project) -> Iterator[CommandLine]:
    """The project's commands in a report, in order: the only one of a block, or one in prose between backticks."""
    for at, part in enumerate(parts):
        if part.code:
            typed = (line.lstrip() for line in part.text.split("\n")[:50])
            shown = [line[2:] if line.startswith((*classify.PROMPTS, "> ")) else line for line in typed]
            may = (line for line in shown if line.startswith(("python", *project.commands)))
            own = [words for line in may if of_project(words := plain_words(line), project)]
            if len(own) == 1:
                yield CommandLine(own[0], at)
        else:
            for text in in_backticks(part.text):
                words = plain_words(text)
                if len(words) > 1 and of_project(words, project):
                    yield CommandLine(words, at)


def spoken_of(output: str) -> set[str]:
    """The names of the files that an output speaks of line by line; of several, those without a directory."""
    places = {found[1] for found in _PLACE.finditer(output[:_LONGEST])}
    return {place for place in places if PureWindowsPath(place).name == place} or {
        PureWindowsPath(place).name for place in places
    }


def messages(output: str) -> tuple[str, ...]:
    """The lines of an output that say that something is wrong."""
    found = (line.strip() for line in output[:_LONGEST].split("\n") if len(line) < 400 and _SAYS.search(line))
    return tuple(dict.fromkeys(found))[:20]


def from_commands(page: ReportPage, project: Project) -> Iterator[tuple[DraftReading, set[int]]]:
    """Each with the numbers of the pieces that are its files, or what comes of it."""
    named = report_files(page.parts)
    lines = _lines(page, project, named)
    if len(lines) > MOST:
        yield DraftReading(unread=BEYOND), set()
    for line in lines[:MOST]:
        shown = _outputs(page, project, line.at, named)
        text = page.parts[line.at].text if page.parts[line.at].code else ""
        outputs = [page.parts[at].text for at in shown if not classify.is_expected(page.parts[at])]
        output = "\n".join([text.partition("\n")[2], *outputs])
        around = (*page.parts[line.at :], *page.parts[: line.at])
        right = next((part.text for part in around if part.code and classify.is_expected(part)), "")
        expectation = _failing(output, right, page.prose)
        call = _called(page, line, named, output) if expectation else None
        if expectation and call:
            code = shlex.join(call.words)
            draft = Reproduction("", Form.COMMAND, code, expectation, "", call.words, call.files)
            yield DraftReading((draft,)), {*named, *call.blocks, line.at, *shown}
        elif expectation and line.shown:
            yield DraftReading(unread="a command whose files it does not include"), set()


def _lines(page: ReportPage, project: Project, named: Collection[int]) -> list[CommandLine]:
    """The project's commands; where there is none, its main one for the file of which an output speaks."""
    found = list(islice(command_lines(page.parts, project), MOST + 1))
    if found or project.package not in project.commands:
        return found
    for at, part in enumerate(page.parts):
        names = spoken_of(part.text) if part.code and not tracebacks.is_trace(part.text) else ()
        if len(names) == 1 and messages(part.text) and at and _code_blocks(page, named):
            return [CommandLine((project.package, *names), at - 1, shown=False)]
    return []


def _outputs(page: ReportPage, project: Project, at: int, named: Collection[int]) -> list[int]:
    """The pieces of code below, up to the next file or command."""
    below = range(at + 1, len(page.parts))
    own = takewhile(lambda n: n not in named and not any(command_lines([page.parts[n]], project)), below)
    return [later for later in own if page.parts[later].code][:3]


def _code_blocks(page: ReportPage, named: Collection[int]) -> list[int]:
    """The blocks of Python that no name leads to."""
    languages = {"", *classify.NAMED}
    blocks = [(at, part) for at, part in enumerate(page.parts) if part.code and at not in named]
    blocks = [(at, part) for at, part in blocks if part.language in languages and classify.is_python(part)]
    return [at for at, part in blocks if not classify.is_expected(part)]


def _called(
    page: ReportPage, line: CommandLine, named: Mapping[int, tuple[str, str]], output: str
) -> CommandLine | None:
    """The command with its files; `None` where one is not shown."""
    files = dict(named.values())
    wanted = [word for word in line.words[1:] if word.endswith(".py") and not word.startswith("-")]
    missing = [word for word in wanted if word not in files]
    blocks = [at for at in _code_blocks(page, named) if at != line.at]
    spoken = spoken_of("\n".join(part.text for part in page.parts if part.code))
    if not wanted and len(blocks) == len(spoken) == 1 and not files:
        missing, line = [*spoken], replace(line, words=(*line.words, *spoken))
    if len(missing) == 1 and len(blocks) == 1:
        files[missing[0]] = f"{page.parts[blocks[0]].text}\n"
        return replace(line, files=tuple(files.items()), blocks=blocks)
    told = spoken_of(output)
    if any(word in output for word in missing) or (told and told.isdisjoint(file.rpartition("/")[2] for file in files)):
        return None
    files.update(dict.fromkeys(missing, ""))
    return replace(line, files=tuple(files.items()))


def _failing(output: str, expected: str, prose: str) -> Expectation | None:
    """What a command says wrongly, and what it should say."""
    if tracebacks.is_trace(output) and (told := tracebacks.raised(output)):
        return told.expected()
    wrong = messages(output)
    if expected:
        right = messages(expected)
        gone = tuple(line for line in wrong if line not in right)
        come = "\n".join(line for line in right if line not in wrong)
        if come:
            return Expectation(Failure.PRINTS, wrong=gone, right=come)
        return Expectation(Failure.WARNS, wrong=gone) if right and gone else None
    if not wrong:
        return None
    # What prose sets as code and looks like a message's name or a file's.
    named = [word for word in in_backticks(prose) if len(word) > 3 and " " not in word and set(word) & set("-./")][:20]
    about = tuple(line for line in wrong if any(word in line for word in named))
    return Expectation(Failure.WARNS if _SILENT.search(prose) else Failure.PRINTS, wrong=about or wrong)
