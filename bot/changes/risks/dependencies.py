"""What a change brings along from elsewhere: new dependencies, the tools that judge among them, where they come from,
and what runs while they are installed. Pure.

A manifest is read as data where a reader knows its form; one that then cannot be read, as it is broken, too long or
shown in part, is for a person. Which keys say what is `[manifests]` of `bot/changes/readers.toml`.
"""

import ast
import configparser
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatch
from posixpath import basename
from typing import Any

from packaging.utils import canonicalize_name

from bot.changes.readers import MANIFESTS, SENTENCES, WORDS, globs
from bot.changes.risks.data import Leaf, leaves, read
from bot.changes.risks.lines import added, both, first, moved
from bot.changes.risks.locks import locks, other_sums, plain_name
from bot.changes.risks.signs import Sign, sign_in, signs_at
from bot.changes.risks.values import Holds, Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole

_SETUP, _REQUIREMENT = signs_at("setup"), signs_at("requirements")
MOST = 40  # told of one change
_AS_DATA = ("setup.py", "setup.cfg", "pipfile", ".toml", ".json", ".yml", ".yaml")
_LINED = {place: globs(*MANIFESTS[place]) for place in ("requirements", "modules", "gems", "builds")}
_LIST = globs(*MANIFESTS["lists"])


class About(StrEnum):
    """What a part of a manifest says. `INDEX`: a source without which a name may be answered by somebody else. `PACKS`:
    what is packed for users; `LEADS`: where a name that they use leads. `UNREAD`: nobody can tell."""

    SOURCE = "sources"
    INDEX = "indexes"
    SCRIPT = "scripts"
    PACKS = "packs"
    LEADS = "leads"
    DEPENDENCY = "dependency"
    UNREAD = "unread"


# The first that fits of these, and of those.
_KEYS = tuple(
    {about: globs(*MANIFESTS[about]) for about in abouts}
    for abouts in ((About.INDEX, About.SOURCE), (About.SCRIPT, About.PACKS, About.LEADS))
)
# Risk, its sentence, what an issue calls it, which parts that come and which that go are one. A source that is gone may
# leave a name to the public index.
_TOLD = (
    ("dependency_source", "unread", "", {About.UNREAD}, set[About]()),
    ("dependency_source", "source", "index", {About.SOURCE, About.INDEX}, {About.INDEX}),
    ("install_script", "script", "install", {About.SCRIPT}, set[About]()),
    ("packaging_changed", "packaging", "packaging", {About.PACKS}, {About.PACKS, About.LEADS}),
)


@dataclass(frozen=True, slots=True)
class ManifestPart:
    """text: a dependency's name; of another part what it says, with the keys above it in `key`."""

    about: About
    text: str
    key: str = ""


def dependencies(change: Change, whole: Whole) -> Iterator[Risk]:
    """`dependency_source`, `install_script`, `packaging_changed`, `dependency_added`: the last asks for a person where
    it may judge tests."""
    sides = {file: tuple(parts(file.path, text) for text in both(file, whole)) for file in _manifests(change)}
    for file in change.of(FileKind.LOCK):
        if file.status is not FileStatus.DELETED:
            yield from locks(file, whole, WORDS["index"], alone=not sides)
    known = {part.text for old, _ in sides.values() for part in old if part.about is About.DEPENDENCY}
    found: dict[str, Risk] = {}
    for file, (old, new) in sides.items():
        yield from _sources(file, old, new)
        if _LINED["requirements"](basename(file.path.lower())):
            yield from other_sums(file, whole, WORDS["index"])
        lines = tuple(added(file))
        for part in new - old:
            if part.about is About.DEPENDENCY and part.text not in known and len(found) < MOST:
                found.setdefault(part.text, _risk(file, _line(lines, part.text), part.text))
    yield from sorted(found.values(), key=lambda risk: (risk.path, risk.line))


def _sources(file: FileChange, old: frozenset[ManifestPart], new: frozenset[ManifestPart]) -> Iterator[Risk]:
    """The first of each kind."""
    lines, runs = tuple(added(file)), False
    for check, says, words, come, go in _TOLD:
        found = [part.text for part in new - old if part.about in come]
        found += [part.text for part in old - new if part.about in go]
        if found and (check != "packaging_changed" or file.status is FileStatus.MODIFIED):
            runs = runs or check == "install_script"
            line = min(_line(lines, text) or first(file) for text in found)
            yield Risk(check, SENTENCES[says], file.path, line, WORDS.get(words, ()))
    if basename(file.path.lower()) == "setup.py":
        known = moved(file)
        called = (number for number, text in lines if not known(text) and sign_in(text, _SETUP))
        if (number := next(called, 0)) and not runs:
            yield Risk("install_script", SENTENCES["script"], file.path, number, WORDS["install"])


