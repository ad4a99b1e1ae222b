"""Fills in the fields of GitHub's objects, which stand in `shapes.json` as format strings.

`{issue.title}` alone is the value itself, written as GitHub writes a value of its type; within other text it is text.
`{url}` and `{page}` are a repository's addresses for programs and for people, `{api}` and `{web}` the server's. What a
`{node:…}` holds becomes a node id; what an `{in_url:…}` or `{quoted:…}` holds can stand in an address, in the latter
even its slashes.
"""

import base64
import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

Json = dict[str, Any]

_VALUE = re.compile(r"\{(\w+)((?:\.\w+)*)\}")


def stamp(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC with a `Z`, as GitHub writes times."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


class _Form:
    """Something to do to the text that a template puts behind its colon."""

    def __init__(self, write: Callable[[str], str]) -> None:
        self._write = write

    def __format__(self, text: str) -> str:
        return self._write(text)


FORMS = {
    "node": _Form(lambda text: base64.b64encode(text.encode()).decode()),
    "in_url": _Form(quote),
    "quoted": _Form(partial(quote, safe="")),
}


def _filler(template: Any) -> Callable[[Mapping[str, Any]], Any]:
    """What makes a template's value of the names it is given; `write` among them writes a value by its type."""
    if isinstance(template, dict):
        fields = {key: _filler(value) for key, value in template.items()}
        return lambda known: {key: fill(known) for key, fill in fields.items()}
    if isinstance(template, list):
        items = [_filler(value) for value in template]
        return lambda known: [fill(known) for fill in items]
    if not isinstance(template, str) or "{" not in template:
        return lambda known: template
    if not (value := _VALUE.fullmatch(template)):
        return template.format_map
    name, path = value[1], value[2][1:]
    find: Callable[[Any], Any] = attrgetter(path) if path else lambda found: found
    return lambda known: known["write"](find(known[name]))


_TEMPLATES = json.loads(Path(__file__).with_name("shapes.json").read_text(encoding="utf-8"))
FILLERS: dict[str, Callable[[Mapping[str, Any]], Json]] = {kind: _filler(each) for kind, each in _TEMPLATES.items()}
