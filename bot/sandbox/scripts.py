"""Modules that run inside the sandbox, as one text."""

import re
from functools import cache
from importlib.resources import files


@cache
def script(package: str, name: str) -> str:
    """A module's text, with that of each module of its package in the place of the line that first imports it."""
    known = set[str]()

    def whole(module: str) -> str:
        known.add(module)
        text = (files(package) / f"{module}.py").read_text(encoding="utf-8")
        line = rf"^from {re.escape(package)}\.(\w+) import .+"
        return re.sub(line, lambda found: "" if found[1] in known else whole(found[1]), text, flags=re.M)

    return whole(name)
