"""Modules that run inside the sandbox, as one text."""

import re
from functools import cache
from importlib.resources import files


@cache
def script(package: str, name: str) -> str:
    """A module's text, with that of each module of ours in the place of the line that first imports it."""
    known = set[tuple[str, ...]]()

    def whole(*module: str) -> str:
        known.add(module)
        text = (files(module[0]) / f"{module[1]}.py").read_text(encoding="utf-8")
        text = text.replace("# mypy: ignore-errors\n\n", "")  # for them as modules
        line = r"^from (bot\.[\w.]+)\.(\w+) import (?:\([^)]*\)|.+)"
        return re.sub(line, lambda found: "" if found.groups() in known else whole(*found.groups()), text, flags=re.M)

    return whole(package, name)
