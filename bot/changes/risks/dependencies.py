"""What a change brings along from elsewhere: new dependencies, and the tools that judge among them. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename, dirname, join

from bot.changes.risks.manifests import Placed, placed
from bot.changes.risks.values import Holds, Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole

MOST = 40  # told of one change

_NAME = r"[A-Za-z0-9@][\w@./-]{0,100}"
_PINNED = re.compile(
    r"\s*['\"]?(?P<name>[A-Za-z0-9][\w.-]{0,100})\s*(?:\[[^\]]{0,100}\])?\s*(?P<how>[<>=!~]=?|===|@|;)?.*"
)
_QUOTED = re.compile(
    r"['\"](?P<name>[A-Za-z0-9][\w.-]{0,100})\s*(?:\[[^\]'\"]{0,100}\])?\s*(?P<how>(?:[<>=!~]=?|@|;)[^'\"]{0,300})?['\"]"
)
_JSON = re.compile(r"\s*\"(?P<name>[^\"]{1,150})\"\s*:\s*\"(?P<how>[^\"]{0,300})\"\s*,?\s*")
_VERSION = re.compile(r"(?:workspace:|npm:)?[\^~<>=v*]{0,2}\s*(?:\d|\*|x\b|latest).*")
_KEYED = re.compile(r"\s*(?P<name>[\w.\"-]{1,100})\s*=\s*(?P<how>['\"{].{0,300})")
_GO = re.compile(
    r"\s*(?:require\s+)?(?P<name>[\w.-]{1,100}\.[\w-]{1,20}/\S{1,200})\s+v\d\S{0,100}(?P<how>\s*//\s*indirect)?\s*"
)
_GEM = re.compile(r"\s*(?:gem|\w{1,20}\.add_\w{1,30}dependency)[\s(]+['\"](?P<name>[\w.-]{1,100})['\"].*")

_LISTS = re.compile(
    r"(?:.*\.)?(?:optional-|dev-|build-|extra-)?dependenc(?:ies|y-groups)(?:\..*)?|dependency-groups|packages|dev-packages"
)
_KEYS = re.compile(
    r"(?:dev|peer|optional|bundled?|extra|build|test)?-?_?(?:dependencies|requires)|install_requires|tests_require|extras_require|requires"
)
_NO_NAMES = frozenset(
    {"python", "version", "node", "npm", "yarn", "pnpm", "name", "rust-version", "edition", "engines"}
)
_JUDGES = re.compile(
    r"_?pytest|pytest[-_].*|.*-pytest|nose2?|hypothesis|coverage|pluggy|tox|nox|xdist|unittest2|mock|jest|jest-.*|vitest|@vitest/.*"
    r"|mocha|ava|tap|nyc|c8|rspec.*|minitest.*"
)
_LOADED = re.compile(r"_pytest|pytest-.*|.*-pytest|pluggy|xdist")  # by pytest itself, once they are installed
_BESIDE = ("dependency", "dependencies", "requirement", "requirements", "package", "library", "install")
_LOCKS = (
    *("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"),
    *("Cargo.lock", "go.sum"),
)


def dependencies(change: Change, whole: Whole) -> Iterator[Risk]:
    """`dependency_added`: asks for a person where tests end otherwise with it, or where it may judge them."""
    known = frozenset(name for file in _manifests(change) for name in _before(file))
    found: dict[str, Risk] = {}
    for file in _manifests(change):
        for line in placed(file, whole):
            for name in names(file.path, line):
                plain = _plain(name)
                if plain not in known and plain not in found and len(found) < MOST:
                    found[plain] = _risk(file, line, plain)
    if any(map(may_be_locked, found.values())):
        locked = tuple(texts[0] for texts in map(whole, locks(change)) if texts)
        for name, risk in found.items():
            if may_be_locked(risk) and _is_locked(name, locked):
                say = "A dependency is added that the base's lock file has already."
                found[name] = replace(risk, sentence=say, holds=Holds.NEVER)
    yield from found.values()


def may_be_locked(risk: Risk) -> bool:
    """Whether the base's lock files tell if it asks for a person. A plugin of pytest does whatever they say: they may
    have it for another environment than the one of the tests."""
    own = risk.check == "dependency_added" and risk.holds in (Holds.UNLIKE, Holds.ALWAYS)
    return own and not any(_LOADED.fullmatch(name) for name in risk.names)


def names(path: str, line: Placed) -> Iterator[str]:
    """The dependencies that a line of a manifest names, as they stand there."""
    name = basename(path.lower())
    text = line.text.strip()
    if text.startswith(("#", "//")):
        return
    if name.endswith(".json"):
        yield from _in_json(line)
    elif name.endswith((".txt", ".in")):
        if (match := _PINNED.fullmatch(text)) and not text.startswith("-"):
            yield match["name"]
    elif name == "go.mod":
        if (match := _GO.fullmatch(text)) and not match["how"]:
            yield match["name"]
    elif name.endswith((".toml", ".cfg", ".py")) or name == "pipfile":
        yield from _in_toml(line)
    elif match := _GEM.fullmatch(text):
        yield match["name"]


def _in_json(line: Placed) -> Iterator[str]:
    match = _JSON.fullmatch(line.text)
    if not match or match["name"] in _NO_NAMES:
        return
    if _KEYS.fullmatch(line.key) or (not line.key and _VERSION.fullmatch(match["how"])):
        yield match["name"]


def _in_toml(line: Placed) -> Iterator[str]:
    listed = bool(_KEYS.fullmatch(line.key) or _LISTS.fullmatch(line.table))
    keyed = _KEYED.fullmatch(line.text)
    if keyed and _LISTS.fullmatch(line.table) and not keyed["how"].startswith(("[",)):
        name = keyed["name"].strip('"')
        if name.lower() not in _NO_NAMES and not _KEYS.fullmatch(name.lower()):
            yield name
        return
    if not listed and line.table:
        return
    for match in _QUOTED.finditer(line.text):
        if listed or (match["how"] and re.match(r"[<>=!~]=?\s*\d|@", match["how"])):
            yield match["name"]


def _before(file: FileChange) -> Iterator[str]:
    """What the diff shows to be there already: every name in lines that are gone or stay."""
    for hunk in file.hunks:
        for text in (line[1:] for line in hunk.lines if line[:1] != "+"):
            yield from (_plain(word) for word in re.findall(_NAME, text[:500]))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.lower()) if "/" not in name else name.lower()


def _risk(file: FileChange, line: Placed, name: str) -> Risk:
    if _JUDGES.fullmatch(name):
        say = "A dependency is added that may take part in running the tests."
        # One word may be about anything: "mock the clock", "test coverage".
        beside = () if "-" in name or "/" in name else _BESIDE
        return Risk("dependency_added", say, file.path, line.number, (name,), beside=beside)
    return Risk("dependency_added", "A dependency is added.", file.path, line.number, (name,), Holds.UNLIKE)


def _manifests(change: Change) -> Iterator[FileChange]:
    return (file for file in change.of(FileKind.DEPENDENCIES) if file.status is not FileStatus.DELETED)


def locks(change: Change) -> tuple[FileChange, ...]:
    """The lock files that may be at the root and beside the manifests."""
    folders = dict.fromkeys(("", *(dirname(file.path) for file in _manifests(change))))
    paths = (join(folder, lock) for folder in list(folders)[:3] for lock in _LOCKS)
    return tuple(FileChange(path, FileKind.LOCK, FileStatus.MODIFIED) for path in paths)


def _is_locked(name: str, locks: tuple[str, ...]) -> bool:
    """Whether one of them has it as a package of its own, not as a word of an address or of an extra."""
    pattern = re.compile(
        r"^[ \t]*(?:name[ \t]*=[ \t]*\"|[\"']?(?:/|(?:[^\"\s]{0,300}/)?node_modules/)?)"
        + re.escape(name).replace(r"\-", "[-_.]")
        + r"(?:\"[ \t\r]*$|\"[ \t]*:[ \t]*\{|@\S|[ /]v?\d|:[ \t\r]*$)",
        re.I | re.M,
    )
    return any(pattern.search(text) for text in locks)
