"""The jobs of a repository's workflows, each by the entry of its matrix that is nearest to this machine.

Actions of other repositories are left out; those of the repository itself are read like steps, and so are workflows
that a job calls.
"""

import posixpath
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, product
from typing import Any

from bot import strict_yaml
from bot.verification.environments.ci.expressions import UNKNOWN, as_text, may_hold, resolve
from bot.verification.environments.manifests import Manifests, mapping, texts

FOLDER, ACTIONS = ".github/workflows", ".github/actions"
MOST_FILES, MOST_ENTRIES, MOST_JOBS = 40, 2000, 12
_DEEPEST = 3  # actions and workflows that call each other
_FAR = 100  # more than any distance between versions of Python
_TRIGGERS = ("pull_request", "pull_request_target", "push", "merge_group", "workflow_call")
_PYTHON = re.compile(
    r"(?:c?py(?:thon)?[-_ ]?)?3\.?(\d{1,2})(?:\.\d{1,2})?(t\b|[-.]?(?:dev|alpha|beta|rc))?.*", re.IGNORECASE | re.DOTALL
)
_ELSEWHERE = re.compile(r"windows|macos|darwin|win32|pypy|graalpy|\barm|aarch64|s390x|musl", re.IGNORECASE)
_OTHER_SHELLS = ("python", "pwsh")
_KNOWN = {
    "runner": {"os": "Linux", "arch": "X64", "temp": "/tmp", "tool_cache": "/tmp"},  # noqa: S108 - inside
    "github": {"event_name": "pull_request", "workspace": "/work", "event": UNKNOWN},
}
Step = tuple[str, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class CiJob:
    """steps: each a script, the folder in which it runs and its variables. where: its file and name, for people.

    far: how far its entry of the matrix is from this machine; 0 is the same Python on Linux, or none said.
    """

    where: str
    steps: tuple[Step, ...]
    far: int = 0


def jobs(manifests: Manifests) -> Iterator[CiJob]:
    """Of workflows that run for a change."""
    names = [name for name in manifests.names(FOLDER) if name.endswith((".yml", ".yaml"))]
    for name in sorted(names)[:MOST_FILES]:
        path = f"{FOLDER}/{name}"
        on = _read(manifests.text(path)).get("on")
        events = [on] if isinstance(on, str) else texts(on) if isinstance(on, list) else list(mapping(on))
        push = mapping(on, "push")
        released = "tags" in push and "branches" not in push and "pull_request" not in events
        if set(events) & set(_TRIGGERS[:-1]) and not released:
            yield from _jobs(manifests, path, {}, 0)


def _jobs(manifests: Manifests, path: str, inputs: dict[str, Any], depth: int) -> Iterator[CiJob]:
    data = _read(manifests.text(path))
    known = {**_KNOWN, "defaults": mapping(data, "defaults", "run")}
    known["inputs"] = _inputs(mapping(data, "on", "workflow_call"), inputs)
    known["env"] = _variables(data.get("env"), {**known, "env": {}})
    for name, job in mapping(data, "jobs").items():
        if isinstance(job, dict) and may_hold(job.get("if"), known):
            for far, entry in _nearest(mapping(job, "strategy").get("matrix"), known):
                yield from _job(manifests, f"{path}, job {name}", job, {**known, "matrix": entry}, far, depth)


def _inputs(declared: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Of an action or a workflow that is called."""
    return {key: mapping(each).get("default") for key, each in mapping(declared, "inputs").items()} | given


def _job(
    manifests: Manifests, where: str, job: dict[str, Any], here: dict[str, Any], far: int, depth: int
) -> Iterator[CiJob]:
    """By one entry of its matrix. far: how far the entry is."""
    here["env"] = _variables(job.get("env"), here)
    steps = job.get("steps")  # each by its own variables
    job = resolve({"defaults": {"run": here["defaults"]}, **job, "steps": None}, here)
    far += _FAR if _ELSEWHERE.search(as_text(job.get("runs-on"))) else 1 if "services" in job else 0
    if isinstance(called := job.get("uses"), str):
        if called.startswith("./") and depth < _DEEPEST:
            inner = _jobs(manifests, posixpath.normpath(called), mapping(job, "with"), depth + 1)
            yield from (replace(each, where=where, far=each.far + far) for each in inner)
        return
    folder = _folder("", mapping(job, "defaults", "run"))
    yield CiJob(where, tuple(_steps(manifests, steps, here, folder)), far)


def _steps(
    manifests: Manifests, steps: object, known: Mapping[str, Any], folder: str | None, depth: int = 0
) -> Iterator[Step]:
    """folder: from the root, where nothing else is said; `None` where nobody knows. depth: of actions."""
    for step in steps if isinstance(steps, list) else ():
        if not isinstance(step, dict):
            continue
        here = {**known, "env": _variables(step.get("env"), known)}
        step = resolve(step, here)
        if as_text(step.get("shell")).startswith(_OTHER_SHELLS) or not may_hold(step.get("if"), here):
            continue
        used, given = step.get("uses"), mapping(step, "with")
        if isinstance(used, str):
            if used.startswith("actions/checkout@") and given.get("repository"):
                return  # another repository's tests
            if used.startswith("./") and depth < _DEEPEST:
                own = posixpath.normpath(used)
                data = _read(manifests.text(f"{own}/action.yml") or manifests.text(f"{own}/action.yaml"))
                inner = {**here, "inputs": _inputs(data, given)}
                yield from _steps(manifests, mapping(data, "runs").get("steps"), inner, folder, depth + 1)
        elif isinstance(script := step.get("run"), str) and (place := _folder(folder, step)) is not None:
            yield script.replace(UNKNOWN, ""), place, tuple(sorted(here["env"].items()))


def _folder(above: str | None, settings: Mapping[str, Any]) -> str | None:
    """A working directory from the repository's root; the one above where none is said, `None` where nobody knows."""
    said = as_text(settings.get("working-directory"))
    if UNKNOWN in said:
        return None
    inside = posixpath.normpath(said.removeprefix("/work").lstrip("/") or ".") if said else above
    return "" if inside == "." else inside


def _variables(found: object, known: Mapping[str, Any]) -> dict[str, str]:
    """Those that are known and these; whose value nobody knows is left out."""
    variables = dict(known["env"])
    for name, value in mapping(found).items():
        text = as_text(resolve(value, known))
        if UNKNOWN not in text and str(name).isidentifier():
            variables[name] = text
    return variables


def _nearest(matrix: object, known: Mapping[str, Any]) -> list[tuple[int, Any]]:
    """The entries that are nearest to this machine, which may stand for several folders, and how far they are; one
    `UNKNOWN` where only a run makes them."""
    resolved = resolve(matrix, known)
    whole = mapping(resolved)
    unknown = {key: value for key, value in whole.items() if value == UNKNOWN}
    entries = [{**unknown, **entry} for entry in islice(_entries(whole), MOST_ENTRIES)]
    if not entries:
        return [(0, UNKNOWN if unknown or resolved == UNKNOWN else {})]
    plain = ([each for each in entry.values() if not isinstance(each, dict | list)] for entry in entries)
    away = [sum(map(_far, values)) for values in plain]
    return [(far, entry) for far, entry in zip(away, entries, strict=True) if far == min(away)][:MOST_JOBS]


def _entries(matrix: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """As GitHub makes them, and those that it leaves out: the product; `include` adds to what it fits, or stands
    alone."""
    lists = {key: value for key, value in matrix.items() if isinstance(value, list) and key != "exclude"}
    include = [item for item in lists.pop("include", ()) if isinstance(item, dict)]
    used: set[int] = set()
    for values in product(*lists.values()) if lists else ():
        entry = dict(zip(lists, values, strict=True))
        more: dict[str, Any] = {}
        for number, item in enumerate(include):
            if all(entry[key] == value for key, value in item.items() if key in lists):
                used.add(number)
                more |= item
        yield {**entry, **more}
    yield from (item for number, item in enumerate(include) if number not in used)


def _far(value: object) -> int:
    text = as_text(value)
    if _ELSEWHERE.search(text):
        return _FAR
    if version := _PYTHON.fullmatch(text):
        return abs(int(version[1]) - sys.version_info.minor) + 10 * bool(version[2])
    return 0


@lru_cache(maxsize=64)
def _read(text: str) -> dict[str, Any]:
    try:
        return mapping(strict_yaml.read(text).data)
    except (strict_yaml.YamlError, RecursionError):
        return {}
