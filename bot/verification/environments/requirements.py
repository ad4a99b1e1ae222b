"""Files of requirements as pip takes them: whether they pin, and what they ask for without their pins."""

import posixpath
import re

from bot.verification.environments.manifests import Manifests

_PIN = re.compile(
    r"([A-Za-z0-9][\w.-]{0,99}(?:\[[\w.,\s-]{0,200}\])?)\s{0,9}===?\s{0,9}[^\s;,*]{1,99}\s{0,9}(;.{0,300})?", re.ASCII
)
_OPTION = re.compile(r"-r\s{0,9}(\S{1,200})|--requirement[= ]\s{0,9}(\S{1,200})")
_COMMENT = re.compile(r"(?:^|\s)#.*|\s--hash[= ].*|\s\\$")
MOST_FILES = 20


def has_hashes(manifests: Manifests, name: str) -> bool:
    """Whether pip will want a hash of everything that is installed with this file, and so of nothing beside it."""
    return "--hash=" in manifests.text(name)


def compiled_from(manifests: Manifests, name: str) -> str:
    """The file that this one was made from by pip-compile; empty where there is none."""
    source = name.removesuffix(".txt") + ".in"
    return source if name.endswith(".txt") and manifests.has(source) else ""


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
