"""Files of requirements as pip takes them, and lock files: what they pin, and what they ask for without their pins.

Lock files are read line by line: they are large, and of a head they are a stranger's. uv, Poetry, PDM and PEP 751 all
write a table a package with its `name` and `version` on lines of their own.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator

from packaging.utils import canonicalize_name

from bot.verification.environments.manifests import Manifests, mapping

_PIN = re.compile(
    r"([A-Za-z0-9][\w.-]{0,99}(?:\[[\w.,\s-]{0,200}\])?)\s{0,9}===?\s{0,9}[^\s;,*]{1,99}\s{0,9}(;.{0,300})?", re.ASCII
)
_OPTION = re.compile(r"-r\s{0,9}(\S{1,200})|--requirement[= ]\s{0,9}(\S{1,200})")
_COMMENT = re.compile(r"(?:^|\s)#.*|\s--hash[= ].*|\s\\$")
MOST_FILES = 20


def without_pin(requirement: str) -> str:
    """`name; marker` of `name==1.0; marker`; any other requirement as it is."""
    pin = _PIN.fullmatch(requirement)
    return f"{pin[1]}{pin[2] or ''}" if pin else requirement


def unpinned(manifests: Manifests, name: str) -> list[str] | None:
    """What the file and those it includes ask for, without versions where they are pinned; `None` if nothing is."""
    found: list[str] = []
    pinned = False
    waiting, seen = [name], set[str]()
    while waiting and len(seen) < MOST_FILES:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for raw in manifests.text(path).splitlines():
            line = _COMMENT.sub("", raw[:1000]).strip()
            if option := _OPTION.fullmatch(line):
                other = posixpath.normpath(posixpath.join(posixpath.dirname(path), option[1] or option[2]))
                waiting += [] if other.startswith(("/", "..")) else [other]
            elif (free := without_pin(line)) != line:
                pinned = True
                found.append(free)
            elif line and not line.startswith("-") and "://" not in line:
                found.append(line)
    return list(dict.fromkeys(found)) if pinned else None


LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
MOST_PINS = 3000
_TABLE = re.compile(r"\[\[(packages?)\]\]")
_KEY = re.compile(r'(name|version) = "([A-Za-z0-9][A-Za-z0-9._!-]{0,99})"')
_ELSEWHERE = re.compile(
    r"source = \{ ?(?:editable|virtual|git|url|path|directory)\b|(?:git|url|path|editable|directory|vcs) = "
    r'|type = "(?:git|url|file|directory)"'
)
_VERSION = re.compile(r"==([A-Za-z0-9][A-Za-z0-9._!-]{0,99})")


def pins(manifests: Manifests) -> tuple[str, tuple[str, ...]]:
    """The lock file's name, and `name==version` of each package that it pins to one version from an index.

    A package with several versions, one a platform or Python, is left to the installer. Both are empty without a lock.
    """
    for name in LOCKS:
        if manifests.has(name):
            return name, _single(_of_tables(manifests.lines(name)))
    if manifests.has("Pipfile.lock"):
        return "Pipfile.lock", _single(_of_pipfile(manifests.json("Pipfile.lock")))
    return "", ()


def _of_tables(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    found: dict[str, str] = {}
    inside = elsewhere = False
    for line in (*lines, "[[package]]"):
        if _TABLE.fullmatch(line):
            if len(found) == 2 and not elsewhere:
                yield found["name"], found["version"]
            found, inside, elsewhere = {}, True, False
        elif line.startswith("["):
            inside = False
        if _ELSEWHERE.match(line):
            elsewhere = True
        elif inside and (key := _KEY.fullmatch(line)):
            found.setdefault(key[1], key[2])


def _of_pipfile(data: dict[str, object]) -> Iterator[tuple[str, str]]:
    for section in ("default", "develop"):
        for name, pin in mapping(data, section).items():
            version = _VERSION.fullmatch(str(pin.get("version"))) if isinstance(pin, dict) else None
            if version and _KEY.fullmatch(f'name = "{name}"'):
                yield name, version[1]


def _single(found: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    versions: dict[str, set[str]] = {}
    for name, version in found:
        versions.setdefault(canonicalize_name(name), set()).add(version)
    alone = sorted((name, *known) for name, known in versions.items() if len(known) == 1)
    return tuple(f"{name}=={version}" for name, version in alone)[:MOST_PINS]
