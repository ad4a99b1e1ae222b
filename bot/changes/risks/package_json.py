"""npm's manifest, read as data: laid out on one line it says the same as on forty. Pure."""

import json
import re
from typing import Any

from bot.changes.risks.values import Whole
from bot.changes.values import FileChange, FileStatus

_HOOKS = re.compile(r"(?:pre|post)?(?:install|prepare)|prepublish|(?:pre|post)pack|dependencies")
_LISTS = re.compile(r"(?:dev|peer|optional|bundled?)?dependencies")
_PLACES = ("overrides", "resolutions", "pnpm", "publishconfig", "dependenciesmeta")
_ELSEWHERE = re.compile(r"(?:git[+:@]|https?:|file:|link:|portal:|github:|gitlab:|bitbucket:|gist:|ssh:|npm:|[\w.-]+/)")


def read(file: FileChange, whole: Whole) -> tuple[bool, bool] | None:
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
        _part(before, name) != _part(after, name) for name in _PLACES
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
    return {name: str(script) for name, script in scripts.items() if _HOOKS.fullmatch(name)}


def _sources(data: dict[str, Any]) -> dict[str, str]:
    """Dependencies that come from no registry."""
    lists = (_part(data, key) for key in data if _LISTS.fullmatch(key.lower()))
    found = ((name, version) for each in lists for name, version in each.items())
    return {name: version for name, version in found if isinstance(version, str) and _ELSEWHERE.match(version)}


def _part(data: dict[str, Any], name: str) -> dict[str, Any]:
    found: Any = next((value for key, value in data.items() if key.lower() == name.lower()), {})
    return found if isinstance(found, dict) else {}
