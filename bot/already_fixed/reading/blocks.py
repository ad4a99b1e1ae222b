"""A report cut into prose and code, with the words that lead to each piece of code. Pure, linear, bounded."""

import ast
import html
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.already_fixed.reading import expected_value, python
from bot.already_fixed.reading.prompt_sessions import is_session
from bot.already_fixed.reading.wording import paragraphs, pattern
from bot.markdown.tree import PartKind, TextPart, parts

LONGEST = 100_000  # characters of a report that are read
_QUOTED = re.compile(r"^ {0,3}>(?!>>)")
_LEADS = pattern("leads")
_OUTCOME = pattern("outcome")
_WANTED_COLUMN, _NOW = pattern("wanted_column"), pattern("column_now")
_MOST_ROWS = 20  # of a table
_WISHED_HEADING, _WISHED_LABEL, _TURNS, _COMES_NOW = map(
    pattern, ("wished_heading", "wished_label", "turns", "comes_now")
)
_VALUE = re.compile(r"[\d'\"]|\b(?:True|False|None|nan)\b|\[\]|\{\}|\(\)")
_IMPORT = re.compile(r"(?:import [\w.]{1,80}(?: as \w{1,40})?|from [\w.]{1,80} import [\w, *()]{1,200})\s*$")
_MOST_BARE, _MOST_TRIES = 30, 10  # lines of code that is not set as code, and places where it is looked for
UNFENCED = "unfenced"  # the language of such code
SHOWN = "output"  # the language of what is shown, and not set as code
_ROW = "row"  # of what a table says of an example in it, and of nothing below


@dataclass(frozen=True, slots=True)
class ReportBlock:
    """code: whether it was set as code. text: without common indentation. language: what its fence names, lower case.

    heading: the one it stands under. lead: the last lines of the paragraph before it.
    """

    code: bool
    text: str
    language: str = ""
    heading: str = ""
    lead: str = ""


def pieces(text: str) -> tuple[ReportBlock, ...]:
    """The pieces in order."""
    found: list[ReportBlock] = []
    heading, prose = "", ""
    for piece in _raw(text[:LONGEST].replace("\r\n", "\n")):
        if not piece.text.strip():
            continue
        if piece.code:
            found.append(ReportBlock(True, piece.text, piece.language, heading, prose))
            prose = ""
            continue
        if piece.language == _ROW:
            found.append(piece)
            prose = ""
            continue
        lines = [line.strip() for line in piece.text.split("\n") if line.strip()]
        headings = [line for line in lines if _is_heading(line)]
        if headings:
            heading = headings[-1].strip("#*_: ")
            lines = lines[lines.index(headings[-1]) + 1 :]
        own = len(paragraphs(piece.text.rstrip())[-1].strip().split("\n"))  # lines of the last paragraph
        prose = " ".join(lines[-min(own, 3) :])[-300:] if lines else ""
        found.append(piece)
    return tuple(found)


def _is_heading(line: str) -> bool:
    return line.startswith("#") or (line.startswith(("**", "__")) and line.rstrip(":").endswith(("**", "__")))


def _raw(text: str) -> Iterator[ReportBlock]:
    lines = text.split("\n")
    tree = {part.begin: part for part in parts(text)}
    waiting: list[str] = []
    before = ""  # the last of them that is not empty
    at, tries, wished = 0, _MOST_TRIES, False  # wished: below a heading that says so
    while at < len(lines):
        part = tree.get(at)
        rows = tuple(_examples(part.rows)) if part else ()
        if part and rows:
            yield ReportBlock(False, "\n".join(waiting))
            waiting, before, at = [], "", part.end
            for code, said in rows:
                yield ReportBlock(True, code)
                yield ReportBlock(False, said, _ROW)
            continue
        end, piece = _code_at(lines, at, tree, bare=tries > 0) or _shown_at(lines, at, before) or (at + 1, None)
        tries -= bool(_IMPORT.match(lines[at]))
        if piece is None:
            wished = bool(_WISHED_HEADING.match(lines[at])) if _is_heading(lines[at]) else wished
            waiting += [_as_wish(lines[at], wished), *([""] if wished and _is_heading(lines[at]) else [])]
            before = lines[at].strip() or before
        else:
            yield ReportBlock(False, "\n".join(waiting))
            waiting, before = [], ""
            yield piece
        at = end
    yield ReportBlock(False, "\n".join(waiting))


def _as_wish(line: str, wished: bool) -> str:
    """A line that says what comes, where that is what should come, as *it returns 1* below a heading that says so, or
    behind a label: as *it should be 1*."""
    label = _WISHED_LABEL.match(line)
    said = line[label.end() :] if label else line
    wish = _COMES_NOW.sub("should be", said, count=1) if (wished or label) and not _TURNS.search(said) else said
    return wish if wish != said else line


