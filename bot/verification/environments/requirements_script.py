"""Runs inside the sandbox, by the Python of the new environment: what `pip` is told, as pip itself understands it.

    pins                    the constraints that the lock file here amounts to, a line each
    requirements WORD …     what these words of `pip install` ask for without pins, its packages of the tree, as JSON

Given as text: it has the standard library and pip.
"""

# mypy: ignore-errors

import json
import re
import sys
from pathlib import Path

LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock")
MOST = 1000
PIN = re.compile(r"[A-Za-z0-9][\w.-]{0,99}==[A-Za-z0-9][\w.!+-]{0,99}", re.ASCII)
# Of a table of a lock file: it is not of an index.
ELSEWHERE = frozenset(("editable", "virtual", "git", "url", "path", "directory", "file", "vcs", "archive"))


def main(task, *words):
    sys.stdout.write("\n".join(pins()) if task == "pins" else json.dumps(requirements(*words)))


def pins():
    """`name==version` of each package that it pins to one version from an index. One with several versions, one a
    platform or Python, is left to the installer."""
    from pip._vendor.packaging.utils import canonicalize_name

    path = next(filter(Path.exists, map(Path, LOCKS)))
    text = path.read_text(encoding="utf-8")
    data = json.loads(text) if path.name == "Pipfile.lock" else read_toml(text)
    tables = [*data.get("package", ()), *data.get("packages", ())]
    tables += [{"name": name, **each} for part in ("default", "develop") for name, each in data.get(part, {}).items()]
    found = {}
    for each in tables:
        source = each.get("source") or {}
        if "version" in each and ELSEWHERE.isdisjoint((*each, *source, source.get("type"))):
            found.setdefault(canonicalize_name(each["name"]), set()).add(each["version"].lstrip("="))
    alone = sorted(name + "==" + version for name, (version, *more) in found.items() if not more)
    return list(filter(PIN.fullmatch, alone))


def read_toml(text):
    try:
        import tomllib
    except ImportError:
        from pip._vendor import tomli as tomllib
    return tomllib.loads(text)


def requirements(*words):
    """Of files of requirements each line. Nothing where a word says how to install: it would be lost."""
    from pip._internal.commands import create_command
    from pip._internal.network.session import PipSession
    from pip._internal.req.req_file import parse_requirements

    options, found = create_command("install").parse_args(list(words))
    lines = [line for file in options.requirements for line in parse_requirements(file, PipSession())]
    found += [line.requirement for line in lines if not (line.is_editable or line.constraint)]
    plain = all(word in ("-e", "-r", "-c") for word in words if word.startswith("-"))
    return [list(dict.fromkeys(map(without_pin, found)))[:MOST], options.editables] if plain else [[], []]


def without_pin(text):
    """`name; marker` of `name==1.0; marker`; any other requirement as it is."""
    from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
    from pip._vendor.packaging.specifiers import SpecifierSet

    try:
        need = Requirement(text)
    except InvalidRequirement:
        return text
    if [each.operator for each in need.specifier] in (["=="], ["==="]):
        need.specifier = SpecifierSet()
    return str(need)


if __name__ == "__main__":
    main(*sys.argv[1:])
