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
from bot.markdown.visible import visible
from bot.strict_yaml import YamlError
from bot.strict_yaml import read as read_yaml

WANTED_EMPTY = "A field that the repository's form wants filled was left empty."  # of evidence, as a sentence
LARGEST = 65_536  # characters of one template; GitHub reads no more of an issue either
MOST = 30  # templates that are read
HOMES = (".github", "docs")  # folders where GitHub looks for them, beside the top
FOLDER = "issue_template"  # in lower case, as `issue_template.md`

_FRONT = re.compile(r"\A\ufeff?---[^\S\n]*\n(.*?\n)?---[^\S\n]*(?:\n|\Z)", re.S)
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_BOX = re.compile(r"^(\W{0,12}\[)[ xX](\])")
_FEWEST = 3  # letters and digits of a line that is left out in a block of code, too


@dataclass(frozen=True, slots=True)
class Template:
    """lines: what it puts into a report, as `_plain` has it, headings apart. required: the labels of the fields that a
    form wants filled, in lower case."""

    lines: frozenset[str]
    required: frozenset[str] = frozenset()


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
    """What a reader sees of a report, without the lines that one of the templates put there. Nothing else is moved."""
    lines = frozenset[str]().union(*(template.lines for template in templates))
    if not lines:
        return text
    kept, fenced = [], False
    for line in text.split("\n"):
        fence = bool(_FENCE.match(line))
        plain = _plain(line)
        ours = not fence and plain in lines and (not fenced or sum(map(str.isalnum, plain)) >= _FEWEST)
        kept.append("" if ours else line)
        fenced ^= fence
    return "\n".join(kept)


def _read_all(files: Mapping[str, str]) -> tuple[Template, ...]:
    found = (_read(name, text) for name, text in files.items())
    return tuple(template for template in found if template.lines or template.required)


def _read(name: str, text: str) -> Template:
    if name.lower().endswith((".yml", ".yaml")):
        return _form(text)
    if name.lower().endswith(".md"):
        return Template(frozenset(_lines(_FRONT.sub("", text.replace("\r\n", "\n"), count=1))))
    return Template(frozenset())


def _form(text: str) -> Template:
    """Of a form only these reach an issue: what its text areas begin with, and its boxes."""
    try:
        data = read_yaml(text).data
    except YamlError:
        return Template(frozenset())
    body = data.get("body") if isinstance(data, dict) else None
    lines: set[str] = set()
    required: set[str] = set()
    for field in body if isinstance(body, list) else ():
        told = _mapping(field).get("attributes")
        attributes, validations = _mapping(told), _mapping(_mapping(field).get("validations"))
        for value in (attributes.get("value"), attributes.get("placeholder")):
            if isinstance(value, str) and _mapping(field).get("type") != "markdown":
                lines.update(_lines(value))
        options = attributes.get("options")
        for option in options if isinstance(options, list) and _mapping(field).get("type") == "checkboxes" else ():
            label = _mapping(option).get("label")
            lines.update(_lines(f"- [ ] {label}") if isinstance(label, str) else ())
        if validations.get("required") is True and isinstance(attributes.get("label"), str):
            required.add(" ".join(str(attributes["label"]).lower().split()))
    return Template(frozenset(lines), frozenset(required))


def _lines(text: str) -> Iterator[str]:
    """The lines that a reader sees of it and that are no headings."""
    fenced = False
    for line in visible(text).text.split("\n"):
        plain = _plain(line)
        if _FENCE.match(line):
            fenced = not fenced
        elif plain and (fenced or not _is_heading(line)):
            yield plain


def _is_heading(line: str) -> bool:
    parts = blocks(line)
    return len(parts) == 1 and parts[0].sort is Sort.HEADING


def _plain(line: str) -> str:
    """A line whatever its blanks, and whether or not its box is ticked."""
    return _BOX.sub(r"\1 \2", " ".join(line.split()))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
