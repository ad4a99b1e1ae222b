"""Houses and families of pull requests, read from YAML: `houses.yaml` and the files of `families/`.

A file of a change is a text, `null` (taken away), many lines of one form, or steps from what the file was before:

    shop/price.py:
      - old: lines, or a part of one, that stand there once
        new: what stands there instead
      - above: put before the first line
      - below: put after the last

A house is one of its own or `like` another, its files then a change of that one's. A trick is laid over what breaks its
house and a twin over what mends it, where `over` does not say otherwise.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.hostile_pulls.values import Family, Files, House, Pull

_NOTHING = House("", {}, {}, {})


def read_houses(path: Path) -> dict[str, House]:
    return _houses(_read(path), {})


def read_family(path: Path, houses: Mapping[str, House]) -> Family:
    given = _read(path)
    known = _houses(given.get("houses", {}), houses)

    def pulls(kind: str, over: str) -> tuple[Pull, ...]:
        usual = {"house": given["house"], "over": over}
        return tuple(_pull(given["short"], known, **{**usual, **each}) for each in given.get(kind, ()))

    return Family(given["name"], pulls("tricks", "broken"), pulls("twins", "mended"))


def changed(files: Files, change: Mapping[str, Any]) -> dict[str, str | None]:
    """What each file of the change is afterwards."""
    return {path: _text(path, files.get(path) or "", given) for path, given in change.items()}


def _read(path: Path) -> dict[str, Any]:
    found = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    assert isinstance(found, dict), f"{path}: a mapping was expected"
    return found


def _houses(given: Mapping[str, Any], known: Mapping[str, House]) -> dict[str, House]:
    houses = dict(known)
    for name, house in given.items():
        like = houses[house["like"]] if "like" in house else _NOTHING
        files = _present({**like.files, **changed(like.files, house["files"])})
        broken, mended = (
            _present(changed(files, house[side])) if side in house else getattr(like, side)
            for side in ("broken", "mended")
        )
        houses[name] = House(name, files, broken, mended, house.get("needs", like.needs))
    return houses


def _present(files: Files) -> dict[str, str]:
    return {path: text for path, text in files.items() if text is not None}


def _pull(
    family: str,
    houses: Mapping[str, House],
    *,
    name: str,
    house: str,
    over: str,
    files: Mapping[str, Any] | None = None,
    issue: str = "",
    stands: bool = False,
) -> Pull:
    """A field that does not exist is refused."""
    at = houses[house]
    below: Mapping[str, str] = {"broken": at.broken, "mended": at.mended, "base": {}}[over]
    change = {**below, **changed({**at.files, **below}, files or {})}
    return Pull(family, name, at, change, issue, stands)


def _text(path: str, before: str, given: Any) -> str | None:
    match given:
        case None | str():
            return given
        case {"line": str(line), "times": int(times)}:
            return "".join(f"{line.format(number)}\n" for number in range(times))
        case list():
            for step in given:
                before = _stepped(path, before, **step)
            return before
    raise AssertionError(f"{path}: neither a text nor steps: {given}")


def _stepped(path: str, text: str, *, old: str = "", new: str = "", above: str = "", below: str = "") -> str:
    if old:
        assert text.count(old) == 1, f"{path}: {text.count(old)} times, not once: {old}"
        text = text.replace(old, new)
    return above + text + below