def _line(lines: tuple[tuple[int, str], ...], name: str) -> int:
    """The first new line that has it."""
    return next((number for number, text in lines if name in text or name in canonicalize_name(text)), 0)


def _risk(file: FileChange, line: int, name: str) -> Risk:
    if any(fnmatch(name, glob) for glob in MANIFESTS["judges"]):
        say = "A dependency is added that may take part in running the tests."
        # One word may be about anything: "mock the clock", "test coverage".
        beside = () if "-" in name or "/" in name else MANIFESTS["beside"]
        return Risk("dependency_added", say, file.path, line, (name,), beside=beside)
    return Risk("dependency_added", "A dependency is added.", file.path, line, (name,), Holds.NEVER)


def _manifests(change: Change) -> Iterator[FileChange]:
    return (file for file in change.of(FileKind.DEPENDENCIES) if file.status is not FileStatus.DELETED)


def parts(path: str, text: str) -> frozenset[ManifestPart]:
    """Everything a manifest says of these, wherever it stands."""
    return frozenset(_parts(basename(path.lower()), text))


def _parts(name: str, text: str) -> Iterator[ManifestPart]:
    if place := next((place for place, fits in _LINED.items() if fits(name)), ""):
        yield from _signed(text, signs_at(place))
    else:
        data = _setup(name, text) if name in ("setup.py", "setup.cfg") else read(name, text)
        if data is None and text.strip() and name.endswith(_AS_DATA):
            yield ManifestPart(About.UNREAD, "", text)
        yield from (part for leaf in leaves(data) for part in _of(leaf))


def _setup(name: str, text: str) -> Any:
    """`setup.cfg`, and the texts that are given by name in `setup.py`."""
    try:
        if name == "setup.cfg":
            found = configparser.RawConfigParser(strict=False)
            found.read_string(text)
            return {one: {key: value.split("\n") for key, value in found.items(one)} for one in found.sections()}
        given = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.keyword) and each.arg]
    except (configparser.Error, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    texts = [(each.arg, [one.value for one in ast.walk(each.value) if isinstance(one, ast.Constant)]) for each in given]
    return {name: [{key: value} for key, value in texts]}


def _is_elsewhere(text: str) -> bool:
    """Of npm: from no registry, or under another name."""
    owner, slash, name = text.partition("/")
    short = bool(slash) and bool(name) and "/" not in name and not owner.startswith(("@", ".", "^")) and " " not in text
    return text.startswith(MANIFESTS["elsewhere"]) or short


def _of(leaf: Leaf) -> Iterator[ManifestPart]:
    keys = tuple(key.lower().replace("/", "|") for key in leaf[0])
    key, value = "/".join(keys), leaf[1].strip()
    for abouts in _KEYS:
        yield from (ManifestPart(about, value, key) for about in [a for a, fits in abouts.items() if fits(key)][:1])
    lists = [number for number, each in enumerate(keys) if _LIST(each)]
    below = leaf[0][lists[0] + 1 :] if lists else ()
    if not below or below[0].lower() in MANIFESTS["no_names"]:
        return
    if below[0] == "*" or below[1:] == ("*",):
        yield from _signed(value, _REQUIREMENT) if not keys[lists[0]].endswith("packages") else ()
    elif len(lists) == 1:
        yield ManifestPart(About.DEPENDENCY, plain_name(below[0]))
        if _is_elsewhere(value) and len(below) == 1:
            yield ManifestPart(About.SOURCE, value, key)


def _signed(text: str, signs: tuple[Sign, ...]) -> Iterator[ManifestPart]:
    """What the lines of a manifest say that is read line by line, or what a list of dependencies holds."""
    for line in text.split("\n"):
        for sign, found in ((sign, found) for sign in signs if (found := sign.search(line))):
            named = next(filter(None, found.groups()), "")
            if named.lower() not in MANIFESTS["no_names"]:
                yield ManifestPart(About(sign.check), plain_name(named) if named else found.string.strip())