def _code_at(lines: list[str], at: int, tree: Mapping[int, TextPart], *, bare: bool) -> tuple[int, ReportBlock] | None:
    """Where the piece of code ends that begins here, and the piece; `None` where none does."""
    line, part = lines[at], tree.get(at)
    if part and part.kind is PartKind.FENCE:
        return part.end, ReportBlock(True, _clean(part.text.split("\n")), part.language)
    if is_session(line):  # prompts and what stands below them; an empty line ends it, unless a prompt follows
        end = _until(lines, at, lambda here: bool(here.strip()))
        while end + 1 < len(lines) and is_session(lines[end + 1]):
            end = _until(lines, end, lambda here: bool(here.strip()))
        return end, ReportBlock(True, _clean(lines[at:end]))
    if _begins_trace(line):
        end = _until(lines, at, lambda here: not here.strip() or here.startswith((" ", "\t")))
        end = _until(lines, end - 1, lambda here: bool(here.strip()))  # the exception's own lines
        return end, ReportBlock(True, _clean(lines[at:end]))
    if bare and _IMPORT.match(line) and (stop := _unfenced(lines, at, tree)):
        return stop, ReportBlock(True, _clean(lines[at:stop]), UNFENCED)
    if part and part.kind is PartKind.INDENTED:
        return part.end, ReportBlock(True, _clean(part.text.split("\n")))
    return None


def _shown_at(lines: list[str], at: int, before: str) -> tuple[int, ReportBlock] | None:
    """The same of what is shown as a quotation behind words that lead to it, or alone under a heading, as a value or in
    backticks. before: the last line that is not empty."""
    text = ""
    if _QUOTED.match(lines[at]) and _LEADS.search(before):
        end = _until(lines, at, lambda here: bool(_QUOTED.match(here)))
        text = _clean(lines[at:end])
    elif lines[at].strip() and _is_heading(before) and _OUTCOME.search(before):
        end = _until(lines, at, lambda here: bool(here.strip()))
        whole = "\n".join(lines[at:end]).strip()
        ticked = expected_value.TICKED.fullmatch(whole.removesuffix("."))
        told = _VALUE.search(whole) and expected_value.is_value(whole)
        text = ticked[2].strip() if ticked else whole if told else ""
    return (end, ReportBlock(True, text, SHOWN)) if text else None


def _begins_trace(line: str) -> bool:
    return line.lstrip().startswith("Traceback (most recent call last)")


def _unfenced(lines: list[str], at: int, tree: Mapping[int, TextPart]) -> int | None:
    """Where code ends that begins with an import and is not set as code; `None` where less than two lines are.

    Prose hardly ever parses.
    """
    end = None
    for stop in range(at + 2, min(at + _MOST_BARE, len(lines)) + 1):
        line = lines[stop - 1]
        part = tree.get(stop - 1)
        if (part and part.kind is PartKind.FENCE) or _begins_trace(line):
            break
        if line.strip() and python.tree_of("\n".join(lines[at:stop])):
            end = stop
    return end


def _until(lines: list[str], at: int, goes_on: Callable[[str], bool]) -> int:
    end = at + 1
    while end < len(lines) and goes_on(lines[end]):
        end += 1
    return end


def _clean(lines: Sequence[str]) -> str:
    """Without quotation marks of a quoting mail, common indentation and HTML's escapes."""
    if lines and all(_QUOTED.match(line) for line in lines if line.strip()):
        lines = [line.lstrip(" ").removeprefix(">").removeprefix(" ") for line in lines]
    text = textwrap.dedent("\n".join(lines).expandtabs(4)).strip("\n")
    if any(sign in text for sign in ("&gt;", "&lt;", "&amp;", "&quot;", "&#39;")):
        text = html.unescape(text)
    return text.replace("\xa0", " ").replace("\u200b", "")


def _examples(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Of each row of a table code, and what is said of it as a sentence; nothing where the head does not say what
    should come. rows: the table's cells, its head first."""
    heads = rows[0] if rows else ()
    wanted = [number for number, head in enumerate(heads) if _WANTED_COLUMN.search(head)]
    now = [number for number, head in enumerate(heads) if _NOW.search(head) and number not in wanted]
    for cells in rows[1 : _MOST_ROWS + 1] if len(wanted) == 1 else ():
        row = [cell.strip().strip("`").strip() for cell in cells]
        shown = [cell for number, cell in enumerate(row) if number not in (*now, *wanted) and _is_example(cell)]
        if len(shown) == 1 and len(row) > wanted[0] and row[wanted[0]]:
            come = [row[number] for number in now if number < len(row) and row[number]]
            gives = f"gives `{come[0]}`, but it " if len(come) == 1 else ""
            code = shown[0] if python.expression(shown[0]) else f"$ {shown[0].removeprefix('$ ')}"
            yield code, f"It {gives}should give `{row[wanted[0]]}`."


def _is_example(cell: str) -> bool:
    """Whether it may be a call, or a command line."""
    value = python.expression(cell)
    return isinstance(value, ast.Call) or (value is None and " " in cell)
