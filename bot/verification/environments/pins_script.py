"""Runs inside the sandbox, by the Python of the new environment: prints the constraints that the lock file here amounts
to, a line each. Given as text: it has the standard library and pip.
"""

# mypy: ignore-errors

import json
import re
import sys
from pathlib import Path

LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock")
PIN = re.compile(r"[A-Za-z0-9][\w.-]{0,99}==[A-Za-z0-9][\w.!+-]{0,99}", re.ASCII)
# Of a table of a lock file: it is not of an index.
ELSEWHERE = frozenset(("editable", "virtual", "git", "url", "path", "directory", "file", "vcs", "archive"))


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


if __name__ == "__main__":
    sys.stdout.write("\n".join(pins()))
