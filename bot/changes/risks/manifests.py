"""Where in a manifest a line stands: which table, which key. Line by line, so that broken files are read too. And npm's
manifest, read as data: laid out on one line it says the same as on forty. Pure."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bot.changes.risks.lines import LONGEST, new_lines, rows_after
from bot.changes.values import FileChange, FileStatus, Whole

REDIRECTS = ("overrides", "resolutions", "pnpm", "publishconfig", "dependenciesmeta")  # of `package.json`

_HEADER = re.compile(r"\s*\[{1,2}\s*(?P<name>[\w.\"':@ -]{1,200}?)\s*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"\s*(?P<key>[\w.\"-]{1,100})\s*=\s*(?P<rest>.*)")
_OBJECT = re.compile(r"\s*\"(?P<key>[^\"]{1,200})\"\s*:\s*[{\[]\s*")
_INSTALL_HOOKS = re.compile(r"(?:pre|post)?(?:install|prepare)|prepublish|(?:pre|post)pack|dependencies")
_LISTS = re.compile(r"(?:dev|peer|optional|bundled?)?dependencies")
_ELSEWHERE = re.compile(r"(?:git[+:@]|https?:|file:|link:|portal:|github:|gitlab:|bitbucket:|gist:|ssh:|npm:|[\w.-]+/)")


@dataclass(frozen=True, slots=True)
class Placed:
    """A new line. table, key: what it stands in, small letters; empty where that is not known."""

    number: int
    text: str
    table: str = ""
    key: str = ""


def placed(file: FileChange, whole: Whole) -> Iterator[Placed]:
    """The new lines of a manifest in the order of the file. whole: asked where the diff may not show the table."""
    new = new_lines(file)
    read = _json_lines if file.path.endswith(".json") else _toml
    for rows in rows_after(file, whole) if new else ():
        yield from (line for line in read(rows) if line.number in new)


def _toml(rows: Iterable[tuple[int, str]]) -> Iterator[Placed]:
    table = key = ""
    inside = False  # a list that goes on
    for number, text in rows:
        text = text[:LONGEST].rstrip("\r")
        header = None if inside else _HEADER.fullmatch(text)
        if header:
            table, key = header["name"].lower().replace('"', ""), ""
        elif not inside and (named := _KEY.fullmatch(text)):
            key = named["key"].lower().strip('"')
            inside = named["rest"].startswith("[") and "]" not in named["rest"].rpartition('"')[2]
        elif inside and text.strip().startswith("]"):
            inside = False
        yield Placed(number, text, table, key)


def _json_lines(rows: Iterable[tuple[int, str]]) -> Iterator[Placed]:
    open_: list[str] = []
    for number, text in rows:
        text = text[:LONGEST].rstrip("\r")
        yield Placed(number, text, "", open_[-1] if open_ else "")
        if opened := _OBJECT.fullmatch(text):
            open_.append(opened["key"].lower())
        elif text.strip().rstrip(",") in ("}", "]") and open_:
            open_.pop()


def read_package_json(file: FileChange, whole: Whole) -> tuple[bool, bool] | None:
    """Whether it changes where dependencies come from, and what runs while they are installed; `None` where it cannot
    be read as data."""
    texts = _texts(file, whole)
    try:
        before, after = map(json.loads, texts) if texts else (None, None)
    except (ValueError, RecursionError):
        return None
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    sources = _new(_sources(before), _sources(after)) or any(
        _part(before, name) != _part(after, name) for name in REDIRECTS
    )
    return sources, _new(_hooks(before), _hooks(after))


def _texts(file: FileChange, whole: Whole) -> tuple[str, str] | None:
    if file.status is FileStatus.ADDED:
        return "{}", "\n".join(line for hunk in file.hunks for line in hunk.added)
    return whole(file)


def _new(before: dict[str, str], after: dict[str, str]) -> bool:
    """Whether anything is there that was not, or is another; what is gone runs and fetches nothing."""
    return any(before.get(name) != value for name, value in after.items())


def _hooks(data: dict[str, Any]) -> dict[str, str]:
    scripts = _part(data, "scripts")
    return {name: str(script) for name, script in scripts.items() if _INSTALL_HOOKS.fullmatch(name)}


def _sources(data: dict[str, Any]) -> dict[str, str]:
    """Dependencies that come from no registry."""
    lists = (_part(data, key) for key in data if _LISTS.fullmatch(key.lower()))
    found = ((name, version) for each in lists for name, version in each.items())
    return {name: version for name, version in found if isinstance(version, str) and _ELSEWHERE.match(version)}


def _part(data: dict[str, Any], name: str) -> dict[str, Any]:
    found: Any = next((value for key, value in data.items() if key.lower() == name.lower()), {})
    return found if isinstance(found, dict) else {}
