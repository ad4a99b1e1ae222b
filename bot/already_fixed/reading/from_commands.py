"""A command of the project with the files that a report shows, and what it says wrongly."""

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from bot.already_fixed.project import Project
from bot.already_fixed.reading import classify, commands, tracebacks
from bot.already_fixed.reading.commands import CommandLine
from bot.already_fixed.reading.drafts import BEYOND, MOST, Draft, DraftReading
from bot.already_fixed.reading.page import ReportPage
from bot.already_fixed.values import Expectation, Failure, Form

_SILENT = re.compile(
    r"\b(?:no (?:error|warning|message|output|issue|complaint)s?|false[- ]positives?"
    r"|should(?: not|n't) (?:be (?:emitted|reported|raised|shown|flagged|checked)|emit|report|complain|warn|flag)"
    r"|should be (?:ignored|silent|accepted|skipped)|(?:does|do)(?:n't| not) (?:ignore|skip)|ignores?)\b",
    re.I,
)


def from_commands(page: ReportPage, project: Project) -> Iterator[tuple[DraftReading, set[int]]]:
    """Each with the numbers of the pieces that are its files, or what comes of it."""
    named = commands.files(page.parts)
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
            draft = Draft(Form.COMMAND, shlex.join(call.words), expectation, call.words, call.files)
            yield DraftReading((draft,)), {*named, *call.blocks, line.at, *shown}
        elif expectation and line.shown:
            yield DraftReading(unread="a command whose files it does not include"), set()


def _lines(page: ReportPage, project: Project, named: Collection[int]) -> list[CommandLine]:
    """The project's commands; where there is none, its main one for the file of which an output speaks."""
    found = list(islice(commands.lines(page.parts, project.commands, project.packages), MOST + 1))
    if found or project.package not in project.commands:
        return found
    for at, part in enumerate(page.parts):
        name = commands.spoken_of(part.text) if part.code and not tracebacks.is_trace(part.text) else ""
        if name and commands.messages(part.text) and at and _code_blocks(page, named):
            return [CommandLine((project.package, name), at - 1, shown=False)]
    return []


def _outputs(page: ReportPage, project: Project, at: int, named: Collection[int]) -> list[int]:
    """The pieces of code below, up to the next file or command."""
    found: list[int] = []
    for later in range(at + 1, len(page.parts)):
        part = page.parts[later]
        if later in named or any(commands.lines([part], project.commands, project.packages)):
            break
        if part.code:
            found.append(later)
    return found[:3]


def _code_blocks(page: ReportPage, named: Collection[int]) -> list[int]:
    blocks = commands.unnamed(page.parts, named)
    return [at for at in blocks if classify.is_python(page.parts[at]) and not classify.is_expected(page.parts[at])]


@dataclass(frozen=True, slots=True)
class _Call:
    """blocks: the numbers of the pieces that files without a name come from."""

    words: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    blocks: Collection[int] = ()


def _called(page: ReportPage, line: CommandLine, named: Mapping[int, tuple[str, str]], output: str) -> _Call | None:
    """The command with its files; `None` where one is not shown."""
    files = dict(named.values())
    wanted = [word for word in line.words[1:] if re.fullmatch(r"(?:[\w.-]+/)*[\w-]+\.py", word)]
    missing = [word for word in wanted if word not in files]
    blocks = [at for at in _code_blocks(page, named) if at != line.at]
    spoken = commands.spoken_of("\n".join(part.text for part in page.parts if part.code))
    if not wanted and len(blocks) == 1 and spoken and not files:
        missing, line = [spoken], replace(line, words=(*line.words, spoken))
    if len(missing) == 1 and len(blocks) == 1:
        files[missing[0]] = f"{page.parts[blocks[0]].text}\n"
        return _Call(line.words, tuple(files.items()), blocks)
    if any(word in output for word in missing) or not commands.holds(output, files):
        return None
    files.update(dict.fromkeys(missing, ""))
    return _Call(line.words, tuple(files.items()))


def _failing(output: str, expected: str, prose: str) -> Expectation | None:
    """What a command says wrongly, and what it should say."""
    if tracebacks.is_trace(output) and (told := tracebacks.raised(output)):
        return told.expected()
    wrong = commands.messages(output)
    if expected:
        right = commands.messages(expected)
        gone = tuple(line for line in wrong if line not in right)
        come = "\n".join(line for line in right if line not in wrong)
        if come:
            return Expectation(Failure.PRINTS, wrong=gone, right=come)
        return Expectation(Failure.WARNS, wrong=gone) if right and gone else None
    if not wrong:
        return None
    about = [line for line in wrong if any(word in line for word in _named_words(prose))]
    silent = _SILENT.search(prose)
    return Expectation(Failure.WARNS if silent else Failure.PRINTS, wrong=tuple(about) or wrong)


def _named_words(prose: str) -> list[str]:
    """What prose sets as code and looks like a message's name or a file's."""
    return [found[1] for found in re.finditer(r"`([\w./-]{4,60})`", prose) if re.search(r"[-./]", found[1])][:20]
