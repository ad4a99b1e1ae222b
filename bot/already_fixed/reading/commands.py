"""Reports about a command: the files that they name, the command, what it says wrongly. Pure; never raises.

A file is a block that a name leads to, or that names itself in its first line. A report that shows one file and what a
tool says of it, line by line, need not show the command.
"""

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from bot.already_fixed.reading.blocks import ReportBlock

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
_INLINE = re.compile(r"`([\w.-]{2,40} [^`\n]{2,200})`")
_TOML = re.compile(r"\s*(?:#[^\n]{0,200}\n\s*){0,9}\[tool\.")
_ASKS = frozenset({"--version", "--help", "-V", "-h"})
_LONGEST, _LONGEST_LINE = 20_000, 500
_CODE = ("", "python", "py", "python3", "py3")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """words: a plain command. at: the number of the piece that shows it, or in whose prose it stands.

    shown: whether the report names the command, and not only what it says.
    """

    words: tuple[str, ...]
    at: int
    shown: bool = True


def files(parts: Sequence[ReportBlock]) -> dict[int, tuple[str, str]]:
    """By the number of the piece: the name and the text of each file that a report shows."""
    found: dict[int, tuple[str, str]] = {}
    for at, part in enumerate(parts):
        if not part.code or len(part.text) > _LONGEST or len(found) == MOST_FILES:
            continue
        first, _, rest = part.text.partition("\n")
        if itself := _ITSELF.fullmatch(first.strip()):
            name, text = itself[1], rest
        elif led := (_led(part.lead) or _HEADING.fullmatch(part.heading)):
            name, text = led[1], part.text
        elif _TOML.match(part.text):
            name, text = "pyproject.toml", part.text
        else:
            continue
        if ".." not in name:
            found[at] = (name, f"{text.strip(chr(10))}\n")
    return found


def _led(lead: str) -> re.Match[str] | None:
    """The name of a file that leads to a piece; the last word of a command is none."""
    return None if _CALL.search(lead) else _LED.search(lead[-120:])


def plain(line: str) -> tuple[str, ...]:
    """The words of a plain command: no pipes, redirections, variables, nor anything outside the directory."""
    if len(line) > _LONGEST_LINE or re.search(r"[|<>&;`$]", line):
        return ()
    try:
        words = tuple(shlex.split(line))
    except ValueError:
        return ()
    return words if words and not any(word.startswith(("/", "~")) or ".." in word for word in words[1:]) else ()


def of_project(words: Sequence[str], commands: Collection[str], packages: Collection[str]) -> bool:
    """Whether it is a console command of the project, or `python -m` one of its packages."""
    if not words or _ASKS.intersection(words) or re.match(r"v?\d{1,4}\.\d", "".join(words[1:2])):
        return False  # a version is asked for, or told
    if len(words) > 2 and re.fullmatch(r"python3?(?:\.\d+)?", words[0]) and words[1] == "-m":
        return words[2].partition(".")[0] in packages
    return words[0] in commands


def lines(parts: Sequence[ReportBlock], commands: Collection[str], packages: Collection[str]) -> Iterator[CommandLine]:
    """The project's commands in a report, in order: the only one of a block, or one in prose between backticks."""
    for at, part in enumerate(parts):
        if part.code:
            shown = [re.sub(r"^\s*[$%>] ", "", line).strip() for line in part.text.split("\n")[:50]]
            may = (line for line in shown if line.startswith(("python", *commands)))
            own = [words for line in may if of_project(words := plain(line), commands, packages)]
            if len(own) == 1:
                yield CommandLine(own[0], at)
        else:
            for found in _INLINE.finditer(part.text):
                words = plain(found[1])
                if len(words) > 1 and of_project(words, commands, packages):
                    yield CommandLine(words, at)


def spoken_of(output: str) -> str:
    """The one file that an output speaks of line by line, by its name; empty where there are several, or none.

    Of several, the one that is named without a directory.
    """
    places = {found[1] for found in _PLACE.finditer(output[:_LONGEST])}
    bare = {place for place in places if not re.search(r"[/\\]", place)}
    names = {re.split(r"[/\\]", place)[-1] for place in bare or places}
    return names.pop() if len(names) == 1 else ""


def holds(output: str, files: Collection[str]) -> bool:
    """Whether the files hold one of which an output speaks line by line, if it speaks of any."""
    names = {re.split(r"[/\\]", found[1])[-1] for found in _PLACE.finditer(output[:_LONGEST])}
    return not names or any(file.rpartition("/")[2] in names for file in files)


def messages(output: str) -> tuple[str, ...]:
    """The lines of an output that say that something is wrong."""
    found = (line.strip() for line in output[:_LONGEST].split("\n") if len(line) < 400 and _SAYS.search(line))
    return tuple(dict.fromkeys(found))[:20]


def unnamed(parts: Sequence[ReportBlock], named: Collection[int]) -> list[int]:
    """The blocks of Python that no name leads to."""
    return [at for at, part in enumerate(parts) if part.code and at not in named and part.language in _CODE]
