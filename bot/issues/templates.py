"""A repository's own issue templates and forms, and a report without what they put into it. Pure.

What a template says is no part of a report: its hints, placeholders and boxes to tick. Its headings stay, for they say
what stands below them, or does not.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.child_process import TooLong, run_bounded
from bot.markdown.blocks import Sort, blocks
from bot.markdown.tree import fenced_lines
from bot.markdown.visible import visible
from bot.reports import Report
from bot.strict_yaml import YamlError
from bot.strict_yaml import read as read_yaml

WANTED_EMPTY = "A field that the repository's form wants filled was left empty."  # of evidence, as a sentence
LARGEST = 65_536  # characters of one template; GitHub reads no more of an issue either
MOST = 30  # templates that are read
HOMES = (".github", "docs")  # folders where GitHub looks for them, beside the top
FOLDER = "issue_template"  # in lower case, as `issue_template.md`

_FRONT = re.compile(r"\A\ufeff?---[^\S\n]*\n(.*?\n)?---[^\S\n]*(?:\n|\Z)", re.S)
_BOX = re.compile(r"^(\W{0,12}\[)[ xX](\])")
_LONGEST_MARK = 16  # characters of a box
_FENCES = ("```", "~~~")
_FEWEST = 3  # letters and digits of a line that is left out in a block of code, too


@dataclass(frozen=True, slots=True)
class Template:
    """name: of its file. lines: what it puts into a report, as `_plain` has it, headings apart. headings: those that it
    puts there. required: the labels of the fields that a form wants filled. Both in lower case. choices: of each list
    to choose from, its boxes as lines."""

    name: str
    lines: frozenset[str]
    headings: frozenset[str]
    required: frozenset[str] = frozenset()
    choices: tuple[frozenset[str], ...] = ()


def is_template(path: str) -> bool:
    """Whether GitHub finds it: `issue_template.md`, or what stands in the folder of that name, in any case."""
    *folders, name = PurePosixPath(path).parts
    folders = folders[1:] if folders[:1] and folders[0] in HOMES else folders
    whole = folders or [PurePosixPath(name).stem]
    return name.lower().endswith((".md", ".yml", ".yaml")) and [each.lower() for each in whole] == [FOLDER]


def read_templates(files: Mapping[str, str]) -> tuple[Template, ...]:
    """Those of the files, by name, that are templates or forms. What cannot be read is left out: it says nothing."""
    texts = {name: text for name, text in files.items() if len(text) <= LARGEST}
    found = run_bounded(sum(map(len, texts.values())), _read_all, dict(sorted(texts.items())[:MOST]))
    return () if isinstance(found, TooLong) else found


def without_templates(text: str, templates: Iterable[Template]) -> str:
    """What a reader sees of a report, without the lines that one of the templates put there. Nothing else is moved; a
    box that is ticked in a list to choose from is the reporter's answer, by its label."""
    lines = frozenset[str]().union(*(template.lines for template in templates))
    if not lines:
        return text
    own = text.split("\n")
    unticked = {_plain(line) for line in own if _is_unticked(line)}
    lists = (choice for template in templates for choice in template.choices if not choice.isdisjoint(unticked))
    chosen = frozenset[str]().union(*lists)
    kept = []
    for line, fenced in zip(own, fenced_lines(text), strict=True):
        plain = _plain(line)
        answer = plain.partition("] ")[2] if plain in chosen and not _is_unticked(line) else ""
        kept.append(answer if plain in lines and _goes(line, fenced) else line)
    return "\n".join(kept)


def template_of(report: Report, templates: Iterable[Template]) -> str:
    """The name of the template that a report was written in: the one most of whose headings it has, at least half;
    empty where there is none, or where the report could not be read whole."""
    there = frozenset() if report.unread else _headings(report.visible_text)
    had = {each.name: len(each.headings & there) for each in templates}
    likely = [each for each in templates if 2 * had[each.name] >= len(each.headings) > 0]
    return max(likely, key=lambda each: had[each.name]).name if likely else ""


def _read_all(files: Mapping[str, str]) -> tuple[Template, ...]:
    found = (_read(PurePosixPath(path).name, text) for path, text in files.items())
    return tuple(template for template in found if template.lines or template.headings)


def _read(name: str, text: str) -> Template:
    if name.lower().endswith((".yml", ".yaml")):
        return _form(name, text)
    shown = _FRONT.sub("", text.replace("\r\n", "\n"), count=1) if name.lower().endswith(".md") else ""
    return Template(name, frozenset(_lines(shown)), _headings(visible(shown).text))


def _form(name: str, text: str) -> Template:
    """What it says to reporters, and what its fields put into an issue: their labels, what text areas begin with, and
    boxes."""
    try:
        data = read_yaml(text).data
    except YamlError:
        data = None
    body = data.get("body") if isinstance(data, dict) else None
    lines, headings, required, choices = set[str](), set[str](), set[str](), []
    for field in map(_mapping, body if isinstance(body, list) else ()):
        attributes, validations = _mapping(field.get("attributes")), _mapping(field.get("validations"))
        for told in ("description", "placeholder", "value"):
            lines.update(_lines(attributes.get(told), rendered=isinstance(attributes.get("render"), str)))
        listed = attributes.get("options") if field.get("type") == "checkboxes" else ()
        options = [_mapping(option) for option in (listed if isinstance(listed, list) else ())]
        boxes = frozenset(line for option in options for line in _lines(f"- [ ] {option.get('label')}"))
        lines |= boxes
        if not any(option.get("required") is True for option in options):
            choices.append(boxes)
        if isinstance(label := attributes.get("label"), str):
            headings.add(_title(label))
            required |= {_title(label)} if validations.get("required") is True else set()
    return Template(name, frozenset(lines), frozenset(headings), frozenset(required), tuple(choices))


def _goes(line: str, fenced: bool) -> bool:
    """Whether a template's line is taken out: no heading, no fence, and in code nothing so short that it may be the
    reporter's."""
    plain = line.lstrip(" >\t")
    return sum(map(str.isalnum, plain)) >= _FEWEST and plain[:3] not in _FENCES if fenced else not _headings(line)


def _lines(text: object, rendered: bool = False) -> Iterator[str]:
    """The lines that a reader sees of a text and that are no headings. rendered: all of it becomes code."""
    source = text if isinstance(text, str) else ""
    shown = source if rendered else visible(source).text
    for line, fenced in zip(shown.split("\n"), fenced_lines(shown), strict=True):
        if (plain := _plain(line)) and (rendered or fenced or not _headings(line)):
            yield plain


def _headings(text: str) -> frozenset[str]:
    return frozenset(_title(block.text) for block in blocks(text) if block.sort is Sort.HEADING)


def _title(heading: str) -> str:
    return " ".join(heading.lower().split())


def _plain(line: str) -> str:
    """A line whatever its blanks, and whether or not its box is ticked."""
    return _BOX.sub(r"\1 \2", " ".join(line.split()))


def _is_unticked(line: str) -> bool:
    return "[ ]" in line[:_LONGEST_MARK]


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
