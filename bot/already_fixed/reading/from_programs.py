"""Programs in other languages than Python, and commands of the repository, each with what it prints. Pure.

Whether one can be run, nobody asks here: where it cannot, the base does not behave as the report says.
"""

import shlex
from collections.abc import Collection

from bot.already_fixed.project import Project
from bot.already_fixed.reading import classify
from bot.already_fixed.reading.blocks import ReportBlock
from bot.already_fixed.reading.drafts import ANYTHING, DraftReading, ExampleContext
from bot.already_fixed.reading.failing import failing
from bot.already_fixed.reading.from_commands import of_project, plain_words, report_files
from bot.already_fixed.reading.page import ReportPage
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction

_STARTERS = frozenset({"python", "python3", "node", "sh", "bash", "perl", "ruby"})


def from_program(page: ReportPage, at: int, context: ExampleContext) -> DraftReading:
    """What a block gives that is neither Python nor a session of it."""
    part = page.parts[at]
    words, rest = _command(part, context.project)
    name = "" if words else _file_name(part, context.project.imported)
    if not (words or name) or page.is_fine(at) or classify.is_aside(part) or classify.is_expected(part):
        return DraftReading()
    files = tuple(report_files(page.parts).values())
    code = shlex.join(words) if words else part.text
    words = words or (("go", "run", name) if name.endswith(".go") else ("node", name))
    expected = failing(page, at, code, rest, shows=not name or _prints(part.text))
    if expected is None or _is_vague(expected, command=not name):
        return DraftReading()
    files += ((name, part.text),) if name else ()
    leaves_open = page.leaves_open(at, expected)
    draft = Reproduction("", Form.PROGRAM, code, expected, "", words, files, leaves_open=leaves_open)
    return DraftReading((draft,))


def _is_vague(expected: Expectation, *, command: bool) -> bool:
    """Whether something else may be the same: a server never ends, to a command anything may be missing, and several
    lines that nothing is said of may hold what differs from place to place."""
    alone = expected.failure is Failure.PRINTS and not expected.wrong and "\n" in expected.right.strip()
    return alone or expected.failure is Failure.HANGS or (command and expected == ANYTHING)


def _prints(code: str) -> bool:
    """Whether it ends with something that it prints, but for brackets."""
    last = next((line for line in reversed(code.split("\n")) if line.strip(" \t})];")), "")
    return any(word in last for word in ("console.", "process.stdout", "Print"))


def _command(part: ReportBlock, project: Project) -> tuple[tuple[str, ...], str]:
    """The words of the one command that a block shows at a prompt, and what stands below it."""
    line, _, rest = part.text.partition("\n")
    words = plain_words(line[2:]) if line.startswith(classify.PROMPTS) and "\n$ " not in rest else ()
    script = words[1:2] if words[:1] and words[0] in _STARTERS else words[:1]
    own = project.files.intersection(word.removeprefix("./") for word in script) or of_project(words, project)
    return (words, rest) if own else ((), "")


def _file_name(part: ReportBlock, imported: Collection[str]) -> str:
    """What a program would be called as a file; empty where it is none, or uses nothing of the project."""
    own = any(f"{quote}{name}" in part.text for name in (*filter(None, imported), ".") for quote in "'\"`")
    if not own or not classify.is_program(part):
        return ""
    if "package main" in part.text:
        return "reported.go"
    return "reported.mjs" if "\nimport " in f"\n{part.text}" else "reported.cjs"
